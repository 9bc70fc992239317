"""What `gatekit plan` plans, and how two folders become it. Nothing is written, nobody is asked."""

import argparse
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from bot.cli.folder import read_curves, read_folder
from bot.files import own_curves
from gatekit.bench.repo.settings import RepoSettings
from gatekit.bench.repo.settings_file import SETTINGS_PATH, parse_settings
from gatekit.bench.repo.snapshot import Snapshot
from gatekit.cluster.policy import Cluster
from gatekit.domain.ids import PrRef
from gatekit.goldens.curve import Curve
from gatekit.goldens.lookup import load_curves
from gatekit.plan.plan import PlanSources


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
