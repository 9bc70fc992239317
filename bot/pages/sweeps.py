"""Stored values as a page needs them."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import quote

from bot.cluster.executor import JobStatus
from bot.pages.texts import Shown
from bot.store.sweep_list import GateStanding, SweepLine
from gatekit.comments.sweep_folds import caveats
from gatekit.comments.tally import because
from gatekit.domain.gates import Unresolved
from gatekit.domain.ids import JobName, PrRef, short
from gatekit.domain.sweep import GateRow, GateState, Sweep, job_of
from gatekit.domain.verdict import CurveOutcome, Judged, NotMeasured, Realized

NOT_MEASURED = "not measured"
_ORDER = (*(outcome.value for outcome in CurveOutcome), NOT_MEASURED, *(state.value for state in GateState))


@dataclass(frozen=True, slots=True)
class GateView:
    row: GateRow
    short: str
    job: JobName | None
    word: str
    why: str | None  # the code of a gate that could not be measured
    reason: str
    warnings: tuple[str, ...]
    realized: Realized | None
    deviation: str  # of the realized AL from the golden one, e.g. −0.8 %
    status: JobStatus | None  # what its cluster said at the last look
    texts: tuple[Shown, ...] | None  # logs and scrapes; None: not asked for


@dataclass(frozen=True, slots=True)
class WarningLine:
    """One warning, and what it is about."""

    text: str
    about: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LineView:
    line: SweepLine
    summary: str  # e.g. 2 on curve, 1 not measured, 1 running
    pull_url: str | None


@dataclass(frozen=True, slots=True)
class SweepView:
    sweep: Sweep
    summary: str
    gates: tuple[GateView, ...]
    warnings: tuple[WarningLine, ...]
    unresolved: Mapping[tuple[str, str, str], tuple[int, ...]]  # (reason, configuration, detail) → concurrencies
    pull_url: str | None


def line_view(line: SweepLine, github_url: str | None) -> LineView:
    return LineView(line, _summary(counted(line.gates)), pull_url(github_url, line.pr))


def sweep_view(sweep: Sweep, gates: Iterable[GateView], github_url: str | None) -> SweepView:
    return SweepView(
        sweep=sweep,
        summary=_summary(counted_rows(sweep.rows)),
        gates=tuple(gates),
        warnings=tuple(WarningLine(text, about) for text, about in caveats(sweep).items()),
        unresolved=_unresolved(sweep.plan.unresolved),
        pull_url=pull_url(github_url, sweep.pr),
    )


def gate_view(sweep: Sweep, row: GateRow, status: JobStatus | None, shown: tuple[Shown, ...] | None) -> GateView:
    """`shown`: what the attempt left behind; None: not to be shown here."""
    judged = row.verdict if isinstance(row.verdict, Judged) else None
    return GateView(
        row=row,
        short=short(row.gate.key),
        job=job_of(sweep, row),
        word=_word(_standing(row)),
        why=row.verdict.why.value if isinstance(row.verdict, NotMeasured) else None,
        reason=_means(row) if row.verdict is None else because(row.verdict),
        warnings=judged.warnings if judged else (),
        realized=judged.realized if judged else None,
        deviation=_percent(judged.realized.al / judged.golden - 1) if judged else "",
        status=status,
        texts=shown,
    )


def _means(row: GateRow) -> str:
    if row.state is GateState.WAITING and row.attempt:
        return f"waits for attempt {row.attempt + 1}"
    return _MEANS[row.state]


def counted(gates: Mapping[GateStanding, int]) -> Mapping[str, int]:
    """Gates by where they stand, verdicts first."""
    counts: Counter[str] = Counter()
    for standing, count in gates.items():
        counts[_word(standing)] += count
    return {name: counts[name] for name in _ORDER if name in counts}


def counted_rows(rows: Iterable[GateRow]) -> Mapping[str, int]:
    return counted(Counter(_standing(row) for row in rows))


def _standing(row: GateRow) -> GateStanding:
    outcome = row.verdict.outcome if isinstance(row.verdict, Judged) else None
    return GateStanding(row.state, row.verdict is not None, outcome)


def _word(standing: GateStanding) -> str:
    """The outcome, else that there is none, else where the gate stands."""
    if standing.outcome is not None:
        return standing.outcome.value
    return NOT_MEASURED if standing.verdict else standing.state.value


def _summary(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count:,} {name}" for name, count in counts.items()) or "no gate"


def _percent(share: float) -> str:
    percent = round(share * 100, 1)
    return f"{'+' if percent > 0 else '−' if percent < 0 else '±'}{abs(percent):.1f} %"


def _unresolved(points: Iterable[Unresolved]) -> Mapping[tuple[str, str, str], tuple[int, ...]]:
    found: dict[tuple[str, str, str], list[int]] = {}
    for point in points:
        found.setdefault((point.reason.value, point.config_key, point.detail), []).append(point.concurrency)
    return {key: tuple(concurrencies) for key, concurrencies in found.items()}


def pull_url(github_url: str | None, pr: PrRef) -> str | None:
    """Where people see it; None: that is not known."""
    owner, name = quote(pr.repo.owner, safe=""), quote(pr.repo.name, safe="")
    return None if github_url is None else f"{github_url}/{owner}/{name}/pull/{pr.number}"


_MEANS = {
    GateState.WAITING: "planned, nothing is submitted yet",
    GateState.SUBMITTING: "being handed to its cluster",
    GateState.RUNNING: "its cluster has the job",
    GateState.ENDED: "the job is over, its result is to be fetched and judged",
    GateState.JUDGED: "there is no verdict",
    GateState.CANCELLED: "nobody needs it any more",
    GateState.HANDED_ON: "its job answers for a gate of a newer sweep",
}
