"""What an attempt left behind, as text that may be shown: without secrets, and not longer than a page bears."""

from collections.abc import Iterator
from dataclasses import dataclass

from gatekit.job import Material
from gatekit.redact import MAX_TEXT, redact

ON_A_PAGE = 64 * 1024  # characters of each text, from its end


@dataclass(frozen=True, slots=True)
class Shown:
    name: str
    text: str  # redacted, raw otherwise
    cut: int  # characters before it that are not shown


def texts(material: Material | None) -> tuple[Shown, ...]:
    """What there is, logs first. Slow with long texts: call it beside the event loop."""
    return tuple(
        Shown(name, redact(text[-ON_A_PAGE:]), max(0, len(text) - ON_A_PAGE)) for name, text in _named(material)
    )


def whole_texts(material: Material | None) -> dict[str, str]:
    """By name; redacted, but not shortened except for the samples, of which only the end may be had."""
    return {name: _redacted(text if name != SAMPLES else text[-MAX_TEXT:]) for name, text in _named(material)}


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


def _redacted(text: str) -> str:
    """Piece by piece, each of whole lines, since one call looks at a bounded end only."""
    pieces: list[str] = []
    while len(text) > MAX_TEXT:
        end = text.rfind("\n", 0, MAX_TEXT) + 1 or MAX_TEXT
        pieces.append(redact(text[:end]))
        text = text[end:]
    return "".join((*pieces, redact(text)))
