"""What a person opens when the table is not enough: logs, warnings, earlier heads."""

from collections.abc import Iterable, Sequence

from gatekit.comments.caveats import caveats
from gatekit.comments.escape import block, inline, sentence
from gatekit.comments.limits import MAX_COMMENT
from gatekit.comments.tally import headline, plural
from gatekit.domain.sweep import GateRow, Sweep

NAMED = 12  # names in one line; the rest is counted


def fold(summary: str, body: str) -> str:
    """A fold. `summary` is ours alone: GitHub reads it as HTML, not as Markdown."""
    return f"<details>\n<summary>{summary}</summary>\n\n{body}\n\n</details>"


def stripped(rows: Iterable[GateRow]) -> str | None:
    """Which forced acceptance the gates ran without; what several roles or gates share is named once."""
    gates = [row.gate for row in rows if row.gate.stripped]
    without: dict[str, list[str]] = {}
    for gate in gates:
        removed = dict.fromkeys(f"{inline(knob.knob)} {inline(knob.value)}" for knob in gate.stripped)
        without.setdefault(", ".join(removed), []).append(gate.title)
    lines = enough(
        f"- {_names(titles)}: forced acceptance was removed: {removed}" for removed, titles in without.items()
    )
    return fold(f"Forced acceptance was removed from {plural(len(gates), 'gate')}", "\n".join(lines)) if lines else None


def logs(rows: Iterable[GateRow]) -> str | None:
    """The last log lines of the gates that failed."""
    failed = [row for row in rows if row.log_tail]
    parts = enough(f"{inline(row.gate.title)}\n\n{block(row.log_tail)}" for row in failed)
    return fold(f"Last log lines of {plural(len(failed), 'gate')}", "\n\n".join(parts)) if parts else None


def uncovered(sweep: Sweep) -> str | None:
    keys = sweep.plan.uncovered
    if not keys:
        return None
    have = "has" if len(keys) == 1 else "have"
    what = f"{plural(len(keys), 'changed config')} {have} no changelog entry and {'was' if len(keys) == 1 else 'were'}"
    return f"{what} not gated: {_names(keys)}."


def warnings(sweep: Sweep) -> str | None:
    """What to know of the plan and the verdicts; what is said of several gates is said once."""
    said = caveats(sweep)
    lines = enough(
        f"- {_names(about)}: {sentence(text)}" if about else f"- {sentence(text)}" for text, about in said.items()
    )
    return fold(plural(len(said), "warning"), "\n".join(lines)) if lines else None


def history(earlier: Sequence[Sweep]) -> str | None:
    """What earlier sweeps of this PR came to, newest first."""
    lines = enough(
        f"- {inline(sweep.head[:7])} · sweep {sweep.id} · {sweep.state}: {headline(sweep)}" for sweep in earlier
    )
    return fold(plural(len(earlier), "earlier sweep"), "\n".join(lines)) if lines else None


def enough(parts: Iterable[str]) -> list[str]:
    """The first parts, up to more than a comment can hold: whoever asked shortens it, and the rest costs nothing."""
    kept: list[str] = []
    size = 0
    for part in parts:
        kept.append(part)
        size += len(part)
        if size > MAX_COMMENT:
            break
    return kept


def _names(names: Sequence[str]) -> str:
    shown = ", ".join(inline(name) for name in names[:NAMED])
    return f"{shown} and {len(names) - NAMED} more" if len(names) > NAMED else shown
