"""Answers to `/gate`."""

from collections.abc import Iterable

from gatekit.comments.escape import inline, sentence
from gatekit.comments.sweep import summary_line
from gatekit.comments.tally import sweep_page
from gatekit.comments.use import chosen
from gatekit.domain.ids import Login
from gatekit.domain.sweep import Sweep, SweepState
from gatekit.gate_commands import GateMiss, Later
from gatekit.use.decision import Decision

_INSTEAD = {
    "run": "add a sweep label, which starts a sweep",
    "run --fresh": "take the sweep label off and add it again on the same commit, which measures everything anew",
    "plan": "`gatekit plan --repo OWNER/NAME --pr NUMBER` prints the plan and writes nothing",
    "cancel": "take the sweep label off, which cancels the sweep",
    "retry": "take the sweep label off and add it again; what the cluster failed is tried again by itself",
    "accept": "a verdict blocks nothing unless the repository enforces it",
}


def gate_help(labels: Iterable[str]) -> str:
    """`labels`: those that start a sweep."""
    names = ", ".join(map(inline, labels))
    return (
        f"A sweep starts with one of the labels {names}; taking it off cancels it, and adding it again on the same "
        "commit measures anew.\n\n"
        "- `/use <run>`: the measurements of a finished sweep or workflow run stand for this pull request\n"
        "- `/reuse-sweep-run`: the same, with the newest run that will do\n"
        "- `/gate status`: how the newest sweep stands\n"
        "- `/gate help`: this"
    )


def gate_status(sweep: Sweep | None, decision: Decision | None, public_url: str | None) -> str:
    lines = ["There is no sweep of this pull request yet."]
    if sweep is not None:
        early = sweep.ended_because if sweep.state in (SweepState.CANCELLED, SweepState.SUPERSEDED) else None
        because = f": {sentence(early)}" if early else ""
        lines = [f"{summary_line(sweep, sweep_page(sweep, public_url))} · {sweep.state}{because}"]
    if decision is not None and decision.chosen is not None:
        lines.append(f"{chosen(decision.chosen)} stands for this pull request.")
    return "\n\n".join(lines)


def gate_later(command: Later) -> str:
    return f"`/gate {command.verb}` is not there yet. Until then: {_INSTEAD[command.verb]}."


def gate_miss(miss: GateMiss) -> str:
    return f"{inline(miss.line)} is no command: write `/gate help` or `/gate status`, alone on a line, in lower case."


def gate_not_allowed(sender: Login) -> str:
    return f"{inline(sender)}'s command does not count: it needs write access to this repository."
