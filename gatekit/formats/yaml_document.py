"""The one door for YAML that comes from a repository: plain data, or one sentence with the line."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import yaml

from gatekit.domain.errors import BadInput
from gatekit.formats.yaml_reader import Key, Lines, Repeat, TreeReader, YamlLimits

_QUOTED = "while scanning a quoted scalar"
_OPENED = frozenset(
    {_QUOTED, "while parsing a flow mapping", "while parsing a flow sequence", "while scanning a simple key"}
)


def refuse_bytes(path: str, data: bytes, first_line: int) -> None:
    """Raises BadInput for what is no UTF-8, or holds NUL."""
    try:
        data.decode()
    except UnicodeDecodeError as error:
        raise BadInput(_at(path, data, error.start, first_line), "is no UTF-8; save the file as UTF-8") from None
    if (position := data.find(0)) >= 0:
        raise BadInput(_at(path, data, position, first_line), "holds the character NUL; take it out")


def _at(path: str, data: bytes, position: int, first_line: int) -> str:
    line = data.count(b"\n", 0, position) + first_line
    return f"{path}:{line}"


def unreadable(path: str, data: bytes, error: yaml.YAMLError, first_line: int) -> BadInput:
    """The refusal for what the YAML library says of `data`."""
    if isinstance(error, yaml.reader.ReaderError):
        return BadInput(_at(path, data, error.position, first_line), "holds a control character; take it out")
    if not isinstance(error, yaml.MarkedYAMLError) or error.problem_mark is None:
        return BadInput(path, "is no YAML that can be read; correct it")
    number = error.problem_mark.line
    where = f"{path}:{number + first_line}"
    text = (data.split(b"\n") + [b""] * number)[number]
    if b"\t" in text[: len(text) - len(text.lstrip())]:
        return BadInput(where, "is indented with a tab; use spaces")
    begun = _begun(error, number)
    if begun is not None and error.context == _QUOTED:
        return BadInput(f"{path}:{begun + first_line}", "opens a quote that is not closed as it should be; close it")
    since = "" if begun is None else f", in what begins in line {begun + first_line}"
    return BadInput(where, f"is no valid YAML: {error.problem}{since}; correct this line or the one before")


def _begun(error: yaml.MarkedYAMLError, number: int) -> int | None:
    """The line in which that began which went wrong in line `number`, where both are far apart and it helps to know."""
    if error.context not in _OPENED or error.context_mark is None or number - error.context_mark.line < 2:
        return None
    return int(error.context_mark.line)


DEFAULT_LIMITS = YamlLimits()


@dataclass(frozen=True, slots=True)
class Document:
    """A YAML file as dicts, lists, text, numbers, booleans and None.

    Aliases share one value: read it, never change it. Who remembers the document remembers what was made of it.
    """

    path: str
    data: object
    lines: Lines = field(repr=False, compare=False)
    repeats: tuple[Repeat, ...] = ()
    made: dict[Hashable, object] = field(default_factory=dict, repr=False, compare=False)  # what others make of it

    def where(self, *place: Key) -> str:
        """`path:line` of the deepest part of `place` (keys and list positions) that the file has; else the path."""
        line: int | None = None
        value = self.data
        for step in place:
            known = self.lines.get(id(value))
            if isinstance(value, dict) and isinstance(known, dict) and step in value:
                line, value = known[step], value[step]
            elif isinstance(value, list) and isinstance(known, list) and step in range(len(value)):
                line, value = known[int(step)], value[int(step)]
            else:
                break
        return self.path if line is None else f"{self.path}:{line}"

    def gap(self, place: tuple[Key, ...], name: str, order: Sequence[str]) -> str:
        """`path:line` where the mapping at `place` lacks the key `name`, if its keys stand in the usual order.

        That is the line of the key that follows, or of the one before; without either, that of the mapping.
        """
        mapping = self._at(place)
        at = order.index(name) if name in order else 0
        for neighbour in (*order[at + 1 :], *reversed(order[:at])):
            if neighbour in mapping:
                return self.where(*place, neighbour)
        return self.where(*place)

    def _at(self, place: tuple[Key, ...]) -> Mapping[Key, object]:
        value = self.data
        for step in place:
            if isinstance(value, dict):
                value = value.get(step)
            else:
                value = value[int(step)] if isinstance(value, list) else None
        return value if isinstance(value, dict) else {}


class ReadYaml(Protocol):
    """`read_yaml`, or who remembers what it gave."""

    def __call__(self, path: str, data: bytes, limits: YamlLimits = ...) -> Document: ...


def read_yaml(path: str, data: bytes, limits: YamlLimits = DEFAULT_LIMITS, first_line: int = 1) -> Document:
    """One YAML document. `path` is for messages; `first_line` numbers the first line of `data` in its file.

    Keys are text or whole numbers, numbers are finite, a mapping has a key once (if `limits` say no other); `<<` and
    aliases work; dates stay text.
    Raises BadInput for anything else, for more than `limits`, and for what is no UTF-8.
    """
    if len(data) > limits.bytes:
        raise BadInput(path, f"has {len(data)} bytes, more than the {limits.bytes} that are read; make it smaller")
    refuse_bytes(path, data, first_line)
    reader = TreeReader(path, data, limits, first_line)
    try:
        value = reader.read()
    except yaml.YAMLError as error:
        raise unreadable(path, data, error, first_line) from None
    return Document(path, value, reader.lines, tuple(reader.repeats))
