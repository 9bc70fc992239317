"""Who can sign for which of the changed files.

Files of the same owners are one group. Only a rule that says more than `*` makes its owners necessary; what falls to
`*` alone, anybody who owns something may sign.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations
from math import comb

from gatekit.domain.errors import Unknown
from gatekit.domain.ids import Login
from gatekit.signoff.codeowners import Codeowners, Owner, OwnerKind

MOST_TRIED = 20_000  # combinations of owners; beyond, each next one is who covers most of what is left


@dataclass(frozen=True, slots=True)
class Group:
    owners: tuple[Owner, ...]
    paths: tuple[str, ...]
    line: int  # of the rule that decides for the first path
    anybody: bool  # it falls to the rule for everything: whoever owns something may sign


class Covered(StrEnum):
    YES = "yes"
    NO = "no"
    UNKNOWN = "unknown"  # through a team or an e-mail address, which could not be read


@dataclass(frozen=True, slots=True)
class Signer:
    login: Login
    teams: Mapping[str, bool | Unknown]  # membership of each team that owns something, by `Owner.key`


def groups(paths: Sequence[str], rules: Codeowners) -> tuple[Group, ...]:
    """The groups in the order of the paths. Paths without an owner are in none."""
    found: dict[tuple[frozenset[Owner], bool], Group] = {}
    for path in paths:
        rule = rules.rule_of(path)
        if rule is None or not rule.owners:
            continue
        key = frozenset(rule.owners), rule.pattern.catches_all
        known = found.get(key)
        before = () if known is None else known.paths
        first = rule if known is None else known
        found[key] = Group(rule.owners, (*before, path), first.line, rule.pattern.catches_all)
    return tuple(found.values())


def to_sign(paths: Sequence[str], rules: Codeowners) -> tuple[Group, ...]:
    """The groups that somebody has to sign for: where no file has an owner, whoever owns anything may."""
    return groups(paths, rules) or (Group((), tuple(paths), 0, anybody=True),)


def teams_that_decide(found: Sequence[Group], login: Login, rules: Codeowners) -> tuple[Owner, ...]:
    """The teams whose members must be known, to say for which groups somebody can sign: not where the name is there."""
    own = f"@{login.lower()}"
    all_owners = tuple(sorted(rules.owners, key=lambda owner: owner.key))
    each = (all_owners if group.anybody else group.owners for group in found)
    undecided = (owners for owners in each if all(owner.key != own for owner in owners))
    return tuple(dict.fromkeys(owner for owners in undecided for owner in owners if owner.kind is OwnerKind.TEAM))


def covered(group: Group, signer: Signer, rules: Codeowners) -> Covered:
    """Whether the signer owns the files of the group, by name or through a team."""
    owners = tuple(rules.owners) if group.anybody else group.owners
    own = f"@{signer.login.lower()}"
    if any(owner.key == own for owner in owners):
        return Covered.YES
    through = [_through(owner, signer) for owner in owners if owner.kind is not OwnerKind.USER]
    if True in through:
        return Covered.YES
    return Covered.UNKNOWN if any(isinstance(each, Unknown) for each in through) else Covered.NO


def _through(owner: Owner, signer: Signer) -> bool | Unknown:
    if owner.kind is OwnerKind.EMAIL:
        return Unknown(f"whether {owner.text} is an address of {signer.login} cannot be read")
    return signer.teams.get(owner.key, Unknown(f"the members of {owner.text} were not read"))


def smallest_set(found: Sequence[Group], without: Login | None = None) -> tuple[Owner, ...]:
    """The fewest owners who can sign for all groups together; users come before teams, in the order of the groups.

    `without`: the author, who should not sign. Groups that nobody else can sign for are left out.
    """
    needed = [group for group in found if not group.anybody] or list(found)
    own = None if without is None else f"@{without.lower()}"
    able = [frozenset(owner for owner in group.owners if _can_sign(owner, own)) for group in needed]
    able = [group for group in able if group]
    candidates = _distinct(able, sorted(_named(needed), key=lambda owner: owner.kind is OwnerKind.TEAM))
    for size in range(len(able) + 1):
        if comb(len(candidates), size) > MOST_TRIED:
            break
        for chosen in combinations(candidates, size):
            if all(group.intersection(chosen) for group in able):
                return chosen
    return _greedy(able, candidates)


def _named(found: Sequence[Group]) -> tuple[Owner, ...]:
    return tuple(dict.fromkeys(owner for group in found for owner in group.owners))


def _distinct(able: Sequence[frozenset[Owner]], owners: Sequence[Owner]) -> tuple[Owner, ...]:
    """The first of those who can sign for the same groups; nobody who can sign for none."""
    found: dict[tuple[bool, ...], Owner] = {}
    for owner in owners:
        found.setdefault(tuple(owner in group for group in able), owner)
    return tuple(owner for covers, owner in found.items() if any(covers))


def _can_sign(owner: Owner, author: str | None) -> bool:
    return owner.kind is not OwnerKind.EMAIL and owner.key != author


def _greedy(able: Sequence[frozenset[Owner]], candidates: Sequence[Owner]) -> tuple[Owner, ...]:
    left, chosen = list(able), list[Owner]()
    while left:
        best = max(candidates, key=lambda owner: sum(owner in group for group in left))
        chosen.append(best)
        left = [group for group in left if best not in group]
    return tuple(chosen)
