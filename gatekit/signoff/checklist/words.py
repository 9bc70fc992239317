"""A line of a checklist as its words: what stays the same when somebody shortens it, or writes a link into it."""

import re

_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()]*\)")
_URL = re.compile(r"https?://\S+")
_TAG = re.compile(r"<[A-Za-z/!][^<>]*>")
_LOOSE = re.compile(r" ([.,;:])(?= |$)")  # a sign that a link left behind
_WORD = re.compile(r"n/a|[^\W_]+", re.IGNORECASE)


def plain(text: str) -> str:
    """The text as it is read: links by their words, no addresses, no markup, on one line."""
    without = _URL.sub(" ", _TAG.sub(" ", _LINK.sub(r" \1 ", text)))
    return _LOOSE.sub(r"\1", " ".join(without.replace("*", "").replace("`", "").split()))


def words(text: str) -> frozenset[str]:
    """The different words, in small letters."""
    return frozenset(_WORD.findall(plain(text).lower().replace("'", "").replace("’", "")))


def count(text: str) -> int:
    """How many words there are to read."""
    return len(_WORD.findall(plain(text)))


def likeness(one: frozenset[str], other: frozenset[str]) -> float:
    """Shared words of all words (Jaccard), 0 to 1."""
    return len(one & other) / len(one | other) if one and other else 0.0


def held(part: frozenset[str], whole: frozenset[str]) -> float:
    """The share of the words of `part` that are in `whole`, 0 to 1."""
    return len(part & whole) / len(part) if part else 0.0
