"""Each item of the template as the sign-off has it: ticked, open, missing, explained, not applicable."""

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from enum import StrEnum

from gatekit.signoff.checklist.form import Box, Detail, Form, FormItem
from gatekit.signoff.checklist.matching import ALIKE, Match, count, likeness, match_items, plain, words
from gatekit.signoff.checklist.phrase import HALF
from gatekit.signoff.checklist.topics import Topic, labelled, topic_of

FEWEST_WORDS = 3  # that explain something
FEWEST_REASON_WORDS = 2

_NOT_APPLICABLE = re.compile(
    r"\bn/a\b|(?-i:\bNA\b)|\bnot applicable\b|\bdo(?:es)? ?n['’o]?t apply\b|\bnot (?:an? )?agentic\b", re.IGNORECASE
)
_ITS_OWN_REASON = re.compile(r"\bnot (?:an? )?agentic\b", re.IGNORECASE)
_ENDS = re.compile(r"[.;:(]\s?")  # of a sentence, or what is put in before the template's words
_AROUND = " -–—:;,.()"
_LABEL = re.compile(r"^[^:()\[\]]{1,60}:\s*(?=<?https?://|\[)")  # `recipe: https://…` explains nothing
_NUMBERS = re.compile(r"\b(?:item|box)(?:es|s)? *(\d+[a-z]?(?:(?: *[,&/+] *| and )\d+[a-z]?)*)", re.IGNORECASE)
_NUMBER = re.compile(r"\d+[a-z]?")


class ItemState(StrEnum):
    TICKED = "ticked"
    OPEN = "open"
    MISSING = "missing"
    MALFORMED = "malformed"
    EXPLAINED = "explained"  # not ticked, and the details say why
    NOT_APPLICABLE = "n/a"


_UNTICKED = frozenset({ItemState.OPEN, ItemState.MALFORMED, ItemState.EXPLAINED})


@dataclass(frozen=True, slots=True)
class Item:
    label: str  # `12`, or `12a` for the first nested under it
    text: str  # the template's, without markup
    topic: Topic | None
    state: ItemState
    sure: bool  # False: so much of it was rewritten that it may be another item
    said: str | None = None  # of EXPLAINED and NOT_APPLICABLE: why; else what there is to notice
    line: int | None = None  # of the comment


@dataclass(frozen=True, slots=True)
class Doubts:
    """What the form alone does not tell."""

    moot: Set[Topic] = frozenset()  # items that nothing in the pull request falls under
    not_theirs: Set[frozenset[str]] = field(
        default_factory=frozenset
    )  # boxes not ticked by the author's own word, by their words


def item_states(template: Form, filled: Form, doubts: Doubts | None = None) -> tuple[Item, ...]:
    """One for each item of the template, in its order."""
    matches = match_items(template.items, filled.items)
    labels = _labels(template.items)
    topics = dict(zip(labels, (topic_of(item.text) for item in template.items), strict=True))
    whys = _whys(explanations(template, filled), topics)
    found: list[Item] = []
    above: Item | None = None  # the item that nested ones stand under
    for label, match in zip(labels, matches, strict=True):
        item = _item(label, match, whys.get(label), doubts or Doubts())
        if not match.item.nested:
            above = item
        elif above is not None and above.state is ItemState.NOT_APPLICABLE and item.state in _UNTICKED:
            item = replace(item, state=ItemState.NOT_APPLICABLE, said=above.said)
        found.append(item)
    return tuple(found)


def explanations(template: Form, filled: Form) -> tuple[Detail, ...]:
    """The lines of the details that explain something: not the template's own, no bare links, at least three words."""
    texts = [*(line.text for line in template.details), *(item.text for item in template.items)]
    ours = [words(text) for text in texts]

    def explains(text: str) -> bool:
        theirs = words(text)
        if text.startswith(HALF) or any(likeness(theirs, own) >= ALIKE for own in ours):
            return False
        return count(_LABEL.sub("", text.strip("-*+ "))) >= FEWEST_WORDS

    return tuple(line for line in filled.details if explains(line.text))


def _labels(items: Sequence[FormItem]) -> tuple[str, ...]:
    found: list[str] = []
    number = nested = 0
    for item in items:
        if item.nested and number:
            nested += 1
            found.append(f"{number}{chr(ord('a') + (nested - 1) % 26)}")
        else:
            number, nested = number + 1, 0
            found.append(str(number))
    return tuple(found)


def _whys(lines: Sequence[Detail], topics: Mapping[str, Topic | None]) -> Mapping[str, str]:
    """The first line that explains each item, by its label. One that says what it is about is about no others."""
    found: dict[str, str] = {}
    for line in lines:
        text = plain(line.text)
        named = {label for numbers in _NUMBERS.findall(text) for label in _NUMBER.findall(numbers.lower())}
        spoken = labelled(text)
        about = named.intersection(topics) or {label for label, topic in topics.items() if topic in spoken}
        for label in about or (() if spoken else topics):
            found.setdefault(label, text)
    return found


def _item(label: str, match: Match, why: str | None, doubts: Doubts) -> Item:
    topic = topic_of(match.item.text)
    text = plain(match.item.text)
    if match.found is None:
        return Item(label, text, topic, ItemState.MISSING, sure=True)
    state, said = _state(match, topic, why, doubts)
    return Item(label, text, topic, state, match.sure, said, match.found.line)


def _state(match: Match, topic: Topic | None, why: str | None, doubts: Doubts) -> tuple[ItemState, str | None]:
    found = match.found
    assert found is not None
    excused, reason = _not_applicable(match.item, found)
    bare = "it says not applicable, and gives no reason" if excused and reason is None else None
    if found.box is Box.TICKED:
        if words(found.text) in doubts.not_theirs:
            return ItemState.OPEN, "somebody else's edit ticked it"
        return (ItemState.TICKED, bare) if reason is None else (ItemState.NOT_APPLICABLE, reason)
    if reason is not None:
        return ItemState.NOT_APPLICABLE, reason
    if topic in doubts.moot:
        return ItemState.NOT_APPLICABLE, "nothing in this pull request falls under it"
    if topic is Topic.REASONS:
        return ItemState.NOT_APPLICABLE, "it needs a tick only where something is explained"
    if why is not None:
        return ItemState.EXPLAINED, why
    return (ItemState.MALFORMED if found.box is Box.MALFORMED else ItemState.OPEN), bare


def _not_applicable(item: FormItem, found: FormItem) -> tuple[bool, str | None]:
    """Whether the box says that it does not apply, and why."""
    text, ours = plain(" ".join((found.text, *found.notes))), words(item.text)
    marks = list(_NOT_APPLICABLE.finditer(text))
    if len(marks) <= len(_NOT_APPLICABLE.findall(plain(item.text))):
        return False, None
    for part in _parts(text, marks[-1]):
        if len(words(part) - ours) >= FEWEST_REASON_WORDS:
            return True, part.strip(_AROUND)
    return True, None


def _parts(text: str, mark: re.Match[str]) -> Iterator[str]:
    """Where the reason may stand: in the words themselves, behind them, in front of them."""
    before, after = _ENDS.split(text[: mark.start()].rstrip(_AROUND))[-1], text[mark.end() :]
    if _ITS_OWN_REASON.fullmatch(mark[0]) is not None:
        yield " ".join((*before.split(), mark[0], *_ENDS.split(after)[0].split()))
    yield after
    yield before
