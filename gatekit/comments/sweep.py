"""The `gates` comment: what a sweep will cost, what became of each gate, and why. One per pull request."""

from collections.abc import Sequence

from gatekit.comments import sweep_folds
from gatekit.comments.escape import inline, sentence
from gatekit.comments.limits import MARKER_ROOM, MAX_COMMENT, fit, fits
from gatekit.comments.sweep_folds import anew, attempts, measurements, spared, unresolved
from gatekit.comments.sweep_table import table
from gatekit.comments.tally import headline, plural, reasons, sweep_page
from gatekit.domain.sweep import Cause, Pausing, Sweep, SweepState

LIMIT = MAX_COMMENT - MARKER_ROOM
RECENT = 3  # earlier sweeps in a comment that must be short


def render_gates(sweep: Sweep, earlier: Sequence[Sweep], public_url: str | None) -> str:
    """The body of the comment, without its marker: at most what GitHub takes, whatever the sweep's size."""
    page = sweep_page(sweep, public_url)
    whole = _body(_top(sweep, page, brief=False), _folds(sweep, earlier, page), _foot(sweep))
    if fits(whole, LIMIT):
        return whole
    short = _body(_top(sweep, page, brief=True), _short_folds(sweep, earlier, page), _foot(sweep), _shortened(page))
    return fit(short, LIMIT, _shortened(page))


def summary_line(sweep: Sweep, page: str | None) -> str:
    """The first line: how it stands, of which commit, in which sweep."""
    name = f"sweep {sweep.id}"
    return f"**Acceptance length: {headline(sweep)}** · head {inline(sweep.head[:7])} · " + (
        f"[{name}]({page})" if page else name
    )


def cost(sweep: Sweep) -> str:
    """What the plan asks of the clusters, and what it leaves out."""
    plan = sweep.plan
    left = len(plan.unresolved)
    if not plan.points:
        return "No speculative point is touched, so no GPU is used."
    points = f"{plan.points - left:,} of {plural(plan.points, 'speculative point')}"
    gates = f"{plural(len(plan.gates), 'gate')} on {plural(plan.gpus, 'GPU')}" if plan.gates else "No gate, no GPU"
    return f"{gates}, for {points}." + (f" Without a gate: {reasons(sweep)}." if left else "")


def mode(sweep: Sweep) -> str:
    if sweep.enforce:
        return "Enforced: a gate below or above its curve fails the check."
    return "Report-only: a verdict informs, it blocks nothing."


def paused(sweep: Sweep) -> str | None:
    """Which clusters take no gates of the sweep for now."""
    said = {
        Pausing.OUT_OF_REACH: "{} has been out of reach since {}; its gates wait.",
        Pausing.LEFTOVERS: "{} is paused since {}, until its operator has removed what a job left; its gates wait.",
    }
    lines = [said[one.why].format(inline(one.cluster), f"{one.since:%Y-%m-%d %H:%M} UTC") for one in sweep.pauses]
    return "\n".join(lines) or None


def _canary(sweep: Sweep) -> str | None:
    """While nothing of a sweep with a canary is measured: why one gate runs, and the others wait."""
    measured = any(row.verdict is not None for row in sweep.rows)
    if not sweep.canary or measured or sweep.finished or len(sweep.rows) < 2:
        return None
    return "A canary runs first, the other gates wait for it."


def _top(sweep: Sweep, page: str | None, brief: bool) -> tuple[str | None, ...]:
    return (
        summary_line(sweep, page),
        _ended(sweep),
        paused(sweep),
        _canary(sweep),
        f"{cost(sweep)} {mode(sweep)}",
        spared(sweep.rows),
        table(sweep.rows, brief) if sweep.rows else None,
        sweep_folds.uncovered(sweep),
    )


def _folds(sweep: Sweep, earlier: Sequence[Sweep], page: str | None) -> tuple[str | None, ...]:
    return (
        sweep_folds.logs(sweep.rows),
        attempts(sweep.rows),
        sweep_folds.warnings(sweep),
        sweep_folds.stripped(sweep.rows),
        anew(sweep.rows),
        measurements(sweep.rows),
        unresolved(sweep, page),
        sweep_folds.history(earlier),
    )


def _short_folds(sweep: Sweep, earlier: Sequence[Sweep], page: str | None) -> tuple[str | None, ...]:
    """Without logs and details; what is cut off in the end stands last."""
    return (
        sweep_folds.history(earlier[:RECENT]),
        sweep_folds.warnings(sweep),
        attempts(sweep.rows),
        sweep_folds.stripped(sweep.rows),
        anew(sweep.rows),
        measurements(sweep.rows),
        unresolved(sweep, page),
    )


def _ended(sweep: Sweep) -> str | None:
    if sweep.state not in (SweepState.CANCELLED, SweepState.SUPERSEDED):
        return None
    because = f": {sentence(sweep.ended_because)}" if sweep.ended_because else ""
    return f"This sweep was {sweep.state}{because}."


def _foot(sweep: Sweep) -> tuple[str, ...]:
    by = {
        Cause.LABEL: f"{inline(sweep.sender)} added {inline(sweep.label)}",
        Cause.PUSH: f"{inline(sweep.sender)} pushed while {inline(sweep.label)} was on",
        Cause.MERGE: f"{inline(sweep.sender)} merged, and no run stood for the pull request",
    }
    return (f"Assessed commit {inline(sweep.head)}; {by[sweep.cause]}.",)


def _shortened(page: str | None) -> str:
    where = f"[the sweep's page]({page})" if page else "the sweep's page"
    return f"Shortened to fit a comment; everything stands on {where}."


def _body(*groups: Sequence[str | None] | str) -> str:
    parts = (part for group in groups for part in ((group,) if isinstance(group, str) else group))
    return "\n\n".join(part for part in parts if part)
