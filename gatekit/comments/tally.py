"""How a sweep stands, counted: the line that a person reads in five seconds, and a verdict in one sentence."""

from collections import Counter
from collections.abc import Iterable

from gatekit.domain.gates import Reason
from gatekit.domain.sweep import GateRow, GateState, Sweep
from gatekit.domain.verdict import CurveOutcome, Judged, NotMeasured, Verdict, crossed

NOT_MEASURED = "not measured"
_STATES = {
    GateState.WAITING: "waiting",
    GateState.SUBMITTING: "waiting",
    GateState.RUNNING: "running",
    GateState.ENDED: "running",  # over, but not judged yet
    GateState.CANCELLED: "cancelled",
    GateState.HANDED_ON: "handed on",
}
_ORDER = (*(outcome.value for outcome in CurveOutcome), NOT_MEASURED, "running", "waiting", "cancelled", "handed on")


def standing(row: GateRow) -> str:
    """One word for a gate: its outcome where it has one, else what is being done about it."""
    match row.verdict:
        case Judged(outcome=outcome):
            return outcome.value
        case NotMeasured():
            return NOT_MEASURED
        case None:
            return _STATES.get(row.state, NOT_MEASURED)


def headline(sweep: Sweep) -> str:
    """E.g. `2 of 4 on curve, 1 below, 1 running`, of plain words."""
    if not sweep.rows:
        left = len(sweep.plan.unresolved)
        return f"no gate, {plural(left, 'point')} without one" if left else "nothing to gate"
    counts = Counter(standing(row) for row in sweep.rows)
    if set(counts) == {"waiting"}:
        return f"{plural(len(sweep.rows), 'gate')} planned"
    first = f"{counts.pop(CurveOutcome.ON_CURVE.value, 0)} of {len(sweep.rows)} {CurveOutcome.ON_CURVE.value}"
    return ", ".join((first, *(f"{counts[word]} {word}" for word in _ORDER if counts[word])))


def reasons(sweep: Sweep) -> str:
    """E.g. `4 exempt-framework, 2 no-curve`, the most frequent first."""
    return counted(point.reason.value for point in sweep.plan.unresolved)


def counted(words: Iterable[str]) -> str:
    return ", ".join(f"{count:,} {word}" for word, count in Counter(words).most_common())


def ungated(sweep: Sweep) -> int:
    """Points that should have had a gate and got none; exempt frameworks should not."""
    return sum(point.reason is not Reason.EXEMPT_FRAMEWORK for point in sweep.plan.unresolved)


def plural(count: int, word: str) -> str:
    return f"{count:,} {word}" if count == 1 else f"{count:,} {word}s"


def sweep_page(sweep: Sweep, public_url: str | None) -> str | None:
    """The address of the sweep's page; None where the operator has not said where the pages are."""
    return None if public_url is None else f"{public_url.rstrip('/')}/sweeps/{sweep.id}"


_LIES = {CurveOutcome.BELOW: "below", CurveOutcome.ABOVE: "above", CurveOutcome.ON_CURVE: "within"}


def because(verdict: Verdict) -> str:
    """One sentence, plain: escape it where it is shown."""
    return verdict.reason if isinstance(verdict, NotMeasured) else _compared(verdict)


def _compared(judged: Judged) -> str:
    realized, allowed = judged.realized, judged.allowed
    measured = f"Realized AL {realized.al:.3f} (95 % interval {realized.low:.3f} to {realized.high:.3f})"
    band = f"{allowed.low:.3f} to {allowed.high:.3f} that golden AL {judged.golden:.2f} allows"
    if judged.outcome is CurveOutcome.INCONCLUSIVE:
        edges = " and ".join(f"{edge:.3f}" for edge in crossed(realized, allowed))
        return f"{measured} reaches across {edges}, an edge of the {band}."
    return f"{measured} lies {_LIES[judged.outcome]} the {band}."
