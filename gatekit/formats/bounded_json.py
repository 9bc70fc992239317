"""JSON of strangers: measured before it is built."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite

from gatekit.domain.errors import BadInput
from gatekit.domain.text import shown
from gatekit.formats.yaml_scalars import NoScalar, countable, quoted

_SIGNS = re.compile(rb'"(?:[^"\\]|\\.)*+"?|[\[\]{},]', re.DOTALL)  # a string without an end goes to the end: linear


@dataclass(frozen=True, slots=True)
class JsonLimits:
    size: int = 16 * 1024 * 1024  # bytes
    depth: int = 32
    values: int = 500_000  # each takes about a hundred bytes once it is built


JSON = JsonLimits()


def bounded_json(text: bytes, where: str, limits: JsonLimits = JSON) -> object:
    """The value of a JSON text that a program wrote: NaN is a number, and of a key that is there twice the last counts.

    Raises BadInput where it is none, or is larger, deeper or longer than it may be.
    """
    return _read(text, where, limits, json.loads)


def bounded_object(text: str, where: str, limits: JsonLimits = JSON) -> dict[str, object]:
    """The JSON object that a person wrote into a setting: keys are there once, numbers are finite, as in YAML.

    Raises BadInput, as `bounded_json` does.
    """
    value = _read(text.encode(errors="surrogatepass"), where, limits, _strictly)
    if not isinstance(value, dict):
        raise BadInput(where, "holds JSON that is no object; write it as {…}")
    return value


def _read(text: bytes, where: str, limits: JsonLimits, load: Callable[[str], object]) -> object:
    if len(text) > limits.size:
        raise BadInput(where, f"is larger than the {limits.size // 2**20} MiB of JSON that are read")
    _measure(text, where, limits)
    try:
        return load(text.decode("utf-8-sig"))
    except NoScalar as error:
        raise BadInput(where, str(error)) from None
    except (ValueError, RecursionError):
        raise BadInput(where, "is no JSON") from None


def _measure(text: bytes, where: str, limits: JsonLimits) -> None:
    if len(text) <= limits.values and text.count(b"[") + text.count(b"{") <= limits.depth:
        return  # most texts are a line
    depth = values = 0
    for sign in _SIGNS.finditer(text):
        match sign[0]:
            case b"[" | b"{":
                depth, values = depth + 1, values + 1
                if depth > limits.depth:
                    raise BadInput(where, f"is nested deeper than {limits.depth} levels")
            case b"]" | b"}":
                depth -= 1
            case b",":
                values += 1
        if values > limits.values:
            raise BadInput(where, f"has more than {limits.values:,} values")


def _strictly(text: str) -> object:
    value: object = json.loads(
        text, object_pairs_hook=_once, parse_constant=_no_number, parse_float=_number, parse_int=_whole
    )
    _refuse_texts(value)
    return value


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
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
    try:
        return countable(int(text))
    except ValueError:
        raise NoScalar("holds a JSON number that cannot be read; write a shorter one") from None


def _no_number(text: str) -> float:
    raise NoScalar(f"holds the JSON number {text[:20]}, which is not finite; write a number")
