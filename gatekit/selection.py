"""Which config keys do the changelog entries of a change name."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from gatekit.changelog import Entry, Name
from gatekit.patterns import matches
from gatekit.refusal import BadInput, refuse_all

MOST_PATTERNS = 100  # that one change may add: each is held against every config key


@dataclass(frozen=True, slots=True)
class Selected:
    """One entry with the config keys that it names, each with the place (path:line) where it does."""

    entry: Entry
    keys: Mapping[str, str]


def select(entries: Collection[Entry], known_keys: Collection[str]) -> tuple[Selected, ...]:
    """What each entry names. Every key and pattern must name one of `known_keys`.

    Raises BadInput, and Violations where several do not.
    """
    known = dict.fromkeys(known_keys)
    patterns = [name for entry in entries for name in entry.names if "*" in name.text]
    if len(patterns) > MOST_PATTERNS:
        where = patterns[MOST_PATTERNS].where
        raise BadInput(where, f"brings the patterns with `*` to more than {MOST_PATTERNS}; write fewer of them")
    found, wrong = [], []
    for entry in entries:
        keys: dict[str, str] = {}
        for name in entry.names:
            named = _named(name.text, known)
            wrong += [] if named else [_nothing(name)]
            for key in named:
                keys.setdefault(key, name.where)
        found.append(Selected(entry, keys))
    refuse_all(wrong)
    return tuple(found)


def gated_keys(selected: Iterable[Selected]) -> frozenset[str]:
    """The keys that are given to gating. Entries that run evals only, or leave AgentX out, have nothing to gate."""
    return frozenset(key for one in selected if one.entry.gates for key in one.keys)


def named_keys(selected: Iterable[Selected]) -> frozenset[str]:
    """The keys that any entry names, whatever it asks for."""
    return frozenset(key for one in selected for key in one.keys)


def _named(text: str, known: Mapping[str, None]) -> list[str]:
    if "*" in text:
        return [key for key in known if matches(text, key)]
    return [text] if text in known else []


def _nothing(name: Name) -> BadInput:
    what = "pattern matches no config key" if "*" in name.text else "config key is in no master config"
    return BadInput(name.where, f"names `{name.text}`, but the {what}; correct it or add the config")
