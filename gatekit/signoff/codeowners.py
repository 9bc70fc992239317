"""CODEOWNERS: who owns a path, and which line says so.

The syntax is GitHub's, which is gitignore's with exceptions
(https://docs.github.com/en/repositories/managing-your-repositorys-settings-and-features/customizing-your-repository/about-code-owners):
the last rule that matches decides alone, a rule without owners takes ownership away, paths have cases and owners have
none, and a line that is not valid is skipped. What GitHub leaves open is not guessed: such a line is not valid here.
"""

import re
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property

from gatekit.domain.errors import BadInput
from gatekit.domain.text import shown
from gatekit.signoff.codeowners_match import Index, Pattern, PatternInvalid, read_pattern

MAX_BYTES = 3 * 1024 * 1024  # GitHub does not load a larger file at all
LONGEST_LINE = 300  # of a line that is shown

_USER = re.compile(r"@[A-Za-z0-9][A-Za-z0-9_-]*")
_TEAM = re.compile(r"@[A-Za-z0-9][A-Za-z0-9_-]*/[A-Za-z0-9._-]+")
_EMAIL = re.compile(r"[^@\s]+@[^@\s]+")
_TOKEN = re.compile(r"(?:[^ \t\\]+|\\.|\\$)+")  # a backslash takes the sign behind it along


class OwnerKind(StrEnum):
    USER = "user"
    TEAM = "team"
    EMAIL = "email"


@dataclass(frozen=True, slots=True)
class Owner:
    """Equal whatever the case of its letters."""

    kind: OwnerKind
    key: str  # small letters: `@login`, `@organisation/team` or an e-mail address
    text: str = field(compare=False)  # as written


@dataclass(frozen=True, slots=True)
class Rule:
    line: int
    pattern: Pattern
    owners: tuple[Owner, ...]  # empty: the rule takes ownership away


@dataclass(frozen=True, slots=True)
class InvalidLine:
    line: int
    text: str
    why: str  # what is wrong and what to do, without the line


@dataclass(frozen=True)  # without slots: the index is made once and kept
class Codeowners:
    rules: tuple[Rule, ...]
    invalid: tuple[InvalidLine, ...]

    @cached_property
    def _index(self) -> Index:
        return Index([rule.pattern for rule in self.rules])

    def rule_of(self, path: str) -> Rule | None:
        """The rule that decides for a path from the repository's root, e.g. `docs/a.md`; None: no rule matches."""
        position = self._index.last_match(path.split("/"))
        return None if position is None else self.rules[position]

    @cached_property
    def owners(self) -> frozenset[Owner]:
        """Everybody who is named anywhere."""
        return frozenset(owner for rule in self.rules for owner in rule.owners)


class _Invalid(Exception):
    """Carries the why of an invalid line."""


def parse_codeowners(data: bytes, path: str = "CODEOWNERS") -> Codeowners:
    """The rules of a file and its invalid lines, both in file order; `path` is for messages.

    Raises BadInput for a file that GitHub would not load, and for what is no UTF-8.
    """
    if len(data) >= MAX_BYTES:
        problem = f"has {len(data):,} bytes, and GitHub loads only what is under {MAX_BYTES:,}; make it smaller"
        raise BadInput(path, problem)
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        at = data.count(b"\n", 0, error.start) + 1
        raise BadInput(f"{path}:{at}", "is no UTF-8; save the file as UTF-8") from None
    rules: list[Rule] = []
    invalid: list[InvalidLine] = []
    known = _Owners()
    for number, line in enumerate(text.split("\n"), 1):
        try:
            rule = _rule(number, line.removesuffix("\r"), known)
        except _Invalid as error:
            invalid.append(InvalidLine(number, shown(line.strip(), LONGEST_LINE), str(error)))
            continue
        if rule is not None:
            rules.append(rule)
    return Codeowners(tuple(rules), tuple(invalid))


def read_owner(text: str) -> Owner | None:
    """An owner as a line names it; None where it is none."""
    for kind, form in ((OwnerKind.USER, _USER), (OwnerKind.TEAM, _TEAM), (OwnerKind.EMAIL, _EMAIL)):
        if form.fullmatch(text) is not None:
            return Owner(kind, text.lower(), text)
    return None


class _Owners(dict[str, Owner]):
    """Owners by their text, each read once. Raises _Invalid."""

    def __missing__(self, token: str) -> Owner:
        self[token] = owner = _owner(token)
        return owner


def _rule(number: int, line: str, owners: _Owners) -> Rule | None:
    """None for a line that is empty or a comment. Raises _Invalid."""
    if line.startswith("\ufeff"):
        raise _Invalid("begins with a byte-order mark, and GitHub does not say what it makes of one; save without it")
    tokens = _tokens(line)
    if not tokens:
        return None
    try:
        pattern = read_pattern(tokens[0])
    except PatternInvalid as error:
        raise _Invalid(str(error)) from None
    return Rule(number, pattern, tuple(owners[token] for token in tokens[1:]))


def _tokens(line: str) -> list[str]:
    """What blanks and tabs part, up to a comment; a backslash keeps the sign behind it."""
    found: list[str] = []
    for token in _TOKEN.findall(line):
        if token.startswith("#"):
            break
        found.append(token)
    return found


def _owner(token: str) -> Owner:
    owner = read_owner(token)
    if owner is not None:
        return owner
    hint = "a blank inside a path is written `\\ `" if "@" not in token else "put a blank before a comment"
    raise _Invalid(f"`{shown(token)}` is no @user, @organisation/team or e-mail address; {hint}")
