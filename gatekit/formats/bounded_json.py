"""JSON of strangers: measured before it is built."""

import json
import re
from dataclasses import dataclass

from gatekit.domain.errors import BadInput

_SIGNS = re.compile(rb'"(?:[^"\\]|\\.)*+"?|[\[\]{},]', re.DOTALL)  # a string without an end goes to the end: linear


@dataclass(frozen=True, slots=True)
class JsonLimits:
    size: int = 16 * 1024 * 1024  # bytes
    depth: int = 32
    values: int = 500_000  # each takes about a hundred bytes once it is built


def bounded_json(text: bytes, where: str, limits: JsonLimits) -> object:
    """The value of a JSON text. Raises BadInput where it is none, or is larger, deeper or longer than it may be."""
    if len(text) > limits.size:
        raise BadInput(where, f"is larger than the {limits.size // 2**20} MiB of JSON that are read")
    _measure(text, where, limits)
    try:
        value: object = json.loads(text.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        raise BadInput(where, "is no JSON") from None
    return value


def _measure(text: bytes, where: str, limits: JsonLimits) -> None:
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
