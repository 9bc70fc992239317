"""A pull request as GitHub has it now, for `gatekit plan`, read through the App. Nothing is written."""

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from bot.cli.folder import read_curves
from bot.cli.plan_sources import NotReached, PlanInput
from bot.cluster.config import read_clusters
from bot.files import own_curves
from bot.github.auth import AppIdentity
from bot.github.client import GitHubApp
from bot.github.outcome import BadCredentials
from bot.github.pulls import GitHubPulls
from bot.settings import Settings, SettingsError, app_key, read_settings
from gatekit.cluster.policy import Cluster
from gatekit.domain.ids import PrRef
from gatekit.formats.yaml_document import read_yaml
from handlers.errors import LookupFailed, NotAllowed, NotThere
from handlers.ports.bundle import Site
from handlers.ports.github import PullRequests
from handlers.reading import settings_of, sources_of


@dataclass(frozen=True, slots=True)
class Operator:
    """What the operator's settings say of a live plan."""

    identity: AppIdentity
    clusters: Mapping[str, Cluster] | None


@dataclass(frozen=True, slots=True)
class _Reads:
    """Of the ports, those that reading a pull request takes."""

    pulls: PullRequests
    site: Site


def read_operator() -> Operator:
    """Raises SettingsError, and BadInput for a clusters file that cannot be used."""
    settings = read_settings()
    return Operator(identity_of(settings), _clusters(settings))


def identity_of(settings: Settings) -> AppIdentity:
    """Raises SettingsError."""
    app_id, key = app_key(settings)
    try:
        return AppIdentity(app_id, key.get_secret_value(), settings.github_api_url)
    except ValueError as error:
        raise SettingsError(f"GATEKIT_PRIVATE_KEY cannot be used: {error}.") from None


def from_github(pull: PrRef, operator: Operator, goldens: Path | None, node_digest: str) -> PlanInput:
    """`goldens`: a folder of curves instead of those that the bot would take. Raises NotReached and BadInput."""
    with reaching(pull):
        return asyncio.run(_read(pull, operator, goldens, node_digest))


@contextmanager
def reaching(pull: PrRef) -> Iterator[None]:
    """What GitHub does not answer becomes NotReached."""
    try:
        yield
    except (BadCredentials, NotAllowed, NotThere) as error:
        raise NotReached(f"{pull} cannot be read: {error}.", ours=True) from None
    except LookupFailed as error:
        raise NotReached(f"{pull} could not be read: {error}. Try again.", ours=False) from None


async def _read(ref: PrRef, operator: Operator, goldens: Path | None, node_digest: str) -> PlanInput:
    site = Site(operator.clusters or {}, own_curves(), node_digest, None, read_yaml)
    async with GitHubApp(operator.identity) as app:
        reads = _Reads(GitHubPulls(app), site)
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
