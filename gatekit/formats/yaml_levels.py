"""The containers of a YAML document that are open while it is read."""

from dataclasses import dataclass, field
from typing import TypeAlias

Key: TypeAlias = str | int


@dataclass(slots=True, kw_only=True)
class OpenList:
    """A list whose end has not come yet."""

    line: int
    anchor: str | None
    nodes_before: int
    height: int = 1  # levels of containers from here down, this one included
    values: list[object] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)


@dataclass(slots=True, kw_only=True)
class OpenMapping:
    """A mapping whose end has not come yet. `key` was read and its value has not come; `merging`: it was `<<`."""

    line: int
    anchor: str | None
    nodes_before: int
    height: int = 1
    values: dict[Key, object] = field(default_factory=dict)
    lines: dict[Key, int] = field(default_factory=dict)
    key: Key | None = None
    key_line: int = 0
    merging: bool = False
    merged: list[tuple[dict[Key, object], dict[Key, int]]] = field(default_factory=list)  # the strongest first


@dataclass(frozen=True, slots=True)
class Anchored:
    """What an anchor stands for: its value, how many keys and values that is, how many levels of containers."""

    value: object
    nodes: int
    height: int


@dataclass(frozen=True, slots=True)
class Repeat:
    """A setting that stood in its mapping before, and counts instead of what stood there."""

    place: str  # dotted
    line: int
    alike: bool  # both had the same value


def lay_under(mapping: OpenMapping) -> None:
    """Put what `<<` named under the mapping's own keys: own keys win, then the one that was named first."""
    if not mapping.merged:
        return
    own, own_lines = dict(mapping.values), dict(mapping.lines)
    mapping.values.clear()
    mapping.lines.clear()
    for values, lines in reversed(mapping.merged):
        mapping.values.update(values)
        mapping.lines.update(lines)
    mapping.values.update(own)
    mapping.lines.update(own_lines)
