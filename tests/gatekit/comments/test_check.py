"""The check run says what the comment says, and never fails where the repository did not ask for it."""

from dataclasses import replace

import pytest

from gatekit.comments.check_runs import check_report
from gatekit.comments.limits import MAX_SUMMARY, length
from gatekit.domain.check_run import CheckName, CheckStatus, Conclusion
from gatekit.domain.sweep import GateRow, GateState, Sweep, SweepState
from gatekit.domain.verdict import CurveOutcome, NotMeasured, Unmeasured, Verdict
from tests.worlds.bench.plans import gate
from tests.worlds.bot import stories

ON = stories.judged(CurveOutcome.ON_CURVE, 2.5, 2.5)
BELOW = stories.judged(CurveOutcome.BELOW, 2.0, 2.5)
ABOVE = stories.judged(CurveOutcome.ABOVE, 3.0, 2.5)
UNDECIDED = stories.judged(CurveOutcome.INCONCLUSIVE, 2.38, 2.5)
NOT_MEASURED = NotMeasured(Unmeasured.LOST, "It is gone.")


def done(*verdicts: Verdict, enforce: bool = False) -> Sweep:
    rows = (GateRow(gate(f"g{n}"), GateState.JUDGED, 1, verdict) for n, verdict in enumerate(verdicts))
    return stories.sweep(*rows, state=SweepState.DONE, enforce=enforce)


@pytest.mark.parametrize(
    ("sweep", "report_only", "enforced"),
    [
        (done(ON, ON), Conclusion.SUCCESS, Conclusion.SUCCESS),
        (done(ON, BELOW), Conclusion.NEUTRAL, Conclusion.FAILURE),
        (done(ON, ABOVE), Conclusion.NEUTRAL, Conclusion.FAILURE),
        (done(BELOW, NOT_MEASURED), Conclusion.NEUTRAL, Conclusion.FAILURE),
        (done(ON, UNDECIDED), Conclusion.NEUTRAL, Conclusion.NEUTRAL),
        (done(ON, NOT_MEASURED), Conclusion.NEUTRAL, Conclusion.NEUTRAL),
        (stories.empty(), Conclusion.NEUTRAL, Conclusion.NEUTRAL),
        (stories.leftovers_only(), Conclusion.NEUTRAL, Conclusion.NEUTRAL),
        (stories.with_leftovers(done(ON)), Conclusion.NEUTRAL, Conclusion.NEUTRAL),  # a point has no curve
        (stories.cancelled(), Conclusion.NEUTRAL, Conclusion.CANCELLED),
        (stories.superseded(), Conclusion.NEUTRAL, Conclusion.CANCELLED),
    ],
)
def test_the_conclusion(sweep: Sweep, report_only: Conclusion, enforced: Conclusion) -> None:
    assert check_report(replace(sweep, enforce=False), None).conclusion is report_only
    assert check_report(replace(sweep, enforce=True), None).conclusion is enforced


def test_points_of_exempt_frameworks_do_not_spoil_a_success() -> None:
    sweep = done(ON)
    plan = replace(sweep.plan, unresolved=stories.UNRESOLVED[:2])
    assert check_report(replace(sweep, plan=plan), None).conclusion is Conclusion.SUCCESS


@pytest.mark.parametrize(
    ("sweep", "status"),
    [
        (stories.planned(), CheckStatus.QUEUED),
        (stories.halfway(), CheckStatus.IN_PROGRESS),
        (stories.all_well(), CheckStatus.COMPLETED),
        (stories.empty(), CheckStatus.COMPLETED),
    ],
)
def test_a_conclusion_is_given_exactly_when_all_is_over(sweep: Sweep, status: CheckStatus) -> None:
    report = check_report(sweep, None)
    assert report.status is status
    assert (report.conclusion is None) is (status is not CheckStatus.COMPLETED)


def test_what_the_report_says() -> None:
    report = check_report(stories.halfway(), "https://gates.example")
    assert report.name is CheckName.ACCEPTANCE_LENGTH
    assert (report.head, report.external_id) == (stories.HEAD, "12")
    assert report.title == "1 of 4 on curve, 1 below, 1 running, 1 waiting"
    assert report.details_url == "https://gates.example/sweeps/12"
    assert "Report-only: a verdict informs, it blocks nothing." in report.summary
    assert report.summary.count("\n| `tiny") == 4


def test_no_page_no_link() -> None:
    assert check_report(stories.halfway(), None).details_url is None


def test_a_summary_that_is_too_long_is_cut() -> None:
    verdict = NotMeasured(Unmeasured.ENGINE_FAILED, "words " * 100)
    report = check_report(done(*[verdict] * 300), None)
    assert length(report.summary) <= MAX_SUMMARY
    assert report.summary.endswith("the rest stands in the comment on the pull request.")
