"""An attempt is over: is its verdict the gate's, or does another attempt follow? One decision for every ending."""

from dataclasses import dataclass
from datetime import timedelta

from gatekit.domain.sweep import ClusterReport, Earlier, Ending
from gatekit.domain.verdict import Judged, NotMeasured, Unmeasured, Verdict
from gatekit.formats.redact import one_line

ATTEMPTS = 3  # in all
AFTER = (timedelta(seconds=30), timedelta(minutes=5))  # before the second and the third


@dataclass(frozen=True, slots=True)
class AttemptEnd:
    """An attempt that is over. `verdict`: what its raw material alone comes to."""

    attempt: int
    verdict: Verdict
    said: ClusterReport
    earlier: tuple[Earlier, ...] = ()


@dataclass(frozen=True, slots=True)
class Retry:
    after: timedelta
    earlier: tuple[Earlier, ...]  # with the attempt that is over now


@dataclass(frozen=True, slots=True)
class End:
    verdict: Verdict


def decide(over: AttemptEnd) -> Retry | End:
    """What was measured counts, whatever the cluster says. A gate's own failure is never tried again; the cluster's is,
    up to ATTEMPTS in all; a job that is lost without a trace, once.
    """
    failed = over.said.ending is Ending.INFRASTRUCTURE
    may = lost_before(over) == 0 if over.said.absent else failed
    if isinstance(over.verdict, Judged) or not may or over.attempt >= ATTEMPTS:
        return End(final(over))
    return Retry(AFTER[over.attempt - 1], (*over.earlier, Earlier(over.attempt, over.said)))


def final(over: AttemptEnd) -> Verdict:
    """The gate's verdict where no further attempt follows."""
    if isinstance(over.verdict, Judged):
        return over.verdict
    if over.said.absent:
        return _lost(over)
    match over.said.ending:
        case Ending.INFRASTRUCTURE:
            return _failed(over)
        case Ending.BUDGET:
            return NotMeasured(Unmeasured.TIME_LIMIT, _said(over, "The job came to its time limit"))
        case Ending.MEMORY:
            return NotMeasured(Unmeasured.OUT_OF_MEMORY, _said(over, "The job ran out of memory"))
        case Ending.REFUSED:
            return NotMeasured(Unmeasured.REFUSED, _said(over, "The cluster does not take the job"))
        case Ending.CANCELLED:
            return NotMeasured(Unmeasured.CANCELLED, "The job was cancelled before it ended.")
        case Ending.REPLAYED | Ending.GATE_FAILED | Ending.UNKNOWN | None:
            return over.verdict


def lost_before(over: AttemptEnd) -> int:
    return sum(one.said.absent for one in over.earlier)


def _lost(over: AttemptEnd) -> NotMeasured:
    if not over.said.sentence:
        return NotMeasured(Unmeasured.LOST, "Neither the job nor anything it wrote can be found: run the gate again.")
    return NotMeasured(Unmeasured.LOST, _said(over, "The job was lost"))


def _failed(over: AttemptEnd) -> NotMeasured:
    many = f"The cluster failed {over.attempt} attempts; the last one"
    return NotMeasured(
        Unmeasured.INFRASTRUCTURE, _said(over, "The cluster failed the job" if over.attempt == 1 else many)
    )


def _said(over: AttemptEnd, what: str) -> str:
    where = f" on {over.said.node}" if over.said.node else ""
    return f"{what}{where}: {one_line(over.said.sentence or 'it did not say why').rstrip('.')}."
