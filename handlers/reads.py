"""Reads that several handlers need."""

import asyncio
from collections.abc import Mapping

from gatekit.bench.repo.settings import RepoSettings
from gatekit.bench.repo.settings_file import SETTINGS_PATH, parse_settings
from gatekit.bench.repo.snapshot import Snapshot
from gatekit.goldens.curve import Curve
from gatekit.goldens.lookup import load_curves
from gatekit.plan.plan import PlanSources
from handlers.ports.bundle import ReadPorts
from handlers.ports.github import Parting, Pull


async def settings_of(pull: Pull, do: ReadPorts) -> RepoSettings:
    """The repository's settings from its default branch: never the PR's copy."""
    return parse_settings(await do.pulls.file(pull.ref.repo, pull.default_branch, SETTINGS_PATH))


async def sources_of(pull: Pull, parting: Parting, settings: RepoSettings, do: ReadPorts) -> PlanSources:
    """The trees that a plan is made from: the head, the base that judges it, and the commit where they part."""
    repo = pull.ref.repo
    head, base = await asyncio.gather(do.pulls.snapshot(repo, pull.head), do.pulls.snapshot(repo, parting.base))
    return PlanSources(
        head=head,
        base=base,
        fork_point=base if parting.fork_point == parting.base else await do.pulls.snapshot(repo, parting.fork_point),
        settings=settings,
        curves=_curves(base, settings, do),
        read=do.site.read,
    )


def _curves(base: Snapshot, settings: RepoSettings, do: ReadPorts) -> Mapping[str, Curve]:
    folder = settings.layout.at(base).goldens
    if folder is None:
        return do.site.curves
    return load_curves({path: text for path, text in base.files.items() if path.startswith(f"{folder}/")})
