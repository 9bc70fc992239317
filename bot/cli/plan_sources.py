"""What `gatekit plan` plans: two folders, or a pull request as GitHub has it now. Nothing is written."""

import argparse
import asyncio
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from bot.cli.folder import read_curves, read_folder
from bot.cluster.config import read_clusters
from bot.files import own_curves
from bot.github.auth import AppIdentity
from bot.github.client import GitHubApp
from bot.github.outcome import BadCredentials
from bot.github.pulls import GitHubPulls
from bot.settings import Settings, SettingsError, app_key, read_settings
from gatekit.bench.repo.settings import RepoSettings
from gatekit.bench.repo.settings_file import SETTINGS_PATH, parse_settings
from gatekit.bench.repo.snapshot import Snapshot
from gatekit.cluster.policy import Cluster
from gatekit.domain.ids import PrRef
from gatekit.formats.yaml_document import read_yaml
from gatekit.goldens.curve import Curve
from gatekit.goldens.lookup import load_curves
from gatekit.plan.plan import PlanSources
from handlers.errors import LookupFailed, NotAllowed, NotThere
from handlers.ports.bundle import Site
from handlers.ports.github import PullRequests
from handlers.reading import settings_of, sources_of


@dataclass(frozen=True, slots=True)
class PlanInput:
    """What a plan is made from. `clusters` None: it is not asked what clusters can and may run."""

    sources: PlanSources
    clusters: Mapping[str, Cluster] | None
    pull: PrRef | None  # None: folders


def from_folders(args: argparse.Namespace) -> PlanInput:
    """Raises BadInput."""
    head = read_folder(args.tree)
    base = head if args.base_tree is None else read_folder(args.base_tree)
    settings = parse_settings(base.files.get(SETTINGS_PATH))
    return PlanInput(PlanSources(head, base, None, settings, _curves(args.goldens, base, settings)), None, None)


def _curves(folder: Path | None, base: Snapshot, settings: RepoSettings) -> Mapping[str, Curve]:
    if folder is not None:
        return read_curves(folder)
    place = settings.layout.at(base).goldens
    if place is None:
        return own_curves()
    return load_curves({path: data for path, data in base.files.items() if path.startswith(f"{place}/")})


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


class NotReached(Exception):
    """GitHub gave no answer. `str(error)` says what to do; `ours`: what we were told to use or to read is wrong."""

    def __init__(self, text: str, ours: bool) -> None:
        super().__init__(text)
        self.ours = ours


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
