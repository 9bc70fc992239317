"""A verdict in words: the one sentence that says why it is what it is."""

from gatekit.domain.verdict import Judged, NotMeasured, Outcome, Verdict, crossed

_LIES = {Outcome.BELOW: "below", Outcome.ABOVE: "above", Outcome.ON_CURVE: "within"}


def because(verdict: Verdict) -> str:
    """One sentence, plain: escape it where it is shown."""
    return verdict.reason if isinstance(verdict, NotMeasured) else _compared(verdict)


def _compared(judged: Judged) -> str:
    realized, allowed = judged.realized, judged.allowed
    measured = f"Realized AL {realized.al:.3f} (95 % interval {realized.low:.3f} to {realized.high:.3f})"
    band = f"{allowed.low:.3f} to {allowed.high:.3f} that golden AL {judged.golden:.2f} allows"
    if judged.outcome is Outcome.INCONCLUSIVE:
        edges = " and ".join(f"{edge:.3f}" for edge in crossed(realized, allowed))
        return f"{measured} reaches across {edges}, an edge of the {band}."
    return f"{measured} lies {_LIES[judged.outcome]} the {band}."
