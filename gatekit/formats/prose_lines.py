"""What one line of Markdown begins: the markers at its left edge."""

import re
from dataclasses import dataclass

TAB = 4  # columns
WIDEST_GAP = 4  # columns between a list's marker and its text; more is code inside the item

_FENCE = re.compile(r" {0,3}(?P<run>`{3,}(?=[^`]*$)|~{3,})")
_HEADING = re.compile(r" {0,3}#{1,6}(?:[ \t]|$)")
_BREAK = re.compile(r" {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$")
_ITEM = re.compile(r"(?P<indent> {0,3})(?P<marker>[-+*]|[0-9]{1,9}[.)])(?P<gap>[ \t]+|$)")
_FIRST_ITEM = re.compile(r" {0,3}(?:[-+*]|1[.)])[ \t]+\S")  # only such a one ends a paragraph
_TAG = re.compile(r" {0,3}(?:<[A-Za-z][^<>]*>|</[A-Za-z][^<>]*>)[ \t]*$")  # one whole tag alone
_TAG_NAME = re.compile(r" {0,3}</?(?P<name>[A-Za-z][A-Za-z0-9-]*)(?=[\s/>]|$)")

# How an HTML block begins, and what ends it (GFM 4.6, kinds 1 to 5).
_HTML = (
    ("<!--", "-->"),
    ("<?", "?>"),
    ("<![cdata[", "]]>"),
    ("<!", ">"),
)
_RAW = frozenset({"pre", "script", "style", "textarea"})
_BLOCK_TAG = re.compile(
    "address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|"
    "fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|"
    "menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|"
    "track|ul"
)


@dataclass(frozen=True, slots=True)
class Fence:
    run: str  # of backticks or tildes

    def closed_by(self, line: str) -> bool:
        found = _FENCE.match(line)
        return found is not None and found["run"].startswith(self.run) and not line[found.end() :].strip()


@dataclass(frozen=True, slots=True)
class Item:
    marker: str
    offset: int  # columns that a line of the item is indented by
    text: str  # of its first line


def columns(line: str) -> int:
    """How far a line is indented."""
    width = 0
    for sign in line:
        if sign == "\t":
            width += TAB - width % TAB
        elif sign == " ":
            width += 1
        else:
            break
    return width


def dedented(line: str, width: int) -> str:
    """Without up to `width` columns of indent."""
    indent = columns(line)
    return " " * max(indent - width, 0) + line.lstrip(" \t")


def fence_of(line: str) -> Fence | None:
    found = _FENCE.match(line)
    return None if found is None else Fence(found["run"])


def is_heading(line: str) -> bool:
    return _HEADING.match(line) is not None


def is_break(line: str) -> bool:
    return _BREAK.match(line) is not None


def item_of(line: str) -> Item | None:
    found = _ITEM.match(line)
    if found is None or is_break(line):
        return None
    start = len(found["indent"]) + len(found["marker"])
    gap = columns(" " * start + line[found.end("marker") :]) - start
    wide = gap > WIDEST_GAP or not line[found.end() :].strip()
    offset = start + (1 if wide else gap)
    return Item(found["marker"], offset, dedented(" " * start + line[found.end("marker") :], offset))


def html_end(line: str) -> str | None:
    """What ends the HTML block that this line begins, in small letters: "" for an empty line. None: it begins none."""
    return _html_end(line, also_other_tags=True)


def interrupts(line: str) -> bool:
    """Whether the line ends the paragraph before it and begins something else."""
    if columns(line) > WIDEST_GAP - 1:
        return False
    return (
        is_heading(line)
        or is_break(line)
        or fence_of(line) is not None
        or line.lstrip().startswith(">")
        or _FIRST_ITEM.match(line) is not None
        or _html_end(line, also_other_tags=False) is not None
    )


def _html_end(line: str, also_other_tags: bool) -> str | None:
    if columns(line) > WIDEST_GAP - 1:
        return None
    text = line.lstrip().lower()
    for begin, end in _HTML:
        if text.startswith(begin) and (begin != "<!" or text[2:3].isalpha()):
            return end
    tag = _TAG_NAME.match(line)
    name = "" if tag is None else tag["name"].lower()
    if name in _RAW and not text.startswith("</"):
        return f"</{name}>"
    if _BLOCK_TAG.fullmatch(name) or (also_other_tags and _TAG.match(line) is not None):
        return ""
    return None


class Lazy:
    """Whether a paragraph is open at the end of a container, so that a line outside still belongs to it."""

    def __init__(self, first: str) -> None:
        self._fence: Fence | None = None
        self._open = False
        self.take(first)

    def take(self, line: str) -> None:
        inner = line.lstrip().lstrip(">").lstrip()
        if self._fence is not None:
            if self._fence.closed_by(inner):
                self._fence = None
            self._open = False
            return
        self._fence = fence_of(inner)
        self._open = bool(inner) and self._fence is None and not is_heading(inner) and not is_break(inner)

    def goes_on(self, line: str) -> bool:
        return self._open and bool(line.strip()) and not interrupts(line)
