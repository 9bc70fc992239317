"""One pattern of a CODEOWNERS file, taken apart into the names between its slashes."""

import re
from dataclasses import dataclass
from enum import Enum, auto

# A name of a pattern, with signs for its wildcards that no name of a path can hold.
STAR, ONE = "\0", "/"  # `*`: any signs; `?`: any one sign
DEEP = STAR * 2  # as a whole name, `**`: any number of folders, none too

_WILD = {"*": STAR, "?": ONE}
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_ESCAPED = re.compile(r"\\(.?)", re.DOTALL)


class Reach(Enum):
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
    reach: Reach

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
    reach = Reach.BELOW if text.endswith("/") else Reach.ITSELF if names[-1] == STAR else Reach.BOTH
    while names and names[-1] == DEEP:
        names.pop()
        reach = Reach.BELOW
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
