"""Patterns of a CODEOWNERS file, and the last of many that matches a path, found without trying each."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto

from gatekit.domain.text import matches

# A name of a pattern, with signs for its wildcards that no name of a path can hold.
STAR, ONE = "\0", "/"  # `*`: any signs; `?`: any one sign
DEEP = STAR * 2  # as a whole name, `**`: any number of folders, none too

_WILD = {"*": STAR, "?": ONE}
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_ESCAPED = re.compile(r"\\(.?)", re.DOTALL)


class PatternReach(Enum):
    """What a pattern means of the path that its names lead to."""

    ITSELF = auto()  # a last name that is `*` alone: no deeper file
    BELOW = auto()  # a slash at the end: everything in the folder, no file of that name
    BOTH = auto()


class PatternInvalid(Exception):
    """`str(error)` says why, and what to write."""


@dataclass(frozen=True, slots=True)
class Pattern:
    text: str  # as written
    names: tuple[str, ...]  # from the root; each plain, with STAR and ONE in it, or DEEP
    reach: PatternReach

    @property
    def catches_all(self) -> bool:
        """Whether it matches every path."""
        return not self.names or self.names == (DEEP, STAR)


def read_pattern(text: str) -> Pattern:
    """Raises PatternInvalid for what GitHub does not take, and for what it leaves open."""
    _refuse(text)
    anchored = "/" in text.removesuffix("/")
    names = [_name(part) for part in text.removeprefix("/").removesuffix("/").split("/")]
    if "" in names:
        raise PatternInvalid("has an empty name between two slashes, which no path has; write one slash")
    reach = (
        PatternReach.BELOW if text.endswith("/") else PatternReach.ITSELF if names[-1] == STAR else PatternReach.BOTH
    )
    while names and names[-1] == DEEP:
        names.pop()
        reach = PatternReach.BELOW
    if not anchored and names:
        names.insert(0, DEEP)
    return Pattern(text, tuple(names), reach)


def _refuse(text: str) -> None:
    if text.startswith("!"):
        raise PatternInvalid("`!` does not take a path out here; write a later line without owners")
    if "[" in text or "]" in text:
        raise PatternInvalid("`[ ]` stands for no range here; write one line for each name, or `?` or `*`")
    if "#" in text:
        raise PatternInvalid("`#` begins a comment, and a backslash does not change that; write `?` in its place")
    if text == "/":
        raise PatternInvalid("`/` alone matches nothing; write `*` for every file, or `/*` for those of the root")
    if _CONTROL.search(text):
        raise PatternInvalid("holds a control character; take it out")
    if text.endswith("\\") and "" in _ESCAPED.findall(text):
        raise PatternInvalid("ends with a lone backslash; take it out, or write `\\ ` for a blank")
    if "**" in text and any("**" in part and part != "**" for part in _ESCAPED.sub("", text).split("/")):
        raise PatternInvalid("GitHub does not say what `**` means inside a name; put it between slashes, or write `*`")


def _name(part: str) -> str:
    """One name, escapes resolved and wildcards as signs."""
    if "\\" not in part:
        return part.replace("*", STAR).replace("?", ONE)
    signs: list[str] = []
    escaped = False
    for sign in part:
        if escaped or sign != "\\":
            signs.append(sign if escaped else _WILD.get(sign, sign))
        escaped = sign == "\\" and not escaped
    return "".join(signs)


NOTHING = -1
GRAM = 4  # signs; longer parts of a glob are looked up by a piece of this length
FEW = 4  # globs under one piece that cost nothing to try
_WILDCARD = re.compile(f"[{STAR}{ONE}]")
_EDGE = "/"  # around a name, so that its beginning and its end are pieces like any other


class _Node:
    """A place in the tree: where the names of some patterns have led to."""

    __slots__ = ("below", "deep", "exact", "globs", "plain", "repeats")

    def __init__(self, repeats: bool = False) -> None:
        self.plain: dict[str, _Node] = {}
        self.globs: _Globs | None = None
        self.deep: _Node | None = None  # behind a `**`
        self.repeats = repeats  # this is such a place: a path may stay in it
        self.exact = NOTHING  # the last pattern that means the path itself
        self.below = NOTHING  # the last pattern that means what lies deeper

    def child(self, name: str) -> "_Node":
        if name == DEEP:
            if self.deep is None:
                self.deep = self if self.repeats else _Node(repeats=True)
            return self.deep
        known = self.plain.get(name)
        if known is not None:
            return known
        if STAR not in name and ONE not in name:
            self.plain[name] = made = _Node()
            return made
        if self.globs is None:
            self.globs = _Globs()
        return self.globs.child(name)


class Index:
    """Patterns by position; a later one wins."""

    def __init__(self, patterns: Iterable[Pattern]) -> None:
        self._root = _Node()
        for position, pattern in enumerate(patterns):
            node = self._root
            for name in pattern.names:
                node = node.child(name)
            if pattern.reach is not PatternReach.BELOW:
                node.exact = position
            if pattern.reach is not PatternReach.ITSELF:
                node.below = position

    def last_match(self, names: Sequence[str]) -> int | None:
        """The position of the last pattern that matches the path of these names; None: none does."""
        best = NOTHING
        places = _opened([self._root])
        for name in names:
            best = max(best, *(place.below for place in places)) if places else best
            places = _opened(_steps(places, name))
        best = max(best, *(place.exact for place in places)) if places else best
        return None if best == NOTHING else best


def _steps(places: Iterable[_Node], name: str) -> Iterator[_Node]:
    for place in places:
        if name in place.plain:
            yield place.plain[name]
        if place.globs is not None:
            yield from place.globs.matching(name)
        if place.repeats:
            yield place


def _opened(places: Iterable[_Node]) -> set[_Node]:
    """With the places behind a `**`, which may stand for no folder at all."""
    found = set(places)
    return found | {place.deep for place in found if place.deep is not None}


class _Globs:
    """The names with wildcards at one place, each filed under a piece that a match must hold and few others have."""

    __slots__ = ("_children", "_filed", "_lengths")

    def __init__(self) -> None:
        self._children: dict[str, _Node] = {}
        self._filed: dict[str, list[str]] = {}
        self._lengths: tuple[int, ...] = ()

    def child(self, glob: str) -> _Node:
        self._filed = {}
        if glob not in self._children:
            self._children[glob] = _Node()
        return self._children[glob]

    def matching(self, name: str) -> Iterator[_Node]:
        if not self._filed:
            self._file()
        text = f"{_EDGE}{name}{_EDGE}"
        pieces = {text[at : at + length] for length in self._lengths for at in range(len(text) - length + 1)}
        for piece in pieces & self._filed.keys():
            for glob in self._filed[piece]:
                if glob_matches(glob, name):
                    yield self._children[glob]

    def _file(self) -> None:
        for glob in self._children:
            fewest: list[str] | None = None
            for piece in _pieces(glob):
                filed = self._filed.setdefault(piece, [])
                if fewest is None or len(filed) < len(fewest):
                    fewest = filed
                if len(filed) < FEW:
                    break
            if fewest is not None:
                fewest.append(glob)
        self._lengths = tuple({len(piece) for piece in self._filed})


def _pieces(glob: str) -> Iterator[str]:
    """Every piece of GRAM signs between the wildcards; a shorter part is one piece. The edges are always there."""
    first, *others = _WILDCARD.split(glob)
    parts = [f"{_EDGE}{first}", *others]
    parts[-1] += _EDGE
    for part in parts:
        if part:
            yield from (part[at : at + GRAM] for at in range(max(len(part) - GRAM, 0) + 1))


def glob_matches(glob: str, name: str) -> bool:
    """Whether the whole name is the glob's: back to the last star at most, so never longer than both lengths times."""
    if ONE not in glob:
        return matches(glob, name, STAR)
    at, place, star, tried = 0, 0, -1, 0
    while place < len(name):
        if at < len(glob) and glob[at] == STAR:
            star, tried, at = at, place, at + 1
        elif at < len(glob) and glob[at] in (ONE, name[place]):
            at, place = at + 1, place + 1
        elif star >= 0:
            tried += 1
            at, place = star + 1, tried
        else:
            return False
    return all(sign == STAR for sign in glob[at:])
