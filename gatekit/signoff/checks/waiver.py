"""A waiver for an engine patch: a page that says what is patched, why, where it is reported, and when it goes."""

import re

from gatekit.signoff.evidence.links import links

_PARTS = (
    ("what is patched", re.compile(r"\bwhat\b|\bpatch(?:es|ed)?\b|\bchange[sd]?\b", re.I)),
    (
        "why the image cannot run it unpatched",
        re.compile(r"\bwhy\b|\breason\b|\bbecause\b|\bcannot\b|\bmotivation\b", re.I),
    ),
    ("when it is removed", re.compile(r"\bremov(?:al|ed?|e)\b|\bdrop(?:ped)?\b|\bexpir\w*|\buntil\b", re.I)),
)
_UPSTREAM = re.compile(r"https://github\.com/[\w.-]+/[\w.-]+/(?:pull|issues)/\d+")
_PLACEHOLDER = re.compile(r"\bTODO\b|\bTBD\b|\bXXX+\b|<(?=[^<>\n]*>)[^<>\n]*(?:fill|your|here|number)|FILL_IN\w*", re.I)


def lacking(page: str) -> tuple[str, ...]:
    """What the page does not say; whether what it says is good is for a person."""
    missing = [what for what, words in _PARTS if not words.search(page)]
    if not any(_UPSTREAM.match(link.url) for link in links(page)):
        missing.append("a link to an upstream pull request or issue")
    if _PLACEHOLDER.search(page):
        missing.append("something in place of a placeholder")
    return tuple(missing)
