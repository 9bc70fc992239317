"""A pull request as GitHub has it now, for `gatekit plan`, read through the App. Nothing is written."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from bot.cli.folder import read_curves
from bot.cli.live import identity_of, live_ports, reaching
from bot.cli.plan_sources import PlanInput
from bot.cluster.config import read_clusters
from bot.files import own_curves
from bot.github.auth import AppIdentity
from bot.github.client import GitHubApp
from bot.settings import Settings, read_settings
from gatekit.cluster.policy import Cluster
from gatekit.domain.ids import PrRef
from gatekit.formats.yaml_document import read_yaml
from handlers.ports.bundle import Site
from handlers.reads import settings_of, sources_of


@dataclass(frozen=True, slots=True)
class Operator:
    """What the operator's settings say of a live plan."""

    identity: AppIdentity
    clusters: Mapping[str, Cluster] | None


def read_operator() -> Operator:
    """Raises SettingsError, and BadInput for a clusters file that cannot be used."""
    settings = read_settings()
    return Operator(identity_of(settings), _clusters(settings))


def from_github(pull: PrRef, operator: Operator, goldens: Path | None, node_digest: str) -> PlanInput:
    """`goldens`: a folder of curves instead of those that the bot would take. Raises NotReached and BadInput."""
    with reaching(pull):
        return asyncio.run(_read(pull, operator, goldens, node_digest))


async def _read(ref: PrRef, operator: Operator, goldens: Path | None, node_digest: str) -> PlanInput:
    site = Site(operator.clusters or {}, own_curves(), node_digest, None, read_yaml)
    async with GitHubApp(operator.identity) as app:
        reads = live_ports(app, site)
        pull = await reads.pulls.pull(ref)
        settings = await settings_of(pull, reads)
        parting = await reads.pulls.parting(ref.repo, pull.base_ref, pull.head)
        sources = await sources_of(pull, parting, settings, reads)
    if goldens is not None:
        sources = replace(sources, curves=read_curves(goldens))
    return PlanInput(sources, operator.clusters, ref)


def _clusters(settings: Settings) -> Mapping[str, Cluster] | None:
    """By runner; None where the operator names no file, and none has the usual name."""
    if "clusters_file" not in settings.model_fields_set and not settings.clusters_file.exists():
        return None
    entries = read_clusters(settings.clusters_file)
    return {runner: entry.cluster for entry in entries for runner in entry.cluster.serves}
