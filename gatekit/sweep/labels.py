"""Which labels ask for a sweep, and which stand in its way."""

from collections.abc import Set
from dataclasses import dataclass
from typing import TypeAlias

from gatekit.bench.repo.settings import LabelSettings, PrimaryLabel


@dataclass(frozen=True, slots=True)
class NoPrimary:
    """No label asks for a sweep."""


@dataclass(frozen=True, slots=True)
class Primary:
    label: PrimaryLabel


@dataclass(frozen=True, slots=True)
class TwoPrimaries:
    """More than one label asks for a sweep: pick one. In the order of the settings."""

    names: tuple[str, ...]


Decision: TypeAlias = NoPrimary | Primary | TwoPrimaries


def decide(labels: Set[str], settings: LabelSettings) -> Decision:
    """What a PR's labels ask for. A label that the settings do not name changes nothing."""
    asking = tuple(primary for primary in settings.primary if primary.name in labels)
    match asking:
        case ():
            return NoPrimary()
        case (one,):
            return Primary(one)
        case _:
            return TwoPrimaries(tuple(primary.name for primary in asking))


def is_primary(label: str, settings: LabelSettings) -> bool:
    """Whether adding or removing this label can change what `decide` says."""
    return any(primary.name == label for primary in settings.primary)


def nothing_to_gate(labels: Set[str], settings: LabelSettings) -> tuple[str, ...]:
    """The PR's labels that leave a sweep without anything to gate, sorted; empty: gate as usual."""
    return tuple(sorted(settings.nothing_to_gate & labels))


def blocks_reuse(labels: Set[str], settings: LabelSettings) -> tuple[str, ...]:
    """The PR's labels that forbid `/use`, sorted; empty: reuse is allowed."""
    return tuple(sorted(settings.block_reuse & labels))
