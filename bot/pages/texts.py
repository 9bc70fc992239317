"""Text that may be shown: without secrets, not longer than a page bears, and able to do nothing but be read."""

import asyncio
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

import jinja2
from aiohttp import web

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


TEMPLATES = web.AppKey("templates", jinja2.Environment)

REPLACED = "\N{REPLACEMENT CHARACTER}"
_HIDDEN = ("Cc", "Cf", "Cs", "Zl", "Zp")  # controls, direction overrides and joiners, halves of pairs, separators
_CODES = (*range(0x3000), *range(0xD800, 0xE000), 0xFEFF, *range(0xE0000, 0xE0080))  # where hidden ones are
_VISIBLE = {code: REPLACED for code in _CODES if unicodedata.category(chr(code)) in _HIDDEN and chr(code) not in "\n\t"}


def templates() -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.PackageLoader("bot.pages"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        finalize=visible,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def visible(value: object) -> object:
    """As text, in which what cannot be seen or turns its direction became a sign that can be seen."""
    return value if hasattr(value, "__html__") else str(value).translate(_VISIBLE)  # markup: its parts came here before


async def page(request: web.Request, template: str, **values: object) -> web.Response:
    """Rendered beside the event loop: a page of hundreds of gates must not hold up a webhook."""
    chosen = request.app[TEMPLATES].get_template(template)
    text = await asyncio.to_thread(chosen.render, **values)
    return web.Response(text=text, content_type="text/html", charset="utf-8")


async def style(request: web.Request) -> web.Response:
    environment = request.app[TEMPLATES]
    assert environment.loader is not None
    text, _, _ = environment.loader.get_source(environment, "style.css")
    return web.Response(text=text, content_type="text/css", charset="utf-8")
