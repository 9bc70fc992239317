"""Where a repository keeps what Gatekit reads: the `layout` of its settings, and the paths that it stands for."""

from dataclasses import dataclass, replace

from gatekit.bench.repo.snapshot import Snapshot
from gatekit.domain.text import is_inside
from gatekit.formats.fields import Fields

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


def read_layout(layout: Fields | None) -> Layout:
    """What the section says, over the usual places; None: there is no section. Raises BadInput."""
    usual = Layout()
    if layout is None:
        return usual
    layout.refuse_others(
        *("root", "changelog", "configs", "runners", "recipes", "scripts"),
        *("goldens", "checklist", "models", "waivers", "thresholds"),
    )
    return Layout(
        root=_path(layout, "root", usual.root),
        changelog=_path(layout, "changelog", usual.changelog),
        configs=_configs(layout, usual.configs),
        runners=_path(layout, "runners", usual.runners),
        recipes=_path(layout, "recipes", usual.recipes),
        scripts=_scripts(layout.inner("scripts")),
        goldens=_path(layout, "goldens", "") or None,
        checklist=_path(layout, "checklist", usual.checklist),
        models=_places(layout, "models", usual.models),
        waivers=_path(layout, "waivers", usual.waivers),
        thresholds=_places(layout, "thresholds", usual.thresholds),
    )


def _path(layout: Fields, name: str, usual: str) -> str:
    path = layout.optional_text(name)
    if path is None:
        return usual
    if not is_inside(path):
        raise layout.bad(f"needs a path inside the repository for `{name}`, without `..` or a leading `/`", name)
    return path


def _configs(layout: Fields, usual: tuple[str, ...]) -> tuple[str, ...]:
    paths = layout.texts("configs")
    if paths is None:
        return usual
    if not paths or not all(is_inside(path) for path in paths):
        raise layout.bad("needs paths inside the repository for `configs`, at least one", "configs")
    return paths


def _places(layout: Fields, name: str, usual: tuple[str, ...]) -> tuple[str, ...]:
    return (_path(layout, name, ""),) if layout.has(name) else usual


def _scripts(scripts: Fields | None) -> tuple[tuple[str, str], ...]:
    if scripts is None:
        return ()
    return tuple((pattern, scripts.text(pattern)) for pattern in map(str, scripts.names()))
