"""YAML of strangers to plain data, one event at a time, so that a limit stops the reading before it costs."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import yaml

from gatekit.domain.errors import BadInput
from gatekit.domain.text import shown
from gatekit.formats.yaml_scalars import YAML_TAG, NoScalar, Scalar, Scalars, quoted

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


Lines: TypeAlias = Mapping[int, Mapping[Key, int] | Sequence[int]]  # id of a container -> line of each of its entries

LOADER = yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader
TEXT_TAG = YAML_TAG + "str"
CONTAINER_TAGS = (YAML_TAG + "map", YAML_TAG + "seq")
MERGE_KEY = "<<"


@dataclass(frozen=True, slots=True)
class YamlLimits:
    """What one document may hold. `nodes` counts every key and value, an alias as all that it stands for.

    `repeats`: a mapping may have a setting twice; the last one counts, and the reader notes it.
    """

    bytes: int = 4 * 1024 * 1024
    depth: int = 50
    nodes: int = 200_000
    aliases: int = 1_000
    repeats: bool = False


class TreeReader:
    """Reads one document. `first_line` is the number that the first line of `data` has in its file."""

    def __init__(self, path: str, data: bytes, limits: YamlLimits, first_line: int) -> None:
        self._path = path
        self._limits = limits
        self._first_line = first_line
        self._loader = LOADER(data)
        self._scalars = Scalars(self._loader)
        self._stack: list[OpenList | OpenMapping] = []
        self._anchors: dict[str, Anchored] = {}
        self._nodes = 0
        self._aliases = 0
        self._documents = 0
        self._root: object = None
        self.lines: dict[int, dict[Key, int] | list[int]] = {}
        self.repeats: list[Repeat] = []

    def read(self) -> object:
        """The document as dicts, lists and scalars; aliases share their value. Raises BadInput and yaml.YAMLError."""
        taken_by: Mapping[type, Callable[[Any, int], None]] = {  # looked up, not matched: there are many events
            yaml.ScalarEvent: self._take_scalar,
            yaml.MappingStartEvent: self._open,
            yaml.SequenceStartEvent: self._open,
            yaml.MappingEndEvent: self._close,
            yaml.SequenceEndEvent: self._close,
            yaml.AliasEvent: self._take_alias,
            yaml.DocumentStartEvent: self._start,
        }
        try:
            while (event := self._loader.get_event()) is not None:
                take = taken_by.get(type(event))
                if take is not None and event.start_mark is not None:
                    take(event, self._first_line + event.start_mark.line)
        finally:
            self._loader.dispose()
        return self._root

    def _start(self, event: yaml.DocumentStartEvent, line: int) -> None:
        self._documents += 1
        if self._documents > 1:
            raise self._bad(line, "starts a second document; keep one and take the line `---` out")

    def _take_scalar(self, event: yaml.ScalarEvent, line: int) -> None:
        self._count(1, line)
        tag = event.tag
        if tag is not None and tag != TEXT_TAG:
            raise self._bad(line, f"uses the tag `{shown(tag)}`; write the value without a tag")
        plain = tag is None and event.implicit[0]
        mapping = self._mapping_that_wants_a_key()
        if mapping is not None and plain and event.value == MERGE_KEY:
            if mapping.merged:
                raise self._bad(line, "holds `<<` twice in one mapping; use one `<<` with a list")
            mapping.merging, mapping.key, mapping.key_line = True, MERGE_KEY, line
            return
        try:
            value = self._scalars.plain(event.value) if plain else quoted(event.value)
        except NoScalar as error:
            raise self._bad(line, str(error)) from None
        if event.anchor is not None:
            self._anchors[event.anchor] = Anchored(value, 1, 0)
        if mapping is None:
            self._put(value, line)
        else:
            self._take_key(mapping, value, line)

    def _mapping_that_wants_a_key(self) -> OpenMapping | None:
        top = self._stack[-1] if self._stack else None
        return top if isinstance(top, OpenMapping) and top.key is None else None

    def _take_key(self, mapping: OpenMapping, key: Scalar, line: int) -> None:
        if type(key) is not str and type(key) is not int:
            raise self._bad(line, f"has a key that YAML reads as {key!r}; put the key in quotes")
        if key in mapping.values and not self._limits.repeats:
            raise self._twice(line, key)
        mapping.key, mapping.key_line = key, line

    def _put(self, value: object, line: int) -> None:
        top = self._stack[-1] if self._stack else None
        if top is None:
            self._root = value
        elif isinstance(top, OpenList):
            top.values.append(value)
            top.lines.append(line)
        elif top.merging:
            self._merge(top, value)
        elif top.key is not None:
            if top.key in top.values:
                self._repeat(top.key, top.values[top.key], value, top.key_line)
            top.values[top.key] = value
            top.lines[top.key] = top.key_line
            top.key = None

    def _repeat(self, key: Key, before: object, value: object, line: int) -> None:
        """A setting may be written over; a whole block that vanished behind another would be missed by nobody."""
        alike = before == value and type(before) is type(value)
        if not alike and (isinstance(before, dict) or isinstance(value, dict)):
            raise self._twice(line, key)
        place = (str(len(each.values) if isinstance(each, OpenList) else each.key) for each in self._stack)
        self.repeats.append(Repeat(".".join(place), line, alike))

    def _merge(self, top: OpenMapping, value: object) -> None:
        for source in value if isinstance(value, list) else [value]:
            lines = self.lines.get(id(source))
            if not isinstance(source, dict) or not isinstance(lines, dict):
                raise self._bad(top.key_line, "merges with `<<` what is no mapping; name a mapping there")
            top.merged.append((source, lines))
        top.merging, top.key = False, None

    def _open(self, event: yaml.MappingStartEvent | yaml.SequenceStartEvent, line: int) -> None:
        self._count(1, line)
        if self._mapping_that_wants_a_key() is not None:
            raise self._bad(line, "has a mapping or a list as a key; use plain text")
        if event.tag is not None and event.tag not in CONTAINER_TAGS:
            raise self._bad(line, f"uses the tag `{shown(event.tag)}`; write the value without a tag")
        if len(self._stack) >= self._limits.depth:
            raise self._too_deep(line)
        kind = OpenMapping if isinstance(event, yaml.MappingStartEvent) else OpenList
        self._stack.append(kind(line=line, anchor=event.anchor, nodes_before=self._nodes - 1))

    def _close(self, event: yaml.MappingEndEvent | yaml.SequenceEndEvent, line: int) -> None:
        done = self._stack.pop()
        if isinstance(done, OpenMapping):
            lay_under(done)
        self.lines[id(done.values)] = done.lines
        if done.anchor is not None:
            self._anchors[done.anchor] = Anchored(done.values, self._nodes - done.nodes_before, done.height)
        self._rise(done.height)
        self._put(done.values, done.line)

    def _take_alias(self, event: yaml.AliasEvent, line: int) -> None:
        self._aliases += 1
        if self._aliases > self._limits.aliases:
            raise self._bad(line, f"uses more than {self._limits.aliases} aliases; write some of the values out")
        if any(level.anchor == event.anchor for level in self._stack):
            raise self._bad(line, f"uses the alias `*{event.anchor}` inside its own anchor; take it out")
        target = self._anchors.get(event.anchor or "")
        if target is None:
            raise self._bad(line, f"uses the alias `*{event.anchor}`, which has no anchor before it; add the anchor")
        if self._mapping_that_wants_a_key() is not None:
            raise self._bad(line, "has an alias as a key; write the key out")
        self._count(target.nodes, line)
        if len(self._stack) + target.height > self._limits.depth:
            raise self._too_deep(line)
        self._rise(target.height)
        self._put(target.value, line)

    def _rise(self, height: int) -> None:
        if self._stack:
            self._stack[-1].height = max(self._stack[-1].height, height + 1)

    def _count(self, nodes: int, line: int) -> None:
        self._nodes += nodes
        if self._nodes > self._limits.nodes:
            raise self._bad(line, f"holds more than {self._limits.nodes} values, aliases written out; make it smaller")

    def _twice(self, line: int, key: Key) -> BadInput:
        return self._bad(line, f"has the key `{shown(key)}` twice in one mapping; keep one of them")

    def _too_deep(self, line: int) -> BadInput:
        return self._bad(line, f"nests deeper than {self._limits.depth} levels; make it flatter")

    def _bad(self, line: int, problem: str) -> BadInput:
        return BadInput(f"{self._path}:{line}", problem)
