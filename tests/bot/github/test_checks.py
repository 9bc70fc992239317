"""One check run per name, head and external id."""

import asyncio
from dataclasses import replace

import pytest

from bot.github.checks import GitHubChecks, digest, may_change
from bot.github.client import GitHubApp
from bot.github.outcome import LostAnswer
from gatekit.comments.limits import MAX_SUMMARY
from gatekit.domain.check_run import CheckName, CheckReport, CheckStatus, Conclusion
from gatekit.domain.ids import Repo, Sha
from tests.worlds.github.github_faults import APP_ID, HEAD, NAME, OWNER, REPO, Applied, Fault, FaultyGitHub, Reply

BENCH = Repo(OWNER, NAME)
CREATE = f"{REPO}/check-runs"
STARTED = CheckReport(
    CheckName.ACCEPTANCE_LENGTH, Sha(HEAD), "12", CheckStatus.IN_PROGRESS, None, "0 of 2 gates", "| table |", None
)
DONE = replace(STARTED, status=CheckStatus.COMPLETED, conclusion=Conclusion.SUCCESS, title="2 of 2 gates")
CORRECTED = replace(DONE, conclusion=Conclusion.NEUTRAL)


@pytest.fixture
def checks(app: GitHubApp) -> GitHubChecks:
    return GitHubChecks(app)


def runs(github: FaultyGitHub) -> list[tuple[str, str, str | None]]:
    return [(run["external_id"], run["status"], run.get("conclusion")) for run in github.checks]


async def test_a_run_is_created_once_and_then_updated(github: FaultyGitHub, checks: GitHubChecks) -> None:
    await checks.put(BENCH, STARTED)
    await checks.put(BENCH, replace(STARTED, title="1 of 2 gates"))
    await checks.put(BENCH, DONE)
    assert runs(github) == [("12", "completed", "success")]
    assert github.checks[0]["output"] == {"title": "2 of 2 gates", "summary": "| table |"}
    assert github.count("GET", f"{REPO}/commits/{HEAD}/check-runs") == 1


async def test_the_same_report_asks_github_nothing(github: FaultyGitHub, checks: GitHubChecks) -> None:
    await checks.put(BENCH, STARTED)
    before = len(github.asked)
    await checks.put(BENCH, STARTED)
    assert len(github.asked) == before


async def test_writers_of_one_run_take_turns(github: FaultyGitHub, checks: GitHubChecks) -> None:
    await asyncio.gather(*(checks.put(BENCH, replace(STARTED, title=f"{n} of 9")) for n in range(5)))
    assert len(github.checks) == 1


@pytest.mark.parametrize(
    ("completed", "shown", "report", "allowed"),
    [
        (False, "", DONE, True),
        (True, digest(DONE), CORRECTED, True),
        (True, digest(DONE), DONE, False),
        (False, digest(STARTED), STARTED, False),
        (True, "", STARTED, False),  # a late report does not open it again
    ],
)
def test_a_completed_run_takes_a_corrected_end_and_no_new_beginning(
    completed: bool, shown: str, report: CheckReport, allowed: bool
) -> None:
    assert may_change(completed, shown, report) is allowed


async def test_a_new_external_id_makes_a_new_run(github: FaultyGitHub, checks: GitHubChecks) -> None:
    await checks.put(BENCH, DONE)
    await checks.put(BENCH, STARTED)
    await checks.put(BENCH, replace(STARTED, external_id="13"))
    assert runs(github) == [("12", "completed", "success"), ("13", "in_progress", None)]


@pytest.mark.parametrize(
    ("differs", "taken"),
    [
        ({}, True),
        ({"app": {"id": 99}}, False),
        ({"name": "another"}, False),
        ({"head_sha": "c" * 40}, False),
        ({"external_id": "11"}, False),
        ({"external_id": None, "app": None}, False),
    ],
)
async def test_only_our_own_run_of_this_sweep_is_updated(
    github: FaultyGitHub, checks: GitHubChecks, differs: dict[str, object], taken: bool
) -> None:
    mine = {"name": "acceptance length", "head_sha": HEAD, "external_id": "12", "app": {"id": APP_ID}}
    github.checks.append({"id": 1, "status": "queued", **mine, **differs})
    await checks.put(BENCH, STARTED)
    assert len(github.checks) == (1 if taken else 2)


async def test_a_run_of_an_earlier_process_is_found_among_many(github: FaultyGitHub, checks: GitHubChecks) -> None:
    other = {"name": "lint", "head_sha": HEAD, "external_id": "", "app": {"id": 5}, "status": "completed"}
    github.checks += [{"id": number, **other} for number in range(1, 151)]
    github.checks.append({**other, "id": 200, "name": "acceptance length", "external_id": "12", "app": {"id": APP_ID}})
    await checks.put(BENCH, DONE)
    assert len(github.checks) == 151
    assert github.checks[-1]["conclusion"] == "success"


@pytest.mark.parametrize("fault", [Fault.CUT_AFTER, Applied(Reply(502))])
async def test_a_run_whose_answer_was_lost_is_adopted(
    github: FaultyGitHub, checks: GitHubChecks, fault: Fault | Applied
) -> None:
    github.next("POST", CREATE, fault)
    await checks.put(BENCH, DONE)
    assert runs(github) == [("12", "completed", "success")]
    assert github.count("POST", CREATE) == 1


async def test_a_run_that_is_not_seen_yet_is_left_to_the_next_try(github: FaultyGitHub, checks: GitHubChecks) -> None:
    github.next("POST", CREATE, Fault.CUT)
    with pytest.raises(LostAnswer):
        await checks.put(BENCH, STARTED)
    assert github.count("POST", CREATE) == 1
    await checks.put(BENCH, STARTED)
    assert runs(github) == [("12", "in_progress", None)]


async def test_a_run_that_vanished_is_made_anew(github: FaultyGitHub, checks: GitHubChecks) -> None:
    await checks.put(BENCH, STARTED)
    github.checks.clear()
    await checks.put(BENCH, DONE)
    assert runs(github) == [("12", "completed", "success")]


async def test_a_summary_over_the_limit_is_cut(github: FaultyGitHub, checks: GitHubChecks) -> None:
    await checks.put(BENCH, replace(STARTED, summary="line\n" * 20_000, title="t" * 300))
    output = github.checks[0]["output"]
    assert len(output["summary"]) <= MAX_SUMMARY
    assert len(output["title"]) == 255


async def test_a_link_to_the_page_is_carried_where_there_is_one(github: FaultyGitHub, checks: GitHubChecks) -> None:
    await checks.put(BENCH, STARTED)
    await checks.put(BENCH, replace(STARTED, external_id="13", details_url="https://gatekit.example/sweeps/13"))
    assert [run.get("details_url") for run in github.checks] == [None, "https://gatekit.example/sweeps/13"]
