"""Which gates may start now, whose turn it is on a cluster, and how long a cluster is left in peace."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import TypeVar

from gatekit.domain.ids import GateKey, PrRef
from gatekit.domain.sweep import GateRow, GateState, Sweep
from gatekit.domain.verdict import Judged, NotMeasured, Unmeasured

_NOT_STARTED = frozenset({Unmeasured.CANARY, Unmeasured.FAIL_FAST})


def canary(sweep: Sweep, clusters: Mapping[str, str]) -> GateRow | None:
    """The gate that goes first; None where the label asks for none, or no gate will do.

    It is the cheapest gate that a cluster of ours (`clusters`, by runner) can start on one node: the fewest GPUs, then
    the lowest concurrency, then the first in the plan. So a broken change costs little, and the choice is the same
    whenever it is asked for.
    """
    rows = [row for row in sweep.rows if row.gate.cluster in clusters and row.gate.launch.nodes == 1]
    if not sweep.canary or not rows:
        return None
    return min(rows, key=lambda row: (row.gate.launch.gpus, row.gate.representative))


def may_start(sweep: Sweep, clusters: Mapping[str, str]) -> frozenset[GateKey]:
    """Waiting gates that nothing holds back."""
    waiting = frozenset(row.gate.key for row in sweep.rows if row.state is GateState.WAITING)
    first = canary(sweep, clusters)
    if first is not None and not isinstance(first.verdict, Judged):
        begun = frozenset(row.gate.key for row in sweep.rows if row.attempt)  # before it, or in spite of it
        waiting &= {first.gate.key} | begun
    return waiting - never_start(sweep, clusters).keys() - _undecided(sweep, clusters)


def _undecided(sweep: Sweep, clusters: Mapping[str, str]) -> frozenset[GateKey]:
    """Gates that have not begun in a cluster where one has just ended, which may turn out to be a failure."""
    ended = {_cluster(row, clusters) for row in sweep.rows if row.state is GateState.ENDED and sweep.fail_fast}
    return frozenset(row.gate.key for row in sweep.rows if not row.attempt and _cluster(row, clusters) in ended)


def never_start(sweep: Sweep, clusters: Mapping[str, str]) -> Mapping[GateKey, NotMeasured]:
    """Gates that have not begun, and shall not: what is to be stored as their verdict."""
    left = [row for row in sweep.rows if row.state is GateState.WAITING and not row.attempt]
    first = canary(sweep, clusters)
    if first is not None and (why := _failure(first)) is not None:
        reason = f"Not started: the canary {first.gate.title} could not be measured ({why})."
        return {row.gate.key: NotMeasured(Unmeasured.CANARY, reason) for row in left}
    if not sweep.fail_fast:
        return {}
    failures: dict[str, str] = {}
    for row in sweep.rows:
        if (why := _failure(row)) is not None:
            reason = f"Not started: {row.gate.title} could not be measured on the same cluster ({why})."
            failures.setdefault(_cluster(row, clusters), reason)
    found = ((row, failures.get(_cluster(row, clusters))) for row in left)
    return {row.gate.key: NotMeasured(Unmeasured.FAIL_FAST, reason) for row, reason in found if reason is not None}


def _failure(row: GateRow) -> Unmeasured | None:
    """Why a gate that did start could not be measured. An off-curve verdict is no failure."""
    if isinstance(row.verdict, NotMeasured) and row.verdict.why not in _NOT_STARTED:
        return row.verdict.why
    return None


def _cluster(row: GateRow, clusters: Mapping[str, str]) -> str:
    return clusters.get(row.gate.cluster, row.gate.cluster)


CALM = 8  # times the shortest pause: the longest


@dataclass(frozen=True, slots=True)
class Watched:
    """A job that has not ended. `age`: seconds for which it has been seen to run; None: it waits in the queue."""

    age: float | None
    sure: bool = True  # False: the cluster has not said yet, or said something that we do not understand


def pause(jobs: Iterable[Watched], ran: Sequence[float], shortest: float) -> float:
    """Seconds until the next look. `ran`: how many seconds earlier jobs of this cluster ran.

    Half of what is left until a job should end; the shortest pause where that is not known, or is over. No job is asked
    about later than a quarter of a usual run after it began.
    """
    longest = shortest * CALM
    usual = median(ran) if ran else None
    return min((_pause(job, usual, shortest, longest) for job in jobs), default=longest)


def _pause(job: Watched, usual: float | None, shortest: float, longest: float) -> float:
    if not job.sure or (usual is None and job.age is not None):
        return shortest
    if usual is None:
        return longest
    wanted = usual / 4 if job.age is None else (usual - job.age) / 2
    return max(shortest, min(wanted, longest))


T = TypeVar("T")


def in_turns(waiting: Sequence[tuple[PrRef, T]], turns: Mapping[PrRef, int]) -> tuple[T, ...]:
    """All of `waiting`, in the order in which it should be served: one of each pull request, round after round.

    `turns`: when each pull request was served last, as a number that grows; one that is not in it was never served, and
    comes first. Among equals the order of `waiting` decides, and so it does within a pull request.
    """
    queues: dict[PrRef, list[T]] = defaultdict(list)
    for pr, item in waiting:
        queues[pr].append(item)
    order = sorted(queues, key=lambda pr: turns.get(pr, -1))
    rounds = max(map(len, queues.values()), default=0)
    return tuple(queues[pr][n] for n in range(rounds) for pr in order if n < len(queues[pr]))
