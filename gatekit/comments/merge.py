"""The check run `sweep reuse`: what a merge reuses, in words and as JSON for workflows."""

import json

from gatekit.comments.escape import inline, sentence
from gatekit.comments.use import chosen, command_text, reason
from gatekit.domain.check_run import CheckName, CheckReport, CheckStatus, Conclusion
from gatekit.use.decision import Chosen
from gatekit.use.merge import Merge, MergeOutcome

SCHEMA = 1  # of the JSON; raise it when a key changes its meaning


def merge_report(merge: Merge, *, group: bool = False) -> CheckReport:
    """`group`: of a merge queue's group, which is not merged yet."""
    title = _title(merge)
    return CheckReport(
        name=CheckName.SWEEP_REUSE,
        head=merge.merge,
        external_id=f"{'group' if group else 'merge'}-{merge.pr.number}",
        status=CheckStatus.COMPLETED,
        conclusion=Conclusion.SUCCESS if merge.outcome is MergeOutcome.REUSED else Conclusion.NEUTRAL,
        title=title,
        summary=f"{merge_reason(merge)}\n\nPull request {merge.pr.number}, commit {inline(merge.merge)}.",
        details_url=None,
        text=f"```json\n{merge_json(merge)}\n```",
    )


def merge_json(merge: Merge) -> str:
    """One object with keys that stay."""
    found = merge.chosen
    decision = merge.decision
    return json.dumps(
        {
            "schema": SCHEMA,
            "outcome": merge.outcome.value,
            "reuse": found is not None,
            "source": None if found is None else found.source.value,
            "run": None if found is None else found.run,
            "attempt": None if found is None else found.attempt,
            "head_sha": None if found is None else found.head,
            "merge_sha": merge.merge,
            "pull_request": merge.pr.number,
            "by": None if decision is None else decision.winner.author,
            "reason": None if merge.rejected is None else merge.rejected.why.value,
            "sweep": merge.sweep,
            "pull_requests": list(merge.pulls),
        },
        indent=1,
    )


def _title(merge: Merge) -> str:
    match merge.outcome:
        case MergeOutcome.REUSED:
            assert merge.chosen is not None
            return f"reuses {merge.chosen.source.value} {merge.chosen.run}"
        case MergeOutcome.RERUN if merge.sweep is not None:
            return f"reuses nothing: sweep {merge.sweep} gates this commit"
        case MergeOutcome.RERUN:
            return "reuses nothing, and there is nothing to gate"
        case MergeOutcome.AT_MERGE:
            return "reuses nothing: its gates run once it is merged"
        case MergeOutcome.REPORTED:
            return "reuses nothing"
        case MergeOutcome.UNPLANNED:
            return "reuses nothing, and could not be planned"
        case MergeOutcome.SEVERAL:
            return "refused: the commit belongs to several pull requests"


def merge_reason(merge: Merge) -> str:
    """What was decided, and why: a sentence or a few."""
    if merge.outcome is MergeOutcome.SEVERAL:
        numbers = ", ".join(str(number) for number in merge.pulls)
        return (
            f"This commit belongs to the pull requests {numbers}, so it cannot be told whose run stands for it: "
            "nothing is reused and nothing is gated."
        )
    why = _why(merge)
    match merge.outcome:
        case MergeOutcome.REUSED:
            return why
        case MergeOutcome.RERUN if merge.sweep is not None:
            return (
                f"{why} Sweep {merge.sweep} gates this commit; what was measured on the pull request is not run again."
            )
        case MergeOutcome.RERUN if merge.left_out:
            labels = ", ".join(map(inline, merge.left_out))
            return f"{why} Nothing is gated with the labels of the pull request ({labels})."
        case MergeOutcome.RERUN:
            return f"{why} This commit changes nothing that is gated."
        case MergeOutcome.AT_MERGE:
            return f"{why} Once this is merged, its gates run for the merge commit."
        case MergeOutcome.UNPLANNED:
            return f"{why} The gates of this commit could not be planned: {sentence(merge.problem)}"
        case _:
            return f"{why} The repository wants that said, and nothing run (`merge-without-use: report`)."


def _why(merge: Merge) -> str:
    if merge.decision is None:
        return "No run stands for this pull request: nobody who may posted `/use <run>`."
    who, words = inline(merge.decision.winner.author), inline(command_text(merge.decision.winner))
    answer = merge.decision.answer
    if isinstance(answer, Chosen):
        return (
            f"{chosen(answer)} stands for this pull request, by {words} of {who}; it was checked again for this commit."
        )
    return f"{words} of {who} is rejected: {reason(answer)}"
