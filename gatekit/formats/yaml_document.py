"""The one door for YAML and JSON that come from a repository: plain data, or one sentence with the line."""

import json
import re
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import Protocol

import yaml

from gatekit.domain.errors import BadInput
from gatekit.domain.text import shown
from gatekit.formats.yaml_reader import Key, Lines, Repeat, TreeReader, YamlLimits
from gatekit.formats.yaml_scalars import NoScalar, countable, quoted

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

_JSON_PARTS = re.compile(r'"(?:[^"\\]|\\.)*"?|[\[{\]},]', re.DOTALL)


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


def read_json_object(where: str, text: str, limits: YamlLimits = DEFAULT_LIMITS) -> dict[str, object]:
    """The JSON object that a piece of text holds; `where` is for messages. Raises BadInput."""
    _refuse_size(where, text, limits)
    try:
        value = json.loads(
            text, object_pairs_hook=_object, parse_constant=_no_number, parse_float=_number, parse_int=_whole
        )
        _refuse_texts(value)
    except json.JSONDecodeError as error:
        raise BadInput(where, f"holds no valid JSON ({error.msg}, character {error.pos + 1}); correct it") from None
    except NoScalar as error:
        raise BadInput(where, str(error)) from None
    except ValueError:
        raise BadInput(where, "holds a JSON number that cannot be read; write a shorter one") from None
    if not isinstance(value, dict):
        raise BadInput(where, "holds JSON that is no object; write it as {…}")
    return value


def _refuse_size(where: str, text: str, limits: YamlLimits) -> None:
    """Exact counts are for texts that could break a limit at all: most are a line."""
    parts = sum(1 for _ in _JSON_PARTS.finditer(text)) if len(text) > limits.nodes else 0
    if len(text) > limits.bytes or parts > limits.nodes:
        raise BadInput(where, f"holds more than {limits.bytes} bytes or {limits.nodes} values of JSON; make it smaller")
    if text.count("[") + text.count("{") > limits.depth and max(_depths(text)) > limits.depth:
        raise BadInput(where, f"holds JSON that nests deeper than {limits.depth} levels; make it flatter")


def _depths(text: str) -> Iterator[int]:
    depth = 0
    for part in _JSON_PARTS.finditer(text):
        depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(part[0], 0)
        yield depth


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found: dict[str, object] = {}
    for key, value in pairs:
        if key in found:
            raise NoScalar(f"has the JSON key `{shown(key)}` twice in one object; keep one of them")
        found[key] = value
    return found


def _refuse_texts(value: object) -> None:
    match value:
        case str():
            quoted(value)
        case dict():
            for part in (*value.keys(), *value.values()):
                _refuse_texts(part)
        case list():
            for part in value:
                _refuse_texts(part)


def _number(text: str) -> float:
    if not isfinite(number := float(text)):
        return _no_number(text)
    return number


def _whole(text: str) -> int:
    return countable(int(text))


def _no_number(text: str) -> float:
    raise NoScalar(f"holds the JSON number {text[:20]}, which is not finite; write a number")
