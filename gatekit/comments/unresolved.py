"""Points without a gate: counted by reason, with the first examples of each. All of them stand on the sweep's page."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from gatekit.comments.escape import inline, sentence
from gatekit.comments.folds import fold
from gatekit.comments.tally import plural, reasons
from gatekit.domain.gates import Unresolved
from gatekit.domain.sweep import Sweep

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
