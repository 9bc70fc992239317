"""An attempt is over: is its verdict the gate's, or does another attempt follow? One decision for every ending."""

from dataclasses import dataclass
from datetime import timedelta

from gatekit.domain.sweep import Earlier, Ending, Said
from gatekit.domain.verdict import Judged, NotMeasured, Verdict, Why
from gatekit.formats.redact import one_line

ATTEMPTS = 3  # in all
AFTER = (timedelta(seconds=30), timedelta(minutes=5))  # before the second and the third


@dataclass(frozen=True, slots=True)
class Over:
    """An attempt that is over. `verdict`: what its raw material alone comes to."""

    attempt: int
    verdict: Verdict
    said: Said
    earlier: tuple[Earlier, ...] = ()


@dataclass(frozen=True, slots=True)
class Retry:
    after: timedelta
    earlier: tuple[Earlier, ...]  # with the attempt that is over now


@dataclass(frozen=True, slots=True)
class End:
    verdict: Verdict


def decide(over: Over) -> Retry | End:
    """What was measured counts, whatever the cluster says. A gate's own failure is never tried again; the cluster's is,
    up to ATTEMPTS in all; a job that is lost without a trace, once.
    """
    failed = over.said.ending is Ending.INFRASTRUCTURE
    may = lost_before(over) == 0 if over.said.absent else failed
    if isinstance(over.verdict, Judged) or not may or over.attempt >= ATTEMPTS:
        return End(final(over))
    return Retry(AFTER[over.attempt - 1], (*over.earlier, Earlier(over.attempt, over.said)))


def final(over: Over) -> Verdict:
    """The gate's verdict where no further attempt follows."""
    if isinstance(over.verdict, Judged):
        return over.verdict
    if over.said.absent:
        return _lost(over)
    match over.said.ending:
        case Ending.INFRASTRUCTURE:
            return _failed(over)
        case Ending.BUDGET:
            return NotMeasured(Why.TIME_LIMIT, _said(over, "The job came to its time limit"))
        case Ending.MEMORY:
            return NotMeasured(Why.OUT_OF_MEMORY, _said(over, "The job ran out of memory"))
        case Ending.REFUSED:
            return NotMeasured(Why.REFUSED, _said(over, "The cluster does not take the job"))
        case Ending.CANCELLED:
            return NotMeasured(Why.CANCELLED, "The job was cancelled before it ended.")
        case Ending.REPLAYED | Ending.GATE_FAILED | Ending.UNKNOWN | None:
            return over.verdict


def lost_before(over: Over) -> int:
    return sum(one.said.absent for one in over.earlier)


def _lost(over: Over) -> NotMeasured:
    if not over.said.sentence:
        return NotMeasured(Why.LOST, "Neither the job nor anything it wrote can be found: run the gate again.")
    return NotMeasured(Why.LOST, _said(over, "The job was lost"))


def _failed(over: Over) -> NotMeasured:
    many = f"The cluster failed {over.attempt} attempts; the last one"
    return NotMeasured(Why.INFRASTRUCTURE, _said(over, "The cluster failed the job" if over.attempt == 1 else many))


def _said(over: Over, what: str) -> str:
    where = f" on {over.said.node}" if over.said.node else ""
    return f"{what}{where}: {one_line(over.said.sentence or 'it did not say why').rstrip('.')}."
