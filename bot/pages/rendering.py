"""Templates, and what text from outside may do in them: nothing but be read."""

import asyncio
import unicodedata

import jinja2
from aiohttp import web

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
