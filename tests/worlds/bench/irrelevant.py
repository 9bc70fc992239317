"""Changes to a repository that mean nothing to a plan."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from hypothesis import strategies as st

from tests.worlds.bench.fuzz_bench import BUNDLE, CURVE, DISAGG, HEAD, HISTORY, OLD, ROLES
from tests.worlds.bench.small_bench import CHANGELOG, CONFIG

_TEXT = st.text(st.characters(categories=("L", "N", "P", "S", "Zs")), min_size=1, max_size=60)
_WORDS = _TEXT.filter(lambda text: bool(text.strip()))
_COMMENTED = (CONFIG, CHANGELOG, ROLES, OLD, BUNDLE, DISAGG, CURVE)

# what: file, what stands there, and what may stand there instead ({} is some text, in quotes)
FREE: Mapping[str, tuple[str, str, str]] = {
    "description": (CHANGELOG, "[Draft three tokens.]", "[{}, {}]"),
    "link": (CHANGELOG, "  pr-link: https://github.com/acme/bench/pull/XXX\n\n", "  pr-link: {}\n\n"),
    "evals": (
        CHANGELOG,
        "  scenario-type:\n    - agentic-coding\n",
        "  scenario-type: [agentic-coding]\n  no-evals: true\n",
    ),
    "fixed sequences": (CONFIG, "- { tp: 8, conc-start: 4, conc-end: 64 }", "- {{ tp: 4, note: {} }}"),
    "name of a recipe": (ROLES, "name: glow-16", "name: {}"),
    "benchmark": (OLD, "type: custom", "type: custom, note: {}"),
    "benchmark environment": (OLD, "CONC: 4", "CONC: 4, NOTE: {}"),
    "health check": (DISAGG, "schema: 2\n", "schema: 2\nhealth_check: {{note: {}}}\n"),
    "note of a curve": (CURVE, "method: mtp\n", "method: mtp\nnote: {}\n"),
    "source of a curve": (CURVE, "  hardware: B300\n", "  hardware: B300\n  source: {}\n"),
    "hardware of a curve": (CURVE, "hardware: B300", "hardware: {}"),
    "order of keys": (CONFIG, "  precision: fp8\n  framework: vllm\n", "  framework: vllm\n  precision: fp8\n"),
    "quotes": (CONFIG, "precision: fp8\n", "precision: 'fp8'\n"),
    "order of arguments in a role": (DISAGG, "    nodes: 1\n    workers: 1\n", "    workers: 1\n    nodes: 1\n"),
}


@dataclass(frozen=True, slots=True)
class Harmless:
    what: str
    files: Mapping[str, bytes]


@st.composite
def harmless(draw: st.DrawFn) -> Harmless:
    """One of the above, a comment, an empty line, or a file that nobody reads."""
    what = draw(st.sampled_from((*sorted(FREE), "comment", "blank at the end of a line", "another file")))
    if what == "another file":
        return Harmless(what, {f"notes/{draw(st.integers(0, 99))}.md": draw(_TEXT).encode()})
    if what in FREE:
        path, old, new = FREE[what]
        before = HEAD[path].decode()
        assert old in before, what
        filled = new.format(*(json.dumps(draw(_WORDS), ensure_ascii=False) for _ in range(2)))
        return Harmless(what, {path: before.replace(old, filled, 1).encode()})
    path = draw(st.sampled_from(_COMMENTED))
    lines = HEAD[path].decode().split("\n")
    first = HISTORY.count("\n") if path == CHANGELOG else 0
    ends = [at for at, line in enumerate(lines) if at > first and line.endswith(("}", "]", ": 8", ": mtp", ": vllm"))]
    at = draw(st.sampled_from(ends))
    lines[at] += f"  # {draw(_TEXT)}" if what == "comment" else " " * draw(st.integers(1, 5))
    return Harmless(what, {path: "\n".join(lines).encode()})
