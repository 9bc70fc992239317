"""What the green run of a pull request measured: read where a check asks for it."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TypeVar

from gatekit.domain.errors import Unknown
from gatekit.domain.ids import Repo
from gatekit.signoff.change.change import Change
from gatekit.signoff.checks.check import NotKnown
from gatekit.signoff.checks.check_01_sweep import green_run
from gatekit.signoff.checks.facts import Facts
from gatekit.signoff.evidence.results import AGENTIC_POINT, EVALS, POINTS, EvalResult, MeasuredPoint, is_agentic
from gatekit.signoff.evidence.workflow_jobs import evals_due
from gatekit.use.workflow_runs import Artifact
from handlers.errors import LookupFailed
from handlers.signoff.ground import known
from handlers.signoff.reads import SignOffFacts

T = TypeVar("T")

SINGLE_READ = 24  # artifacts of one point each


async def with_results(facts: Facts, do: SignOffFacts) -> Facts:
    """The facts with scores and points of the run that is green, where the change affects any config."""
    run = _green(facts)
    if run is None:
        return facts
    repo, due = facts.pr.repo, isinstance(facts.change, Change) and bool(evals_due(facts.change))
    artifacts = await known(partial(do.runs.artifacts, repo, run))
    if isinstance(artifacts, Unknown):
        return replace(facts, evals={run: artifacts}, points={run: artifacts})
    evals, points = await asyncio.gather(
        known(lambda: _evals(repo, artifacts, due, do)), known(lambda: _points(repo, artifacts, do))
    )
    return replace(facts, evals={run: _of(run, evals)}, points={run: _of(run, points)})


def _of(run: int, fact: T | Unknown) -> T | Unknown:
    return Unknown(f"run {run}: {fact.why}") if isinstance(fact, Unknown) else fact


def _green(facts: Facts) -> int | None:
    """None also where it is not known, or nothing is affected: then nobody asks for results."""
    try:
        green = green_run(facts)
    except NotKnown:
        return None
    affected = isinstance(facts.change, Change) and bool(facts.change.affected)
    return green.run.id if green is not None and affected else None


async def _evals(repo: Repo, artifacts: Sequence[Artifact], due: bool, do: SignOffFacts) -> tuple[EvalResult, ...]:
    if not due:
        return ()
    collected = [one for one in artifacts if one.name == EVALS]
    if not collected:
        raise LookupFailed(f"it has no artifact {EVALS}")
    return await do.signoff.evals(repo, _there(collected[-1]))


async def _points(repo: Repo, artifacts: Sequence[Artifact], do: SignOffFacts) -> tuple[MeasuredPoint, ...]:
    """Of the artifact that has all; agentic points that it has not stand in artifacts of their own."""
    collected = [_there(one) for one in artifacts if one.name == POINTS]
    found = [point for one in collected[-1:] for point in await do.signoff.points(repo, one)]
    single = [one for one in artifacts if one.name.startswith(AGENTIC_POINT)]
    if not collected and not single:
        raise LookupFailed(f"it has no artifact {POINTS}, and none that begins with {AGENTIC_POINT}")
    if any(is_agentic(point) for point in found):
        return tuple(found)
    if len(single) > SINGLE_READ:
        raise LookupFailed(f"its {len(single)} points stand in an artifact each, and {SINGLE_READ} of such are read")
    more = await asyncio.gather(*(do.signoff.points(repo, _there(one)) for one in single))
    return (*found, *(point for each in more for point in each))


def _there(artifact: Artifact) -> Artifact:
    if artifact.expired:
        raise LookupFailed(f"its artifact {artifact.name} has expired")
    return artifact
