"""The `layout` section of the repository settings."""

from gatekit.bench.repo.layout import Layout
from gatekit.domain.paths import is_inside
from gatekit.formats.fields import Fields


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
