"""The facts of one verification, gathered at once: what could not be read is a value, not a failure."""

import asyncio
from collections.abc import Callable, Mapping
from datetime import UTC
from functools import partial
from typing import TypeVar

from gatekit.codeowners import OwnerKind
from gatekit.ids import Repo
from gatekit.refusal import Refusal
from gatekit.reusing import Commits
from gatekit.settings import RepoSettings
from gatekit.signoff.change import Change, read_change
from gatekit.signoff.description import Description
from gatekit.signoff.lanes import SweepRun
from gatekit.signoff.models_page import ModelsPage, read_models
from gatekit.signoff.results import Thresholds, read_thresholds
from gatekit.signoff.scope import Ownership
from gatekit.signoff.template import Current, Revision, current_at, template_form
from gatekit.signoff.upstream import Kind, RecipeLink, Upstream, recipe_links
from gatekit.signoff_checks.facts import Facts, SignOff
from gatekit.snapshot import Snapshot
from gatekit.unknown import Unknown
from gatekit.using import Decision
from gatekit.workflow_runs import WorkflowRun
from handlers.errors import LookupFailed
from handlers.ports import Ports, Pull
from handlers.signoff_ground import Ground, each_known, known, sources_at
from handlers.using import Asked, decide, said_on

T = TypeVar("T")

RUNS_READ = 5  # runs of the pull request whose jobs are looked at, the newest first
LINKS_READ = 8


async def gather(at: Ground, sign_off: SignOff, owned: Ownership, do: Ports) -> Facts:
    """Everything that the checks ask for, side by side."""
    change, template, teams = await asyncio.gather(
        known(lambda: _change(at)),
        known(lambda: _template(at, sign_off, do)),
        _teams(at.pull.ref.repo, owned, sign_off, do),
    )
    commits, reuse, described, linked = await asyncio.gather(
        known(lambda: _commits(at, do)),
        known(lambda: _reuse(at, do)),
        known(lambda: _description(at.pull, do)),
        _linked(at.pull.ref.repo, sign_off, do),
    )
    return Facts(
        pr=at.pull.ref,
        sign_off=sign_off,
        today=do.clock.now().astimezone(UTC).date(),
        files=owned.files,
        rules=owned.rules,
        teams=teams,
        template=template,
        change=change,
        models=_of_base(at, _models),
        curves=at.sources if isinstance(at.sources, Unknown) else at.sources.curves,
        commits=commits,
        runs=await known(lambda: _runs(at, commits, do)),
        thresholds=_of_base(at, _thresholds),
        reuse=reuse,
        description=described,
        linked=linked,
        settings=at.settings,
    )


async def _change(at: Ground) -> Change:
    return await asyncio.to_thread(read_change, sources_at(at))


async def _template(at: Ground, sign_off: SignOff, do: Ports) -> Current | None:
    base = sources_at(at).base
    path = at.settings.layout.at(base).checklist
    pages = await do.signoff.revisions(at.pull.ref.repo, at.parting.base, path)
    revisions = []
    for page in pages:
        try:
            form = template_form(page.data.decode("utf-8", "replace"), page.path)
        except Refusal:
            continue  # a revision without a form was never anybody's template
        revisions.append(Revision(page.sha, page.at, form))
    if not revisions:
        raise LookupFailed(f"no revision of {path} has a checklist")
    return current_at(revisions, sign_off.edited)


async def _teams(repo: Repo, owned: Ownership, sign_off: SignOff, do: Ports) -> Mapping[str, bool | Unknown]:
    if isinstance(owned.files, Unknown) or isinstance(owned.rules, Unknown):
        return {}
    teams = tuple(owner for owner in owned.rules.owners if owner.kind is OwnerKind.TEAM)
    return await each_known(teams, lambda owner: do.signoff.member(repo, owner.text, sign_off.author))


async def _commits(at: Ground, do: Ports) -> Commits:
    found = at.parting.commits
    return found if found.complete else await do.pulls.commits(at.pull.ref.repo, at.parting, at.pull.head)


async def _reuse(at: Ground, do: Ports) -> Decision | None:
    commits = await _commits(at, do)
    return await decide(Asked(at.pull, at.settings, await said_on(at.pull, do), commits), do)


async def _description(pull: Pull, do: Ports) -> Description:
    details = await do.signoff.details(pull.ref)
    return Description(details.body, details.created, Unknown("GitHub does not say when the head was pushed"))


async def _runs(at: Ground, commits: Commits | Unknown, do: Ports) -> tuple[SweepRun, ...]:
    """The newest runs of the sweep workflow on commits of the pull request, with their jobs."""
    if isinstance(commits, Unknown):
        raise LookupFailed(commits.why)
    repo = at.pull.ref.repo
    runs = await do.runs.completed(repo, at.settings.reuse.workflow, at.pull.head_ref)
    ours = [run for run in runs if run.head is not None and commits.holds(run.head)][:RUNS_READ]
    return tuple(await asyncio.gather(*(_with_lanes(repo, run, do) for run in ours)))


async def _with_lanes(repo: Repo, run: WorkflowRun, do: Ports) -> SweepRun:
    return SweepRun(run, await known(lambda: do.signoff.lanes(repo, run.id)))


async def _linked(repo: Repo, sign_off: SignOff, do: Ports) -> Mapping[str, Upstream | Unknown]:
    links = recipe_links(sign_off.body)[:LINKS_READ]
    found = await asyncio.gather(*(known(partial(_upstream, repo, link, do)) for link in links))
    return {link.url: fact for link, fact in zip(links, found, strict=True)}


async def _upstream(repo: Repo, link: RecipeLink, do: Ports) -> Upstream:
    if link.kind is Kind.PAGE:
        return await do.signoff.upstream_page(link.url)
    owner, _, name = link.repo.partition("/")
    pull = await do.signoff.upstream_pull(repo, Repo(owner, name), link.number)
    if pull is None:
        raise LookupFailed(f"there is no pull request {link.number} in {link.repo}")
    return pull


def _of_base(at: Ground, read: Callable[[Snapshot, RepoSettings], T]) -> T | Unknown:
    if isinstance(at.sources, Unknown):
        return at.sources
    try:
        return read(at.sources.base, at.settings)
    except Refusal as no:
        return Unknown(str(no))


def _models(base: Snapshot, settings: RepoSettings) -> ModelsPage:
    path, data = _file(base, settings.layout.at(base).models[0])
    return read_models(data.decode("utf-8", "replace"), path)


def _thresholds(base: Snapshot, settings: RepoSettings) -> Thresholds:
    return read_thresholds(*_file(base, settings.layout.at(base).thresholds[0]))


def _file(base: Snapshot, path: str) -> tuple[str, bytes]:
    if path not in base.files:
        raise Refusal(f"the target branch has no {path}")
    return path, base.files[path]
