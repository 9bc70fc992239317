"""Where a repository keeps what Gatekit reads."""

from dataclasses import dataclass, replace

from gatekit.bench.repo.snapshot import Snapshot

DEFAULT_ROOT = "inferencex-e2e"
DEFAULT_MODELS = ("docs/MODELS.md", "MODELS.md")
DEFAULT_THRESHOLDS = ("infx/evals/thresholds.yaml", "utils/evals/thresholds.yaml")


@dataclass(frozen=True, slots=True)
class Layout:
    """Paths as the settings write them, under `root`; `at` turns them into paths of one snapshot."""

    root: str = DEFAULT_ROOT
    changelog: str = "perf-changelog.yaml"
    configs: tuple[str, ...] = ("configs/nvidia-master.yaml", "configs/amd-master.yaml")
    runners: str = "configs/runners.yaml"
    recipes: str = "benchmarks/multi_node/srt-slurm-recipes"
    scripts: tuple[tuple[str, str], ...] = ()  # pattern of a config key -> recipe of its shell-script points
    goldens: str | None = None  # None: the bot's own curves
    checklist: str = "docs/PR_REVIEW_CHECKLIST.md"
    models: tuple[str, ...] = DEFAULT_MODELS  # places to look at, in this order
    waivers: str = "docs/waiver"
    thresholds: tuple[str, ...] = DEFAULT_THRESHOLDS
    resolved: bool = False

    def at(self, snapshot: Snapshot) -> "Layout":
        """The same with every path from the repository's root, as this snapshot has it; asking again changes nothing.

        Where the snapshot has no folder `root`, its own root stands in. `models` and `thresholds` become the one place
        that exists, else the first. `root` is then "" or the folder. Recipes in `scripts` stay as written.
        """
        if self.resolved:
            return self
        root = self.root if _is_folder(self.root, snapshot) else ""
        at_root = replace(self, root=root)
        return replace(
            at_root,
            changelog=at_root.under(self.changelog),
            configs=tuple(at_root.under(path) for path in self.configs),
            runners=at_root.under(self.runners),
            recipes=at_root.under(self.recipes),
            goldens=None if self.goldens is None else at_root.under(self.goldens),
            checklist=at_root.under(self.checklist),
            models=_existing([at_root.under(path) for path in self.models], snapshot),
            waivers=at_root.under(self.waivers),
            thresholds=_existing([at_root.under(path) for path in self.thresholds], snapshot),
            resolved=True,
        )

    def under(self, path: str) -> str:
        """A path below `root` as a path from the repository's root."""
        return f"{self.root}/{path}" if self.root else path


def _is_folder(folder: str, snapshot: Snapshot) -> bool:
    return bool(folder) and any(path.startswith(f"{folder}/") for path in snapshot.files)


def _existing(paths: list[str], snapshot: Snapshot) -> tuple[str, ...]:
    return (next((path for path in paths if path in snapshot.files), paths[0]),)
