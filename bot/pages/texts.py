"""What an attempt left behind, as text that may be shown: without secrets, and not longer than a page bears."""

from collections.abc import Iterator
from dataclasses import dataclass

from gatekit.domain.job import Material
from gatekit.formats.redact import MAX_TEXT, redact

ON_A_PAGE = 64 * 1024  # characters of each text, from its end


@dataclass(frozen=True, slots=True)
class Shown:
    name: str
    text: str  # redacted, raw otherwise
    cut: int  # characters before it that are not shown


def texts(material: Material | None) -> tuple[Shown, ...]:
    """What there is, logs first. Slow with long texts: call it beside the event loop."""
    return tuple(Shown(name, _end(text), max(0, len(text) - ON_A_PAGE)) for name, text in _named(material))


def whole_texts(material: Material | None) -> dict[str, str]:
    """By name; redacted, but not shortened except for the samples, of which only the end may be had."""
    return {
        name: redact(_from_a_line(text, MAX_TEXT)) if name == SAMPLES else _whole(text)
        for name, text in _named(material)
    }


SAMPLES = "slices.jsonl"


def _named(material: Material | None) -> Iterator[tuple[str, str]]:
    if material is None:
        return
    named = {
        "job.log": material.job_log,
        "engine.log": material.engine_log,
        "result.json": material.result,
        **{f"before: {worker}": text for worker, text in material.before.items()},
        **{f"after: {worker}": text for worker, text in material.after.items()},
        SAMPLES: material.slices,
    }
    yield from ((name, text) for name, text in named.items() if text)


def _end(text: str) -> str:
    """Redacted first and cut then: half a secret could not be told from a word."""
    return redact(_from_a_line(text, 2 * ON_A_PAGE))[-ON_A_PAGE:]


def _from_a_line(text: str, length: int) -> str:
    """The end of a text, at most this long, from the beginning of a line."""
    return text if len(text) <= length else text[-length:].partition("\n")[2]


def _whole(text: str) -> str:
    """Redacted in pieces of whole lines, since one call looks at a bounded end only."""
    pieces: list[list[str]] = [[]]
    size = 0
    for line in text.split("\n"):
        size += len(line) + 1
        if size > MAX_TEXT:
            pieces.append([])
            size = len(line) + 1
        pieces[-1].append(line if len(line) < MAX_TEXT else "(a line too long to be shown)")
    return "\n".join(redact("\n".join(piece)) for piece in pieces if piece)
