"""The two check runs, in words and as JSON for workflows: `acceptance length` of a head, `sweep reuse` of a merge."""

import json

from gatekit.comments.escape import inline, sentence
from gatekit.comments.limits import MAX_SUMMARY, fit
from gatekit.comments.sweep import cost, mode, paused, summary_line
from gatekit.comments.sweep_table import table
from gatekit.comments.tally import headline, standing, sweep_page, ungated
from gatekit.comments.use import chosen, command_text, reason, run_name
from gatekit.domain.check_run import CheckName, CheckReport, CheckStatus, Conclusion
from gatekit.domain.ids import Sha
from gatekit.domain.sweep import GateState, Sweep, SweepState
from gatekit.domain.verdict import CurveOutcome
from gatekit.use.decision import Chosen, Decision
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


MAX_TITLE = 255
USE = "use"  # external id of the one check run of a head that says which run stands for it
_OFF_CURVE = frozenset({CurveOutcome.BELOW.value, CurveOutcome.ABOVE.value})


def check_report(sweep: Sweep, public_url: str | None) -> CheckReport:
    """How the sweep's check run should read now. It completes when every gate is judged or cancelled."""
    page = sweep_page(sweep, public_url)
    title = headline(sweep)
    parts = [summary_line(sweep, page), f"{cost(sweep)} {mode(sweep)}", paused(sweep) or ""]
    if sweep.rows:
        parts.append(table(sweep.rows, brief=True))
    return CheckReport(
        name=CheckName.ACCEPTANCE_LENGTH,
        head=sweep.head,
        external_id=str(sweep.id),
        status=status(sweep),
        conclusion=conclusion(sweep) if sweep.finished else None,
        title=f"{title[0].upper()}{title[1:]}"[:MAX_TITLE],
        summary=fit(
            "\n\n".join(part for part in parts if part),
            MAX_SUMMARY,
            "Shortened: the rest stands in the comment on the pull request.",
        ),
        details_url=page,
    )


def status(sweep: Sweep) -> CheckStatus:
    if sweep.finished:
        return CheckStatus.COMPLETED
    idle = all(row.state in (GateState.WAITING, GateState.SUBMITTING) for row in sweep.rows)
    return CheckStatus.QUEUED if idle else CheckStatus.IN_PROGRESS


def conclusion(sweep: Sweep) -> Conclusion:
    """Of a finished sweep. Report-only never fails; `success` always means that every gate is on its curve.

    A sweep that gated nothing, or left points without a gate that are not exempt, knows too little for a success.
    """
    words = {standing(row) for row in sweep.rows}
    if sweep.enforce and words & _OFF_CURVE:
        return Conclusion.FAILURE
    if sweep.enforce and sweep.state in (SweepState.CANCELLED, SweepState.SUPERSEDED):
        return Conclusion.CANCELLED
    if words == {CurveOutcome.ON_CURVE.value} and not ungated(sweep):
        return Conclusion.SUCCESS
    return Conclusion.NEUTRAL


def standing_report(head: Sha, decision: Decision) -> CheckReport:
    """For a head that is not gated, since a run that somebody selected stands for it."""
    assert isinstance(decision.answer, Chosen)
    said = chosen(decision.answer)
    return CheckReport(
        name=CheckName.ACCEPTANCE_LENGTH,
        head=head,
        external_id=USE,
        status=CheckStatus.COMPLETED,
        conclusion=Conclusion.NEUTRAL,
        title=f"{run_name(decision.answer.source, decision.answer.run)} stands for this commit",
        summary=f"{said} stands for this pull request, by {inline(command_text(decision.winner))} of "
        f"{inline(decision.winner.author)}. Nothing was measured for this commit.",
        details_url=None,
    )


def withdrawn_report(head: Sha) -> CheckReport:
    """For a head that was not gated, since a run stood for it, which it does not any more."""
    return CheckReport(
        name=CheckName.ACCEPTANCE_LENGTH,
        head=head,
        external_id=USE,
        status=CheckStatus.COMPLETED,
        conclusion=Conclusion.NEUTRAL,
        title="No run stands for this commit any more",
        summary="The run that stood for this commit does not any more, and nothing was measured for it. The next push, "
        "or a sweep label that is taken off and added again, has it gated.",
        details_url=None,
    )
