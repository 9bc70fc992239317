"""Many spoiled repositories, planned one after the other, and what must hold for each of them."""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from hypothesis import HealthCheck, Verbosity, given, seed, settings
from hypothesis import strategies as st

from bot.cli.plan_views import as_json
from gatekit.domain.errors import Refusal
from gatekit.domain.gates import GatePlan
from tests.worlds.bench.fuzz_bench import HEAD, HISTORY, MOST_BYTES, MOST_SECONDS, PATHS, Kind, Outcome, planned
from tests.worlds.bench.irrelevant import Harmless, harmless
from tests.worlds.bench.mutations import Spoiled, one_line, spoiled
from tests.worlds.bench.small_bench import CHANGELOG, CLUSTERS

Case = TypeVar("Case")


def run(strategy: st.SearchStrategy[Case], check: Callable[[Case], None], cases: int, seeded: int | None) -> None:
    """So many cases; `seeded` None: the same ones each time."""

    @settings(
        max_examples=cases,
        deadline=None,
        database=None,
        derandomize=seeded is None,
        verbosity=Verbosity.normal,
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def one(case: Case) -> None:
        check(case)

    if seeded is not None:
        one = seed(seeded)(one)
    one()


@dataclass
class Toll:
    cases: int = 0
    plans: int = 0
    seconds: float = 0.0  # of the slowest
    bytes: int = 0  # of the largest

    def take(self, outcome: Outcome) -> None:
        """Holds one outcome to what must hold for all."""
        self.cases += 1
        self.plans += isinstance(outcome.made, GatePlan)
        self.seconds, self.bytes = max(self.seconds, outcome.seconds), max(self.bytes, outcome.bytes)
        assert outcome.seconds <= MOST_SECONDS
        assert outcome.bytes <= MOST_BYTES
        said = outcome.made.sentences if isinstance(outcome.made, Refusal) else _details(outcome.made)
        assert all(sentence.isprintable() and 0 < len(sentence) < 2_100 for sentence in said)


def _details(plan: GatePlan) -> Iterator[str]:
    assert sum(len(gate.concurrencies) for gate in plan.gates) + len(plan.unresolved) == plan.points
    yield from (point.detail for point in plan.unresolved)
    yield from (warning.detail for warning in plan.warnings)


@st.composite
def _trees(draw: st.DrawFn) -> Mapping[str, bytes]:
    """A head in which one or two files are spoiled; of the changelog, often only what was added."""
    files = dict(HEAD)
    paths = st.sampled_from(sorted(Kind)).flatmap(lambda kind: st.sampled_from(PATHS[kind]))
    for path in draw(st.lists(paths, min_size=1, max_size=2, unique=True)):
        history = HISTORY.encode() if path == CHANGELOG and draw(st.booleans()) else b""
        files[path] = history + draw(spoiled(files[path].removeprefix(history)))
    return files


def fuzz(cases: int, seeded: int | None = None) -> Toll:
    """Spoiled trees: each is planned or refused, within a second and 200 MiB."""
    toll = Toll()

    def check(case: tuple[Mapping[str, bytes], bool]) -> None:
        files, with_clusters = case
        toll.take(planned(files, CLUSTERS if with_clusters else None))

    run(st.tuples(_trees(), st.booleans()), check, cases, seeded)
    return toll


@dataclass
class Slips:
    """What came of single mistakes. Those that change nothing, or make another plan, are no refusals."""

    toll: Toll = field(default_factory=Toll)
    named: Counter[Kind] = field(default_factory=Counter)
    missed: Counter[Kind] = field(default_factory=Counter)

    def share(self, *kinds: Kind) -> float:
        """Of the refusals for these kinds of files, how many name the line, or one next to it."""
        named, missed = (sum(counter[kind] for kind in kinds or Kind) for counter in (self.named, self.missed))
        return named / (named + missed)


def slips(cases: int, seeded: int | None = None) -> Slips:
    """One mistake in one line: the refusal names that line."""
    found, usual = Slips(), planned(HEAD).made

    def check(case: tuple[Kind, str, Spoiled]) -> None:
        kind, path, file = case
        outcome = planned({**HEAD, path: file.text})
        found.toll.take(outcome)
        if outcome.refused and outcome.made != usual:
            lines = [line for sentence in outcome.refused for line in _lines(path, sentence)]
            counter = found.named if any(map(file.is_near, lines)) else found.missed
            counter[kind] += 1

    run(_slips(), check, cases, seeded)
    return found


@st.composite
def _slips(draw: st.DrawFn) -> tuple[Kind, str, Spoiled]:
    kind = draw(st.sampled_from(sorted(Kind)))
    path = draw(st.sampled_from(PATHS[kind]))
    return kind, path, draw(one_line(HEAD[path]))


def _lines(path: str, sentence: str) -> Iterator[int]:
    """The lines of this file that a sentence names: `path:12`, or `line 12` in a sentence about it."""
    yield from (int(found) for found in re.findall(rf"{re.escape(path)}:(\d+)", sentence))
    if path in sentence:
        yield from (int(found) for found in re.findall(r"\bline (\d+)", sentence))


def unchanged(cases: int, seeded: int | None = None) -> Counter[str]:
    """Changes that mean nothing: the plan stays the same to the byte. How many of each kind were made."""
    usual, made = _bytes(planned(HEAD)), Counter[str]()

    def check(change: Harmless) -> None:
        made[change.what] += 1
        assert _bytes(planned({**HEAD, **change.files})) == usual, change

    run(harmless(), check, cases, seeded)
    return made


def _bytes(outcome: Outcome) -> str:
    assert isinstance(outcome.made, GatePlan), outcome.made
    return json.dumps(as_json(outcome.made, "node"))
