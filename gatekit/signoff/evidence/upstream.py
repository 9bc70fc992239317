"""Links to production recipes in a comment: which of them count, and what there is to know of each."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from gatekit.engines.registry import ENGINES

_URL = re.compile(r"https?://[^\s<>\"'`\\^{|}]+")
_COMMENT = re.compile(r"<!--.*?(?:-->|$)", re.DOTALL)
_AFTER = ".,;:!?*_~"


@dataclass(frozen=True, slots=True)
class Link:
    url: str
    line: int


def links(body: str) -> tuple[Link, ...]:
    """In order, each address once; nothing that an HTML comment hides. Brackets that close a Markdown link are cut."""
    shown = _COMMENT.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), body)
    found: dict[str, Link] = {}
    for number, line in enumerate(shown.replace("\r\n", "\n").split("\n"), 1):
        for url in _urls(line):
            found.setdefault(url, Link(url, number))
    return tuple(found.values())


def _urls(line: str) -> Iterator[str]:
    for found in _URL.finditer(line):
        url = found[0]
        for opens, closes in ("()", "[]"):
            url = _closed(url, opens, closes)
        yield url.rstrip(_AFTER)


def _closed(url: str, opens: str, closes: str) -> str:
    """The longest beginning that closes no more than it opens."""
    end, more = len(url), url.count(closes) - url.count(opens)
    while more > 0:
        at = url.rindex(closes, 0, end)
        more += url.count(opens, at, end) - 1
        end = at
    return url[:end]


_PULL = re.compile(r"https://github\.com/(?P<repo>[\w.-]+/[\w.-]+)/pull/(?P<number>[1-9]\d{0,9})(?=[/?#]|$)", re.ASCII)

_DEFAULT = re.compile(r"/(?:tree|blob)/(?:main|master)(?:/|$)")  # the template itself links to folders

_OPEN = tuple(ENGINES.open.values())
RECIPES = frozenset(repo for engine in _OPEN for repo in engine.repositories)
ARCHIVED = frozenset(repo for engine in _OPEN for repo in engine.archived)  # need a published page as well
HOSTS = tuple(engine.host for engine in _OPEN)  # beside GitHub's API, the only ones that are ever asked
_PAGE = re.compile(rf"https://(?:{'|'.join(f'{re.escape(engine.host)}/{engine.page}' for engine in _OPEN)})", re.ASCII)
_CLOSE = re.compile(rf"https://github\.com/(?:{'|'.join(map(re.escape, sorted(RECIPES | ARCHIVED)))})/\S+")


class LinkKind(StrEnum):
    PULL = "pull request"
    ARCHIVED = "pull request of an archive"
    PAGE = "page"


@dataclass(frozen=True, slots=True)
class RecipeLink:
    kind: LinkKind
    url: str  # without what follows the number, or the path
    line: int  # of the sign-off
    repo: str = ""  # of a pull request
    number: int = 0


@dataclass(frozen=True, slots=True)
class UpstreamPull:
    merged: bool
    state: str  # GitHub's word: open or closed
    files: tuple[str, ...]  # paths that it changes
    text: str  # what it adds, as far as GitHub gives it


@dataclass(frozen=True, slots=True)
class UpstreamPage:
    status: int  # of the answer, without following it anywhere
    text: str


Upstream: TypeAlias = UpstreamPull | UpstreamPage


def recipe_links(body: str) -> tuple[RecipeLink, ...]:
    """The links of a sign-off that may lead to a recipe, each once; those of the template itself lead to none."""
    found: dict[str, RecipeLink] = {}
    for link in _read(body):
        found.setdefault(link.url, link)
    return tuple(found.values())


def strays(body: str) -> tuple[str, ...]:
    """Links into the repositories of recipes that are no pull request: a branch, a commit, a file of either."""
    found = (link.url for link in links(body))
    return tuple(url for url in found if _CLOSE.match(url) and not _PULL.match(url) and not _DEFAULT.search(url))


def _read(body: str) -> Iterator[RecipeLink]:
    for link in links(body):
        pull, page = _PULL.match(link.url), _PAGE.match(link.url)
        if pull is not None and pull["repo"].lower() in RECIPES | ARCHIVED:
            repo = pull["repo"].lower()
            kind = LinkKind.ARCHIVED if repo in ARCHIVED else LinkKind.PULL
            yield RecipeLink(kind, pull[0], link.line, repo, int(pull["number"]))
        elif page is not None:
            yield RecipeLink(LinkKind.PAGE, page[0], link.line)
