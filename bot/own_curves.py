"""The golden curves that come with the bot."""

from collections.abc import Mapping
from importlib.resources import files

from gatekit.goldens.lookup import Curve, load_curves


def own_curves() -> Mapping[str, Curve]:
    """By name. Raises BadInput where a file is no curve."""
    return load_curves(own_files())


def own_files() -> Mapping[str, bytes]:
    entries = files("goldens").iterdir()
    return {f"goldens/{entry.name}": entry.read_bytes() for entry in entries if entry.is_file()}
