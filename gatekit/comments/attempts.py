"""Attempts that said nothing about their gate: which, and why."""

from collections.abc import Iterable

from gatekit.comments.escape import inline, sentence
from gatekit.comments.folds import enough, fold
from gatekit.comments.tally import plural
from gatekit.domain.sweep import Earlier, GateRow


def story(row: GateRow) -> str:
    """`attempt 2: node7: a node of the job failed`; empty for a first attempt."""
    if not row.earlier:
        return f"attempt {row.attempt}" if row.attempt > 1 else ""
    last = row.earlier[-1]
    return f"attempt {last.attempt + 1}: {_why(last)}"


def attempts(rows: Iterable[GateRow]) -> str | None:
    """Every attempt that was in vain."""
    again = [row for row in rows if row.earlier]
    lines = enough(
        f"- {inline(row.gate.title)}: " + "; ".join(f"attempt {one.attempt}: {_why(one)}" for one in row.earlier)
        for row in again
    )
    return fold(f"{plural(len(again), 'gate')} took more than one attempt", "\n".join(lines)) if lines else None


def _why(one: Earlier) -> str:
    if one.said.absent:
        return f"attempt {one.attempt} was lost"
    where = f"{inline(one.said.node)}: " if one.said.node else ""
    return where + sentence(one.said.sentence or "the cluster did not say why").rstrip(".")
