"""The checklist as somebody filled it in, or as the template has it: boxes, the section below them, the signature."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from gatekit.formats.markdown import Block, BlockKind
from gatekit.signoff.checklist.phrase import HALF

_BOX = re.compile(r"\[(?P<mark>[ xX])\](?=\s|$)")
_ODD_BOX = re.compile(r"(?:[-*+]\s*)?\[\s*+[^\s\[\]]?\s*\](?!\()\s*(?=\S)")  # meant as a box, and none to GitHub
_DETAILS = re.compile(r"[#*_\s]*additional\s+detail(?:s)?(?:\s+section)?[\s*_]*:?[\s*_]*", re.IGNORECASE)
_SIGNED = re.compile(r"[*_]*signed[*_]*\s*:[*_\s]*+`?@?(?P<name>[A-Za-z0-9_-]+)`?", re.IGNORECASE)


class Box(StrEnum):
    TICKED = "ticked"
    OPEN = "open"
    MALFORMED = "malformed"  # `[]`, `[x ]`, no blank behind it, no list: GitHub shows no box


@dataclass(frozen=True, slots=True)
class FormItem:
    line: int
    box: Box
    text: str  # Markdown, on one line, without the box
    notes: tuple[str, ...]  # lines below it that have no box
    nested: bool  # under the item before it that is not


@dataclass(frozen=True, slots=True)
class Detail:
    line: int
    text: str  # Markdown


@dataclass(frozen=True, slots=True)
class Form:
    items: tuple[FormItem, ...]
    details: tuple[Detail, ...]  # the lines of the section below, or where it has no heading, behind the last box
    signed: str | None  # as written; the template has a placeholder there


@dataclass(frozen=True, slots=True)
class _Spoken:
    line: int
    text: str
    depth: int  # lists around it
    starts: bool  # it is the first line of an item
    first: bool  # it belongs to the first paragraph of its item
    code: bool


@dataclass(slots=True)
class _Reading:
    items: list[FormItem] = field(default_factory=list)
    depth: int = 0  # of the last item
    outermost: int | None = None  # depth of the items that are not nested
    details: list[Detail] = field(default_factory=list)
    loose: list[Detail] = field(default_factory=list)
    signed: str | None = None
    below: bool = False  # behind the heading of the details

    def take(self, said: _Spoken) -> None:
        if said.code:
            if self.below:
                self._detail(said.line, said.text)
            return
        heading, signed = _DETAILS.match(said.text), _SIGNED.fullmatch(said.text)
        if signed is not None:
            self.signed = signed["name"]
        elif heading is not None and not said.starts:
            self.below = True
            self._detail(said.line, said.text[heading.end() :])
        elif not self._box(said):
            self._line(said)

    def _detail(self, line: int, text: str) -> None:
        if text.strip():
            (self.details if self.below else self.loose).append(Detail(line, text.strip()))

    def _box(self, said: _Spoken) -> bool:
        """Whether the line has a box. Below the heading it is a detail as well."""
        found = _BOX.match(said.text) if said.starts else None
        odd = _ODD_BOX.match(said.text) if said.starts or said.depth == 0 else None
        box = Box.MALFORMED if found is None else Box.OPEN if found["mark"] == " " else Box.TICKED
        match = found or odd
        if match is None:
            return False
        if self.below:
            self._detail(said.line, said.text)
        self.loose.clear()
        nested = self.outermost is not None and said.depth > self.outermost
        self.items.append(FormItem(said.line, box, said.text[match.end() :].strip(), (), nested))
        self.depth = said.depth
        self.outermost = said.depth if self.outermost is None else min(self.outermost, said.depth)
        return True

    def _line(self, said: _Spoken) -> None:
        if self.below or said.depth == 0 or not self.items:
            self._detail(said.line, said.text)
            return
        last = self.items[-1]
        own = said.first and not said.starts and said.depth == self.depth and not last.notes
        self.items[-1] = FormItem(
            last.line,
            last.box,
            f"{last.text} {said.text}" if own else last.text,
            last.notes if own else (*last.notes, said.text),
            last.nested,
        )


def read_form(found: Sequence[Block]) -> Form:
    """The form in a comment, from its opening phrase on; nothing of it that is quoted, in HTML or an example in code.

    Never raises: what is not there is missing.
    """
    spoken = list(_spoken(found, 0))
    starts = [at for at, said in enumerate(spoken) if said.text.lower().startswith(HALF.lower())]
    reading = _Reading()
    for said in spoken[starts[0] + 1 if starts else 0 :]:
        reading.take(said)
    return Form(tuple(reading.items), tuple(reading.details or reading.loose), reading.signed)


def _spoken(found: Sequence[Block], depth: int) -> Iterator[_Spoken]:
    for position, block in enumerate(found):
        if block.kind is BlockKind.ITEM:
            yield from _spoken(block.inner, depth + 1)
        elif block.kind in (BlockKind.PARAGRAPH, BlockKind.HEADING) or (block.kind is BlockKind.CODE and depth == 0):
            for offset, line in enumerate(block.text.split("\n")):
                starts = depth > 0 and position == 0 and offset == 0
                yield _Spoken(
                    block.line + offset, line.strip(), depth, starts, position == 0, block.kind is BlockKind.CODE
                )
