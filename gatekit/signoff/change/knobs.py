"""Settings as recipes and scripts write them: environment, arguments, JSON inside a text, all as name and value."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from gatekit.bench.recipes.roles import json_mapping
from gatekit.engines.engine import compact

_OFF = frozenset({"", "0", "false", "off", "no", "none", "null", "unset"})
_ROLES = {"prefill": "prefill", "decode": "decode", "agg": "agg", "aggregated": "agg"}
_WORD = re.compile(
    r"""--(?P<name>[A-Za-z][\w.-]*)(?:(?:=|[ \t]+)(?P<value>"(?:\\.|[^"\\])*"|'[^']*'|[^\s"'\\-][^\s]*))?"""
)
_ASSIGNED = re.compile(
    r"""(?:^|[\s;&|({])(?:export\s+|-e\s+)?(?P<name>[A-Za-z_][A-Za-z0-9_]*)=(?P<value>"(?:\\.|[^"\\])*"|'[^']*'|[^\s;&|)]*)"""
)
_VARIABLE = re.compile(r"\$\{?(?P<name>[A-Za-z_][A-Za-z0-9_]*)(?::[-=][^}]*)?\}?")
MOST_STEPS = 5  # of variables that name variables
LONGEST_VARIABLE, LONGEST_FILLED = 200, 500  # signs; what is longer stays `$NAME`


@dataclass(frozen=True, slots=True)
class Knob:
    """`name`: with underscores, without leading dashes. `value`: as text, without quotes; a bare flag is `true`."""

    name: str
    value: str
    place: str  # dotted in a recipe; "" in a script, or the flag that holds it
    role: str | None  # prefill, decode or agg, where the place says so

    @property
    def enabled(self) -> bool:
        return enables(self.value)

    @property
    def open(self) -> bool:
        """Whether the value is set by something that is not there."""
        return "$" in self.value


def enables(value: str) -> bool:
    return value.strip("'\" \t").casefold() not in _OFF


def plain(name: str) -> str:
    return name.lstrip("-").replace("-", "_")


def recipe_knobs(content: Mapping[str, object]) -> Iterator[Knob]:
    """Every leaf of a merged recipe, JSON and command lines inside of texts too."""
    yield from _mapping(content, "", None)


def _mapping(content: Mapping[str, object], at: str, role: str | None) -> Iterator[Knob]:
    for key, value in content.items():
        name, place = str(key), f"{at}.{key}" if at else str(key)
        within = role or _ROLES.get(name.removesuffix("_environment"))
        yield from _value(name, value, place, within)


def _value(name: str, value: object, place: str, role: str | None) -> Iterator[Knob]:
    inner = json_mapping(value)
    if inner is not None:
        yield Knob(plain(name), compact(inner), place, role)
        yield from _mapping(inner, place, role)
    elif isinstance(value, list):
        yield Knob(plain(name), compact(value), place, role)
        for at, item in enumerate(value):
            if isinstance(item, Mapping):
                yield from _mapping(item, f"{place}[{at}]", role)
        if any(isinstance(item, str) and item.startswith("--") for item in value):
            yield from _flags(" ".join(map(str, value)), place, role)
    else:
        yield Knob(plain(name), _text(value), place, role)
        if isinstance(value, str) and "--" in value:
            yield from _flags(value, place, role)


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "null" if value is None else str(value).strip()


def _flags(text: str, place: str, role: str | None) -> Iterator[Knob]:
    for found in _WORD.finditer(text):
        value = "true" if found["value"] is None else _unquoted(found["value"])
        yield Knob(plain(found["name"]), value, place, role)
        inner = json_mapping(value)
        if inner is not None:
            yield from _mapping(inner, f"{place}.{found['name']}", role)


def script_knobs(lines: Iterator[tuple[int, str]]) -> Iterator[tuple[int, Knob]]:
    """What each line of a script sets, variables of the same script put in; what is not there stays `$NAME`."""
    kept = list(lines)
    known: dict[str, str] = {}
    for _, line in kept:
        for found in _ASSIGNED.finditer(line):
            value = _unquoted(found["value"])
            if len(value) <= LONGEST_VARIABLE:
                known.setdefault(found["name"], value)
    for number, line in kept:
        for found in _ASSIGNED.finditer(line):
            yield number, Knob(found["name"], _filled(_unquoted(found["value"]), known), "", None)
        for knob in _flags(line, "", None):
            yield number, Knob(knob.name, _filled(knob.value, known), knob.place, None)


def _filled(value: str, known: Mapping[str, str]) -> str:
    for _ in range(MOST_STEPS):
        if len(value) > LONGEST_FILLED or "$" not in value:
            break
        filled = _VARIABLE.sub(lambda found: known.get(found["name"], found[0]), value)
        if filled == value:
            break
        value = filled
    return value


def _unquoted(text: str) -> str:
    quoted = len(text) > 1 and text[0] == text[-1] and text[0] in "'\""
    return text[1:-1].replace('\\"', '"') if quoted else text
