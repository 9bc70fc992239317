"""Which box of a sign-off stands for which item of the template: lines as words, however shortened or linked."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gatekit.signoff.checklist.form import Box, FormItem

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


ALIKE = 0.6  # and above: the same item
PERHAPS = 0.45  # and above: too much was rewritten to say
SHORTENED = 0.9  # of the words of one are in the other: shortened, or with something written into it
FEWEST = 4  # words that say anything


@dataclass(frozen=True, slots=True)
class Match:
    item: FormItem  # of the template
    found: FormItem | None  # None: missing
    sure: bool  # False: perhaps it is this one


def match_items(template: Sequence[FormItem], filled: Sequence[FormItem]) -> tuple[Match, ...]:
    """One match for each item of the template, in its order."""
    pairs = sorted(_pairs(template, filled), reverse=True)
    chosen: dict[int, tuple[int, bool]] = {}
    for sure in (True, False):
        for pair in pairs:
            taken = {of_filled for of_filled, _ in chosen.values()}
            if pair.sure is sure and pair.of_template not in chosen and pair.of_filled not in taken:
                chosen[pair.of_template] = pair.of_filled, sure
    return tuple(
        Match(item, filled[chosen[at][0]], chosen[at][1]) if at in chosen else Match(item, None, sure=True)
        for at, item in enumerate(template)
    )


@dataclass(frozen=True, slots=True, order=True)
class _Pair:
    score: float
    weight: int  # of two copies that are as alike, the one that is not ticked counts, then the first
    earlier: int
    of_template: int
    of_filled: int
    sure: bool


def _pairs(template: Sequence[FormItem], filled: Sequence[FormItem]) -> Iterator[_Pair]:
    theirs = [words(item.text) for item in filled]
    for at, item in enumerate(template):
        ours = words(item.text)
        for position, other in enumerate(theirs):
            score = likeness(ours, other)
            if min(len(ours), len(other)) < FEWEST and score < 1:
                continue
            sure = score >= ALIKE or max(held(other, ours), held(ours, other)) >= SHORTENED
            if sure or score >= PERHAPS:
                open_box = int(filled[position].box is not Box.TICKED)
                yield _Pair(score, open_box, -position, at, position, sure)
