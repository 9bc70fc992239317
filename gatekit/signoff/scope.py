"""Whether a pull request needs a sign-off at all: the files that it changes, and whether all of them are known."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from gatekit.domain.errors import Unknown
from gatekit.signoff.codeowners import Codeowners, Owner, OwnerKind
from gatekit.signoff.resource import Access


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """One row of GitHub's list. A file that turned into a link comes as two rows of one path."""

    path: str
    previous: str | None = None  # of a renamed file
    removed: bool = False

    @property
    def paths(self) -> tuple[str, ...]:
        """Both names of a renamed file: each has its owners."""
        return (self.path,) if self.previous is None else (self.path, self.previous)


def all_files(rows: Sequence[ChangedFile], count: int) -> tuple[ChangedFile, ...] | Unknown:
    """The rows, where they are all; `count` is what the pull request itself says. GitHub lists 3,000 files at most."""
    listed = len({row.path for row in rows})
    if listed != count:
        return Unknown(f"the list of changed files has {listed:,} of {count:,}")
    return tuple(rows)


def paths_of(files: Sequence[ChangedFile]) -> tuple[str, ...]:
    """Every path that is touched, old names too, each once, in order."""
    return tuple(dict.fromkeys(path for file in files for path in file.paths))


NOT_READ = Unknown("the access was not asked for")


@dataclass(frozen=True, slots=True)
class Ownership:
    """Who owns what, all of it read at the one commit at which the target branch pointed."""

    files: tuple[ChangedFile, ...] | Unknown
    rules: Codeowners | Unknown
    complaints: tuple[str, ...] | Unknown  # GitHub's own about the file, one sentence each; () where it has none
    access: Mapping[str, Access | Unknown]  # of each user who owns something, by `Owner.key`
    core_team: str  # organisation/team


class Need(StrEnum):
    REQUIRED = "required"
    NOT_NEEDED = "not needed"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Scope:
    need: Need
    owners: tuple[Owner, ...]  # those who make it required, in the order of the files
    whys: tuple[str, ...]  # of UNKNOWN: what could not be found out, one clause each


def scope(facts: Ownership) -> Scope:
    """REQUIRED wherever one owner is known to ask for it, NOT_NEEDED only where everything is known."""
    whys = [fact.why for fact in (facts.files, facts.rules, facts.complaints) if isinstance(fact, Unknown)]
    if isinstance(facts.files, Unknown) or isinstance(facts.rules, Unknown):
        return Scope(Need.UNKNOWN, (), tuple(whys))
    whys += [f"line {each.line} of CODEOWNERS is not valid ({each.why})" for each in facts.rules.invalid]
    whys += facts.complaints if isinstance(facts.complaints, tuple) else ()
    asking: list[Owner] = []
    for owner in owners_of(facts.files, facts.rules):
        exempt = _exempt(owner, facts)
        if isinstance(exempt, Unknown):
            whys.append(f"the access of {owner.text} is not known: {exempt.why}")
        elif not exempt:
            asking.append(owner)
    need = Need.REQUIRED if asking else Need.UNKNOWN if whys else Need.NOT_NEEDED
    return Scope(need, tuple(asking), tuple(whys))


def owners_of(files: tuple[ChangedFile, ...], rules: Codeowners) -> tuple[Owner, ...]:
    """Every owner of every path, each once."""
    found = (rules.rule_of(path) for path in paths_of(files))
    return tuple(dict.fromkeys(owner for rule in found if rule is not None for owner in rule.owners))


def to_be_asked(owners: Sequence[Owner], core_team: str) -> tuple[Owner, ...]:
    """The users whose access decides; none where another owner asks for a sign-off anyway."""
    users = tuple(owner for owner in owners if owner.kind is OwnerKind.USER)
    others = (owner for owner in owners if owner.kind is not OwnerKind.USER)
    return users if all(_is_core(owner, core_team) for owner in others) else ()


def _exempt(owner: Owner, facts: Ownership) -> bool | Unknown:
    """Only the core team itself, and users of whom GitHub says admin in both places."""
    if owner.kind is not OwnerKind.USER:
        return _is_core(owner, facts.core_team)
    access = facts.access.get(owner.key, NOT_READ)
    return access if isinstance(access, Unknown) else access.is_admin


def _is_core(owner: Owner, core_team: str) -> bool:
    return owner.key == f"@{core_team.lower()}"
