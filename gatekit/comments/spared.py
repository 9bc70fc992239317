"""Which gates cost no GPU, which were measured anew and why, and every measurement that there is of a gate."""

from collections.abc import Iterable, Sequence

from gatekit.comments.escape import inline
from gatekit.comments.folds import enough, fold
from gatekit.comments.tally import plural
from gatekit.domain.sweep import GateRow, Origin, Past
from gatekit.sweep.reuse import Anew, Start

NAMED = 6  # differing parts in one line; the rest is counted


def where_from(row: GateRow) -> str:
    """For a table cell: `reused from sweep 3 (`abc1234`, 2026-11-30)`; empty for a job of the gate's own sweep."""
    source = row.source
    head = inline((source.head or "")[:7])
    match source.origin:
        case Origin.REUSED:
            when = f", {source.measured:%Y-%m-%d}" if source.measured else ""
            return f"reused from sweep {source.sweep} ({head}{when})"
        case Origin.ADOPTED:
            return f"job of sweep {source.sweep} ({head})"
        case Origin.STARTED:
            return ""


def spared(rows: Sequence[GateRow]) -> str | None:
    """One line: how many gates took no new job."""
    reused = sum(row.source.origin is Origin.REUSED for row in rows)
    adopted = sum(row.source.origin is Origin.ADOPTED for row in rows)
    parts = [f"{plural(reused, 'gate')} reused"] if reused else []
    parts += [f"{plural(adopted, 'job')} kept running"] if adopted else []
    return f"{' and '.join(parts)}: nothing that could change a measurement differs." if parts else None


def anew(rows: Iterable[GateRow]) -> str | None:
    """Why gates got a job although something like them was gated before."""
    again = [(row, why) for row in rows if (why := why_anew(row.source.start)) is not None]
    lines = enough(f"- {inline(row.gate.title)}: {why}" for row, why in again)
    return fold(f"Why {plural(len(again), 'gate')} could not be reused", "\n".join(lines)) if lines else None


def why_anew(start: Start) -> str | None:
    """One sentence; None where nothing like it was gated on the pull request before."""
    before = f"sweep {start.sweep}"
    match start.why:
        case None:
            return None
        case Anew.ASKED:
            return "the label was taken off and added again on this commit, which asks for a new measurement."
        case Anew.DIFFERS:
            return f"{_parts(start.parts)} {'differs' if len(start.parts) == 1 else 'differ'} from {before}."
        case Anew.LEFT:
            return f"{before} measured it on a commit that is not in this pull request any more."
        case Anew.UNSURE:
            return f"whether the commit of {before} is still in this pull request could not be found out."
        case Anew.RAW:
            return f"the raw scrapes of {before} are gone, or are not those that were judged."
        case Anew.UNMEASURED:
            return f"{before} came to no measurement of it."


def measurements(rows: Iterable[GateRow]) -> str | None:
    """Every measurement of gates that were measured more than once: nobody picks the one that pleases."""
    several = [row for row in rows if len(row.past) > 1]
    lines = enough(f"- {inline(row.gate.title)}: {'; '.join(map(_past, row.past))}" for row in several)
    return fold(f"Every measurement of {plural(len(several), 'gate')}", "\n".join(lines)) if lines else None


def _past(one: Past) -> str:
    return f"{one.al:.3f} in sweep {one.sweep} ({inline(one.head[:7])}, {one.measured:%Y-%m-%d %H:%M} UTC)"


def _parts(parts: Sequence[str]) -> str:
    shown = ", ".join(inline(part) for part in parts[:NAMED])
    return f"{shown} and {len(parts) - NAMED} more" if len(parts) > NAMED else shown
