"""What a person opens when the table is not enough: logs, warnings, spared gates, points without one, earlier heads."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from gatekit.comments.escape import block, inline, sentence
from gatekit.comments.limits import MAX_COMMENT
from gatekit.comments.tally import headline, plural, reasons
from gatekit.domain.gates import Unresolved
from gatekit.domain.reuse import Anew, Start
from gatekit.domain.sweep import Earlier, GateRow, JobOrigin, Past, Sweep
from gatekit.domain.verdict import Judged
from gatekit.engines.engine import Engine
from gatekit.engines.registry import ENGINES


def caveats(sweep: Sweep) -> Mapping[str, tuple[str, ...]]:
    """Warnings of the plan and of the verdicts, each with the config keys or titles of gates that it is said of.

    Then those of recipe files, which are said of nothing else.
    """
    said: dict[str, list[str]] = {}
    for text, about in _each(sweep):
        said.setdefault(text, []).append(about)
    return {text: tuple(about) for text, about in said.items()} | dict.fromkeys(sweep.plan.repeats, ())


def _each(sweep: Sweep) -> Iterator[tuple[str, str]]:
    for warning in sweep.plan.warnings:
        yield warning.detail, warning.config_key
    for row in sweep.rows:
        if isinstance(row.verdict, Judged):
            yield from ((text, row.gate.title) for text in row.verdict.warnings)
            engine = ENGINES.by_name[row.gate.launch.engine]
            if engine.unseen is not None:
                yield _unseen(engine), row.gate.title


def _unseen(engine: Engine) -> str:
    return (
        f"Gatekit was never tested on a running {engine.label}: its counters are read as its sources describe them, so "
        "hold the AL against the engine's own log once."
    )


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


NAMED_PARTS = 6  # differing parts in one line; the rest is counted


def where_from(row: GateRow) -> str:
    """For a table cell: `reused from sweep 3 (`abc1234`, 2026-11-30)`; empty for a job of the gate's own sweep."""
    source = row.source
    head = inline((source.head or "")[:7])
    match source.origin:
        case JobOrigin.REUSED:
            when = f", {source.measured:%Y-%m-%d}" if source.measured else ""
            return f"reused from sweep {source.sweep} ({head}{when})"
        case JobOrigin.ADOPTED:
            return f"job of sweep {source.sweep} ({head})"
        case JobOrigin.STARTED:
            return ""


def spared(rows: Sequence[GateRow]) -> str | None:
    """One line: how many gates took no new job."""
    reused = sum(row.source.origin is JobOrigin.REUSED for row in rows)
    adopted = sum(row.source.origin is JobOrigin.ADOPTED for row in rows)
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
    shown = ", ".join(inline(part) for part in parts[:NAMED_PARTS])
    return f"{shown} and {len(parts) - NAMED_PARTS} more" if len(parts) > NAMED_PARTS else shown


CONFIGS = 3  # in one line
CONCURRENCIES = 6  # of one config
DETAILS = 6  # of one reason


def unresolved(sweep: Sweep, page: str | None) -> str | None:
    """What is said of several configs is said once. `page`: the address of the sweep's page, where it is known."""
    points = sweep.plan.unresolved
    if not points:
        return None
    grouped: dict[str, list[Unresolved]] = defaultdict(list)
    for point in points:
        grouped[point.reason.value].append(point)
    shortened = [_reason(of_reason) for of_reason in grouped.values()]
    parts = [f"`{reason}`\n\n{text}" for reason, (text, _) in zip(grouped, shortened, strict=True)]
    if any(left_out for _, left_out in shortened):
        parts.append(f"The rest stands on {f'[the page of the sweep]({page})' if page else 'the page of the sweep'}.")
    have = "has" if len(points) == 1 else "have"
    return fold(f"{plural(len(points), 'point')} {have} no gate: {reasons(sweep)}", "\n\n".join(parts))


def _reason(points: Iterable[Unresolved]) -> tuple[str, bool]:
    """The lines of one reason, and whether anything was left out of them."""
    said: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for point in points:
        said[point.detail][point.config_key].append(point.concurrency)
    lines = [_line(detail, configs) for detail, configs in list(said.items())[:DETAILS]]
    rest = list(said.values())[DETAILS:]
    if rest:
        count = sum(len(concurrencies) for configs in rest for concurrencies in configs.values())
        lines.append(f"- {plural(count, 'more point')}, for {plural(len(rest), 'other cause')}")
    long = any(len(configs) > CONFIGS for configs in said.values())
    return "\n".join(lines), bool(rest) or long


def _line(detail: str, configs: Mapping[str, Sequence[int]]) -> str:
    """`- a at concurrency 4: why`; of several configs `- why: a at concurrency 4; b at concurrency 8`."""
    shown = [f"{inline(key)} at concurrency {_few(numbers)}" for key, numbers in list(configs.items())[:CONFIGS]]
    if len(configs) == 1:
        return f"- {shown[0]}: {sentence(detail)}"
    left = list(configs.values())[CONFIGS:]
    more = f", and {plural(len(left), 'more config')} with {plural(sum(map(len, left)), 'point')}" if left else ""
    return f"- {sentence(detail).rstrip('.')}: {'; '.join(shown)}{more}"


def _few(concurrencies: Sequence[int]) -> str:
    each = list(dict.fromkeys(concurrencies))
    shown = ", ".join(map(str, each[:CONCURRENCIES]))
    return f"{shown} and {len(each) - CONCURRENCIES} more" if len(each) > CONCURRENCIES else shown


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
