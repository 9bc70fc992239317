"""The facts of one verification, gathered at once: what could not be read is a value, not a failure."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC
from functools import partial
from typing import TypeVar

from gatekit.domain.errors import Refusal, Unknown
from gatekit.domain.ids import Repo
from gatekit.domain.reuse import Commits
from gatekit.signoff.change.change import Change
from gatekit.signoff.checklist.template import Current, Revision, current_at, template_form
from gatekit.signoff.checks.check import NotKnown
from gatekit.signoff.checks.check_01_sweep import green_run
from gatekit.signoff.checks.facts import Facts, SignOff, with_trees
from gatekit.signoff.evidence.description import Description
from gatekit.signoff.evidence.results import AGENTIC_POINT, EVALS, POINTS, EvalResult, MeasuredPoint, is_agentic
from gatekit.signoff.evidence.upstream import LinkKind, RecipeLink, Upstream, recipe_links
from gatekit.signoff.evidence.workflow_jobs import SweepRun, evals_due, is_green
from gatekit.signoff.scope import Ownership, paths_of
from gatekit.signoff.signers import teams_that_decide, to_sign
from gatekit.use.decision import Decision
from gatekit.use.workflow_runs import Artifact
from handlers.errors import LookupFailed
from handlers.ports.bundle import ReadPorts
from handlers.reads import sources_of
from handlers.signoff.ground import SignOffGround, each_known, known
from handlers.use import UseFacts, decide, said_on

T = TypeVar("T")

SINGLE_READ = 24  # artifacts of one point each


async def with_results(facts: Facts, do: ReadPorts) -> Facts:
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


async def _evals(repo: Repo, artifacts: Sequence[Artifact], due: bool, do: ReadPorts) -> tuple[EvalResult, ...]:
    if not due:
        return ()
    collected = [one for one in artifacts if one.name == EVALS]
    if not collected:
        raise LookupFailed(f"it has no artifact {EVALS}")
    return await do.signoff.evals(repo, _there(collected[-1]))


async def _points(repo: Repo, artifacts: Sequence[Artifact], do: ReadPorts) -> tuple[MeasuredPoint, ...]:
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


RUNS_READ = 5  # runs of the pull request whose jobs are looked at, the newest first
LINKS_READ = 8
MOST_TEAMS = 20  # whose members are asked for


async def gather(at: SignOffGround, sign_off: SignOff, owned: Ownership, do: ReadPorts) -> Facts:
    """Everything that the checks ask for, side by side."""
    pull = at.pull
    told = Facts(
        pr=pull.ref,
        sign_off=sign_off,
        today=do.clock.now().astimezone(UTC).date(),
        files=owned.files,
        rules=owned.rules,
        description=_description(at),
        settings=at.settings,
    )
    facts, template, teams, linked, used = await asyncio.gather(
        _with_trees(told, at, do),
        known(lambda: _template(at, sign_off, do)),
        _teams(pull.ref.repo, owned, sign_off, do),
        _linked(pull.ref.repo, sign_off, do),
        _used(at, do),
    )
    commits, reuse = used
    facts = replace(facts, template=template, teams=teams, linked=linked, commits=commits, reuse=reuse)
    return await with_results(replace(facts, runs=await known(lambda: _runs(at, facts, do))), do)


async def _with_trees(facts: Facts, at: SignOffGround, do: ReadPorts) -> Facts:
    """Trees are read off the event loop: large ones take a second."""
    sources = await known(lambda: sources_of(at.pull, at.parting, at.settings, do))
    if isinstance(sources, Unknown):
        return replace(facts, change=sources, models=sources, curves=sources, thresholds=sources)
    return await asyncio.to_thread(with_trees, facts, sources)


async def _template(at: SignOffGround, sign_off: SignOff, do: ReadPorts) -> Current | None:
    """Also from the place where the page was before the repository had its root folder."""
    layout, revisions = at.settings.layout, list[Revision]()
    places = dict.fromkeys((layout.under(layout.checklist), layout.checklist))
    for path in places:
        revisions += await _revisions(at, path, sign_off, do)
        if current_at(revisions, sign_off.edited) is not None:
            break
    if not revisions:
        raise LookupFailed(f"no revision of {layout.checklist} has a checklist")
    return current_at(revisions, sign_off.edited)


async def _revisions(at: SignOffGround, path: str, sign_off: SignOff, do: ReadPorts) -> list[Revision]:
    found = []
    for page in await do.signoff.revisions(at.pull.ref.repo, at.parting.base, path, sign_off.edited):
        try:
            form = template_form(page.data.decode("utf-8", "replace"), page.path)
        except Refusal:
            continue  # a revision without a form was never anybody's template
        found.append(Revision(page.sha, page.at, form))
    return found


async def _teams(repo: Repo, owned: Ownership, sign_off: SignOff, do: ReadPorts) -> Mapping[str, bool | Unknown]:
    if isinstance(owned.files, Unknown) or isinstance(owned.rules, Unknown):
        return {}
    groups = to_sign(paths_of(owned.files), owned.rules)
    teams = teams_that_decide(groups, sign_off.author, owned.rules)[:MOST_TEAMS]
    return await each_known(teams, lambda owner: do.signoff.member(repo, owner.text, sign_off.author))


async def _used(at: SignOffGround, do: ReadPorts) -> tuple[Commits | Unknown, Decision | Unknown | None]:
    """The commits of the pull request, and what `/use` came to with them."""
    commits = await known(lambda: _commits(at, do))
    if isinstance(commits, Unknown):
        return commits, commits
    return commits, await known(lambda: _reuse(at, commits, do))


async def _commits(at: SignOffGround, do: ReadPorts) -> Commits:
    found = at.parting.commits
    return found if found.complete else await do.pulls.commits(at.pull.ref.repo, at.parting, at.pull.head)


async def _reuse(at: SignOffGround, commits: Commits, do: ReadPorts) -> Decision | None:
    return await decide(UseFacts(at.pull, at.settings, await said_on(at.pull, do), commits), do)


def _description(at: SignOffGround) -> Description | Unknown:
    """GitHub says neither when a description was edited nor when the head was pushed."""
    pull = at.pull
    if pull.created is None:
        return Unknown("GitHub does not say when the pull request was opened")
    return Description(pull.body, pull.created, Unknown("GitHub does not say when the head was pushed"))


async def _runs(at: SignOffGround, facts: Facts, do: ReadPorts) -> tuple[SweepRun, ...]:
    """The newest runs of the sweep workflow on commits of the pull request, with their jobs until one is green."""
    commits, change = facts.commits, facts.change
    if isinstance(commits, Unknown):
        raise LookupFailed(commits.why)
    repo, workflow = at.pull.ref.repo, at.settings.reuse.workflow
    runs = await do.runs.completed(repo, workflow, at.pull.head_ref)
    ours = [run for run in runs if run.head is not None and commits.holds(run.head)]
    due = bool(evals_due(change)) if isinstance(change, Change) else True
    found: list[SweepRun] = []
    unread = Unknown("a newer run is green, or many newer ones were looked at")
    green = False
    for number, run in enumerate(ours):
        wanted = not green and number < RUNS_READ
        lanes = await known(partial(do.signoff.lanes, repo, run.id)) if wanted else unread
        green = green or (isinstance(lanes, tuple) and is_green(lanes, due))
        found.append(SweepRun(run, lanes))
    return tuple(found)


async def _linked(repo: Repo, sign_off: SignOff, do: ReadPorts) -> Mapping[str, Upstream | Unknown]:
    links = recipe_links(sign_off.body.text)[:LINKS_READ]
    found = await asyncio.gather(*(known(partial(_upstream, repo, link, do)) for link in links))
    return {link.url: fact for link, fact in zip(links, found, strict=True)}


async def _upstream(repo: Repo, link: RecipeLink, do: ReadPorts) -> Upstream:
    if link.kind is LinkKind.PAGE:
        return await do.signoff.upstream_page(link.url)
    owner, _, name = link.repo.partition("/")
    pull = await do.signoff.upstream_pull(repo, Repo(owner, name), link.number)
    if pull is None:
        raise LookupFailed(f"there is no pull request {link.number} in {link.repo}")
    return pull
