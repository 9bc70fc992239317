"""The `use` comment: which run stands for the pull request, or why the command did not count."""

from collections.abc import Sequence

from gatekit.commands import Use, UseMiss, UseSlip
from gatekit.comments.escape import inline, sentence
from gatekit.use.decision import Chosen, Decision, No, Rejected, RunAnswer, RunSource, Spoken, Trust

SHOWN = 3  # comments that do not count

_SLIPS = {
    UseSlip.NO_RUN: "it names no run: write `/use` and the run's number on one line, e.g. `/use 12`",
    UseSlip.NOT_A_NUMBER: "a run is named by its number alone, e.g. `/use 12`: no `#`, no address, no word",
    UseSlip.SEVERAL: "it names several runs: write one",
    UseSlip.NOT_ALONE: "a command stands alone on its line, with nothing before or after it",
    UseSlip.SPELLING: "commands are `/use <run>` and `/reuse-sweep-run [<run>]`, in lower case",
}
_TRUST = {
    Trust.NOT_AUTHORIZED: "its author has no write access to this repository",
    Trust.EDITED_BY_OTHER: "somebody else edited it, so it is nobody's word: post the command yourself",
    Trust.EDITED_UNSEEN: "it was edited, and by whom could not be found out: post the command again",
}


def render_use(decision: Decision | None, unheard: Sequence[Spoken]) -> str:
    """The body of the comment, without its marker."""
    first = _state(decision)
    lines = [f"- {inline(one.author)}'s comment does not count: {_why_not(one)}." for one in unheard[-SHOWN:]]
    more = len(unheard) - SHOWN
    if more > 0:
        lines.append(f"- {more} earlier ones do not count either.")
    return "\n\n".join(part for part in (first, "\n".join(lines)) if part)


def reason(no: Rejected) -> str:
    """One sentence: why, and what helps."""
    run, found = f"run {no.run}", inline(no.detail)
    said = {
        No.BLOCKED: f"a label of this pull request forbids reuse ({found}): remove it first.",
        No.NOT_OPEN: "this pull request is not open.",
        No.NOT_FOUND: f"there is no sweep and no workflow run {no.run} in this repository: check the number.",
        No.OTHER_REPOSITORY: f"{run} belongs to another repository ({found}).",
        No.OTHER_PULL: f"sweep {no.run} belongs to another pull request: what it measured says nothing about this one.",
        No.OTHER_EVENT: f"{run} was started by {found}, not by a pull request.",
        No.OTHER_WORKFLOW: f"{run} is a run of {found}, not of the sweep workflow of this repository.",
        No.NOT_COMPLETED: f"{run} is not over yet ({found}): wait for its end, then post the command again.",
        No.CONCLUSION: f"{run} ended as {found}, which cannot be reused.",
        No.NO_HEAD: f"GitHub does not say for which commit {run} ran.",
        No.NOT_IN_PULL: f"{run} ran for {found}, which is not a commit of this pull request (any more).",
        No.UNSURE: f"whether {found}, for which {run} ran, is a commit of this pull request could not be found out.",
        No.NO_RESULTS: f"{run} has no artifact with results (it has {found})."
        if no.detail
        else f"{run} has no artifacts.",
        No.EXPIRED: f"the artifacts with the results of {run} have expired: run the sweep again.",
        No.NO_ROWS: f"the artifacts of {run} hold no result row ({found}).",
        No.NOT_USABLE: f"the results of {run} are not usable: {sentence(no.detail)}.",
        No.NOT_MEASURED: f"nothing was measured in sweep {no.run}.",
        No.NONE_ELIGIBLE: "no finished run with results was found for a commit of this pull request: name one with "
        "`/use <run>`.",
    }
    return said[no.why]


def chosen(found: Chosen) -> str:
    return f"{run_name(found.source, found.run)} of {inline(found.head[:7])}"


def _state(decision: Decision | None) -> str:
    if decision is None:
        return "**No run is selected.** `/use <run>`, alone on a line, takes the measurements of a finished run."
    who, words = inline(decision.winner.author), inline(command_text(decision.winner))
    match decision.answer:
        case Chosen() as found:
            return (
                f"**{chosen(found)} stands for this pull request**, by {words} of {who}. A push starts no gates while "
                "its commit is in the pull request; it is checked again at every push and at the merge. A sweep label "
                "still starts a sweep."
            )
        case Rejected() as no:
            return f"**{words} of {who} is rejected**: {reason(no)}"


def command_text(one: Spoken) -> str:
    match one.command:
        case Use(None):
            return "/reuse-sweep-run"
        case Use(run):
            return f"/use {run}"
        case UseMiss(line):
            return line


def run_name(source: RunSource, run: int) -> str:
    return f"Sweep {run}" if source is RunSource.SWEEP else f"Workflow run {run}"


def _why_not(one: Spoken) -> str:
    if one.trust is not Trust.AUTHORIZED:
        return _TRUST[one.trust]
    assert isinstance(one.command, UseMiss)
    return f"{inline(one.command.line)}: {_SLIPS[one.command.slip]}"


def answer_line(answer: RunAnswer) -> str:
    """For logs and pages, as plain as the rest."""
    return chosen(answer) if isinstance(answer, Chosen) else reason(answer)
