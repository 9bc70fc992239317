"""The table of gates: one row each, from what was planned to what came out."""

from collections.abc import Iterable

from gatekit.comments.escape import EMPTY, inline, sentence
from gatekit.comments.sweep_folds import story, where_from
from gatekit.comments.tally import because, standing
from gatekit.domain.gates import Drafting
from gatekit.domain.sweep import GateRow
from gatekit.domain.verdict import CurveOutcome, Judged, NotMeasured

_HEAD = (
    "| deployment | drafting | K | golden AL | realized AL | Δ | verdict |",
    "|---|---|---:|---:|---:|---:|---|",
)


def table(rows: Iterable[GateRow], brief: bool) -> str:
    """The rows in the order of the plan. `brief`: gates on curve go without their reason."""
    return "\n".join((*_HEAD, *(_row(row, brief) for row in rows)))


def _row(row: GateRow, brief: bool) -> str:
    gate = row.gate
    cells = (
        inline(gate.title),
        _drafting(gate.drafting),
        str(gate.drafting.k),
        f"{gate.golden.al:.2f}",
        *_realized(row),
        _verdict(row, brief),
    )
    return f"| {' | '.join(cells)} |"


def _drafting(drafting: Drafting) -> str:
    parts = [inline(drafting.method)]
    if drafting.draft_model is not None:
        parts.append(f"from {inline(drafting.draft_model)}")
    if drafting.draft_sample_method is not None:
        parts.append(f"({inline(drafting.draft_sample_method)})")
    return f"{' '.join(parts)}, thinking {drafting.thinking}"


def _realized(row: GateRow) -> tuple[str, str]:
    """Realized AL with its interval, and how far it lies from the golden AL."""
    if not isinstance(row.verdict, Judged):
        return EMPTY, EMPTY
    realized, golden = row.verdict.realized, row.verdict.golden
    return f"{realized.al:.2f} ({realized.low:.2f} to {realized.high:.2f})", signed(realized.al / golden - 1)


def signed(share: float) -> str:
    """A share as percent with its sign: −0.008 is `−0.8 %`."""
    percent = round(share * 100, 1)
    sign = "+" if percent > 0 else "−" if percent < 0 else "±"
    return f"{sign}{abs(percent):.1f} %"


def _verdict(row: GateRow, brief: bool) -> str:
    word = _origin(standing(row), row)
    match row.verdict:
        case Judged(outcome=outcome) as judged:
            quiet = brief and outcome is CurveOutcome.ON_CURVE
            return word if quiet else f"{_origin(_loud(outcome), row)}: {sentence(because(judged))}"
        case NotMeasured(why=why) as no:
            return f"**{word}** (`{why}`): {sentence(because(no))}"
        case None:
            tries = story(row) if row.state.open else ""
            return f"{word}, {tries}" if tries else word


def _origin(word: str, row: GateRow) -> str:
    said = where_from(row)
    return f"{word}, {said}" if said else word


def _loud(outcome: CurveOutcome) -> str:
    return outcome.value if outcome is CurveOutcome.ON_CURVE else f"**{outcome.value}**"
