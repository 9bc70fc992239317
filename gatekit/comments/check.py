"""The check run of a sweep: the signal that other workflows can wait for."""

from gatekit.comments.escape import inline
from gatekit.comments.limits import MAX_SUMMARY, fit
from gatekit.comments.sweep import cost, mode, paused, summary_line
from gatekit.comments.sweep_table import table
from gatekit.comments.tally import headline, standing, sweep_page, ungated
from gatekit.comments.use import chosen, command_text, run_name
from gatekit.domain.check_run import CheckName, CheckReport, CheckStatus, Conclusion
from gatekit.domain.ids import Sha
from gatekit.domain.sweep import GateState, Sweep, SweepState
from gatekit.domain.verdict import Outcome
from gatekit.use.decision import Chosen, Decision

MAX_TITLE = 255
USE = "use"  # external id of the one check run of a head that says which run stands for it
_OFF_CURVE = frozenset({Outcome.BELOW.value, Outcome.ABOVE.value})


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
    if words == {Outcome.ON_CURVE.value} and not ungated(sweep):
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
