"""Which config keys do the changelog entries of a change name, and which does it change without one."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass

from gatekit.bench.matrix.changelog import Entry, Name
from gatekit.domain.errors import BadInput, refuse_all
from gatekit.domain.text import matches, slip
from gatekit.formats.fields import Fields
from gatekit.plan.compare import ComparedTrees

MOST_HINTS = 3
MOST_PATTERNS = 100  # that one change may add: each is held against every config key


@dataclass(frozen=True, slots=True)
class Selected:
    """One entry with the config keys that it names, each with the place (path:line) where it does."""

    entry: Entry
    keys: Mapping[str, str]


def select(entries: Collection[Entry], known: Mapping[str, Fields]) -> tuple[Selected, ...]:
    """What each entry names. Every key and pattern must name one of the `known` configs.

    Raises BadInput, and Violations where several do not.
    """
    patterns = [name for entry in entries for name in entry.names if "*" in name.text]
    if len(patterns) > MOST_PATTERNS:
        where = patterns[MOST_PATTERNS].where
        raise BadInput(where, f"brings the patterns with `*` to more than {MOST_PATTERNS}; write fewer of them")
    named = {text: _named(text, known) for text in {name.text for entry in entries for name in entry.names}}
    refuse_all(_nameless((name for entry in entries for name in entry.names if not named[name.text]), known))
    return tuple(Selected(entry, _keys(entry, named)) for entry in entries)


def gated_keys(selected: Iterable[Selected]) -> frozenset[str]:
    """The keys that are given to gating. Entries that run evals only, or leave AgentX out, have nothing to gate."""
    return frozenset(key for one in selected if one.entry.gates for key in one.keys)


def named_keys(selected: Iterable[Selected]) -> frozenset[str]:
    """The keys that any entry names, whatever it asks for."""
    return frozenset(key for one in selected for key in one.keys)


def _keys(entry: Entry, named: Mapping[str, Collection[str]]) -> Mapping[str, str]:
    found: dict[str, str] = {}
    for name in entry.names:
        for key in named[name.text]:
            found.setdefault(key, name.where)
    return found


def _named(text: str, known: Mapping[str, Fields]) -> list[str]:
    if "*" in text:
        return [key for key in known if matches(text, key)]
    return [text] if text in known else []


def _nameless(names: Iterable[Name], known: Mapping[str, Fields]) -> Iterator[BadInput]:
    for number, name in enumerate(names):
        yield _nothing(name, known if number < MOST_HINTS else {})


def _nothing(name: Name, known: Mapping[str, Fields]) -> BadInput:
    if "*" in name.text:
        problem = "the pattern matches no config key; correct it or add the config"
    else:
        close = next((key for key in known if slip(name.text, key)), None)
        hint = f", did you mean `{close}` ({known[close].where})" if close else ""
        problem = f"the config key is in no master config{hint}; correct it or add the config"
    return BadInput(name.where, f"names `{name.text}`, but {problem}")


def uncovered(both: ComparedTrees, named: Set[str]) -> tuple[str, ...]:
    """Keys of which anything differs and that no entry names, in file order.

    A config's own text, its points and the merged recipes of its points count; comments, and the files of a benchmark
    that no recipe reads, do not. A config that only the old commit has is not listed: there is nothing left to run.
    """
    if not both.changed:
        return ()
    return tuple(key for key in both.head.master.entries if key not in named and both.differs(key))
