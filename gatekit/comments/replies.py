"""Answers that need words, and why a sweep ended. Those that become a comment are escaped here; the reasons why a sweep
ended are plain text, escaped where they are shown."""

from collections.abc import Iterable, Sequence

from gatekit.commands import GateLater, GateMiss
from gatekit.comments.escape import inline, sentence
from gatekit.comments.sweep import summary_line
from gatekit.comments.tally import sweep_page
from gatekit.comments.use import chosen
from gatekit.domain.errors import MOST
from gatekit.domain.ids import Login, Sha, SweepId
from gatekit.domain.sweep import Sweep, SweepState
from gatekit.use.decision import Decision

NAMED = 10  # of many things that are wrong at once


def no_write_access(sender: Login, label: str) -> str:
    return (
        f"No sweep was started: {inline(sender)} added {inline(label)}, and a sweep needs write access to this "
        "repository. Ask a maintainer to remove the label and add it again."
    )


def may_not_reopen(sender: Login, label: str) -> str:
    return (
        f"No sweep was started: {inline(sender)} reopened this pull request, on which {inline(label)} is, and a sweep "
        "needs write access to this repository. Ask a maintainer to remove the label and add it again."
    )


def two_primaries(labels: Sequence[str]) -> str:
    return f"{_listed(labels)} are on this pull request, but a sweep takes one of them: remove all but one."


def nothing_to_gate(labels: Sequence[str]) -> str:
    """`labels`: those that leave a sweep without anything to gate."""
    are, it = ("is", "it") if len(labels) == 1 else ("are", "them")
    return (
        f"Nothing to gate: {_listed(labels)} {are} on this pull request. Remove {it} to have acceptance length gated."
    )


def fork_refused() -> str:
    return (
        "No sweep was started: this pull request comes from a fork, and a gate would run its recipes on the cluster. "
        "Push the branch to this repository."
    )


def cannot_plan(head: Sha, wrong: tuple[str, ...]) -> str:
    """`wrong`: all that is wrong, a sentence each."""
    start = f"{inline(head[:7])} could not be planned, so no gate runs"
    if len(wrong) == 1:
        return f"{start}: {_full_stop(sentence(wrong[0]))}"
    lines = [f"- {_full_stop(sentence(one))}" for one in wrong[:NAMED]]
    count = f"At least {MOST}" if len(wrong) >= MOST else str(len(wrong))
    more = ["- And more of the kind."] if len(wrong) > NAMED else []
    return "\n".join((f"{start}. {count} things are wrong:", "", *lines, *more))


def refused(refusal: str) -> str:
    return _full_stop(sentence(refusal))


def settled(sweep: SweepId) -> str:
    """In place of an earlier "no", once a sweep stands."""
    return f"Settled: sweep {sweep} was planned; see its comment."


def use_on_closed(sender: Login) -> str:
    return f"{inline(sender)}'s command does nothing: this pull request is not open."


def set_aside(delivery: str | None) -> str:
    """For a failure of our own after the last try. `delivery`: the webhook that is parked; None: an event of ours."""
    if delivery is None:
        return (
            "Something went wrong on our side while a gate's result was read. It is tried again from time to time; the "
            "operator finds the reason in the log."
        )
    return (
        "Something went wrong on our side, again and again, and this was not dealt with. An operator finds it with "
        f"`gatekit deliveries list` as {inline(delivery)} and can run it again; here, nobody has to do anything."
    )


def all_gates_ended() -> str:
    return "every gate has ended"


def superseded_by(head: Sha) -> str:
    return f"the head moved to {head[:7]}"


def merged_as(merge: Sha) -> str:
    return f"the pull request was merged as {merge[:7]}"


def merge_answered(merge: Sha) -> str:
    return f"the merge {merge[:7]} was answered without it"


def label_off_and_on(label: str) -> str:
    return f"the label {label} was taken off and added again"


def label_removed(label: str, sender: Login) -> str:
    return f"the label {label} was removed by {sender}"


def label_gone(label: str) -> str:
    return f"the label {label} is not on the pull request any more"


def pull_closed(merged: bool) -> str:
    return f"the pull request was {'merged' if merged else 'closed'}"


def _listed(names: Sequence[str]) -> str:
    shown = [inline(name) for name in names]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def _full_stop(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else f"{text}."


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


def gate_later(command: GateLater) -> str:
    return f"`/gate {command.verb}` is not there yet. Until then: {_INSTEAD[command.verb]}."


def gate_miss(miss: GateMiss) -> str:
    return f"{inline(miss.line)} is no command: write `/gate help` or `/gate status`, alone on a line, in lower case."


def gate_not_allowed(sender: Login) -> str:
    return f"{inline(sender)}'s command does not count: it needs write access to this repository."
