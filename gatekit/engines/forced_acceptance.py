"""Forced acceptance: what each engine says of the knobs that simulate AL, and all engines' knobs together.

A recipe is searched for the knobs of every engine, whichever it is served with.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property


class Asked(Enum):
    """How a knob says the acceptance length that it asks for."""

    LENGTH = "the length itself, the target's own token counted in"
    ACCEPTED = "accepted draft tokens, AL - 1"
    RATE = "accepted of the drafted tokens, (AL - 1) / K"
    RATES = "rates by position, which add up to AL - 1"


@dataclass(frozen=True, slots=True)
class Forcing:
    """How an engine is made to simulate acceptance.

    `names` are parts of a knob's name, with `_` for whatever an engine, a shell or JSON writes between the words.
    Beginnings are enough, because argument parsers take abbreviated flags.
    """

    names: tuple[str, ...]
    lengths: Mapping[str, Asked]  # by the end of a knob's name, small letters and `_`
    switches: tuple[tuple[str, str], ...] = ()  # settings that force with one value, and are real with any other
    unset: tuple[str, ...] = ()  # environment that forces: taken away at launch
    companions: Mapping[str, Mapping[str, str]] = field(default_factory=dict)  # a length → what must stand beside it


# What the launcher of a benchmark repository forces with, whichever the engine: settings of a master config's row.
LAUNCHER = Forcing(
    names=("synthetic_acceptance",),
    lengths={"acceptance_length": Asked.LENGTH},
    unset=("SYNTHETIC_ACCEPTANCE", "SYNTHETIC_ACCEPTANCE_LENGTH"),
)


def row_forces(settings: Mapping[str, str]) -> float | None:
    """The acceptance length that a row's additional settings ask for; None where they force none."""
    switched_on = settings.get("SYNTHETIC_ACCEPTANCE", "").strip().lower() in ("true", "1")
    return _number(settings.get("SYNTHETIC_ACCEPTANCE_LENGTH")) if switched_on else None


_BETWEEN = "[^a-z0-9]*"


@dataclass(frozen=True)  # without slots: what every text is held against is made once and kept
class ForcedKnobs:
    """The knobs of several engines, and the launcher's own."""

    engines: tuple[Forcing, ...]

    def forces(self, name: str, value: object) -> bool:
        """Does this setting (a key, a flag with or without dashes, an environment name) simulate acceptance?"""
        if self.trace(name) is not None:
            return True
        return isinstance(value, str) and (_plain(name), value.strip().lower()) in self._switches

    def trace(self, text: str) -> str | None:
        """The first piece of a text, in small letters, that simulates acceptance in any spelling; None: there is none.

        Spellings differ in what stands between the words of a knob's name, and in its capitals.
        """
        folded = text.casefold()
        for word in self._words:
            if word in folded:
                found = self._pattern.search(folded)
                return None if found is None else found[0]
        return None

    def length(self, knob: str, value: object, k: int) -> float | None:
        """What a knob forces on drafts of `k` tokens, the target's own token counted in; None: it names no length."""
        name = _plain(knob)
        asked = next((asked for ending, asked in self._lengths if name.endswith(ending)), None)
        if asked is Asked.RATES:
            rates = [_number(item) for item in _items(value)]
            return None if not rates or None in rates else 1 + math.fsum(rate for rate in rates if rate is not None)
        number = _number(value)
        if number is None or asked is None:
            return None
        return {Asked.LENGTH: number, Asked.ACCEPTED: 1 + number, Asked.RATE: 1 + number * k}[asked]

    def half_set(self, values: Mapping[str, str]) -> str | None:
        """What a length lacks to take effect as it must; None: nothing. `values`: of all knobs, by name."""
        for length, companions in self._companions:
            for name, wanted in companions.items() if length in values else ():
                if values.get(name, "").strip("'\" ").lower() == wanted:
                    continue
                if (name, wanted) in self._switches:  # with another value it is no knob, and nothing is known of it
                    return f"{name} must be {wanted} beside {length}"
                return f"{name} must be {wanted}, and is {values.get(name) or 'not set'}"
        return None

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Each once."""
        return tuple(dict.fromkeys(name for one in self._all for name in one.names))

    @cached_property
    def unset(self) -> tuple[str, ...]:
        """Environment that an image or a launcher may bring along and that forces acceptance, sorted."""
        return tuple(sorted({name for one in self._all for name in one.unset}))

    @property
    def _all(self) -> tuple[Forcing, ...]:
        return (LAUNCHER, *self.engines)

    @cached_property
    def _switches(self) -> frozenset[tuple[str, str]]:
        return frozenset(switch for one in self._all for switch in one.switches)

    @cached_property
    def _lengths(self) -> tuple[tuple[str, Asked], ...]:
        return tuple((ending, asked) for one in self._all for ending, asked in one.lengths.items())

    @cached_property
    def _companions(self) -> tuple[tuple[str, Mapping[str, str]], ...]:
        return tuple(pair for one in self._all for pair in one.companions.items())

    @cached_property
    def _spelled(self) -> tuple[str, ...]:
        return (*self.names, *sorted(f"{name}_{value}" for name, value in self._switches))

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        """Of small letters, for folded texts: ten times as fast as a pattern that ignores case."""
        return re.compile("|".join(name.replace("_", _BETWEEN) for name in self._spelled))

    @cached_property
    def _words(self) -> tuple[str, ...]:
        """The longest word of each knob, which stands unbroken in every spelling: few texts have any."""
        return tuple(dict.fromkeys(max(name.split("_"), key=len) for name in self._spelled))


def _plain(knob: str) -> str:
    return knob.lstrip("-").replace("-", "_").lower()


def _items(value: object) -> Sequence[object]:
    if isinstance(value, str):
        return value.strip("[] ").split(",")
    return value if isinstance(value, list | tuple) else ()


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    try:
        number = float(value)
    except ValueError:
        return None
    return number if math.isfinite(number) else None
