"""What follows from each of SLURM's words, in the queue and in the accounts of four versions."""

import pytest

from gatekit.cluster.slurm.states import (
    WORDS,
    JobStanding,
    active_rows,
    ended_row,
    parse_accounting,
    parse_queue,
    read_word,
    row_of,
    waits_for,
)
from gatekit.domain.ids import JobName
from gatekit.domain.sweep import Ending
from tests.gatekit.cluster.slurm import texts

A, B, C = JobName("gk-7-a3f9c1d2-1"), JobName("gk-7-b04e11aa-1"), JobName("gk-7-c5d2e3f4-1")


@pytest.mark.parametrize(
    ("text", "id", "name", "standing"),
    [
        (texts.QUEUE_22_05, 31, A, JobStanding.RUNNING),
        (texts.QUEUE_22_05, 32, B, JobStanding.WAITING),
        (texts.QUEUE_22_05, 33, C, JobStanding.RUNNING),
        (texts.QUEUE_22_05, 30, "gk-7-d0d0d0d0-1", JobStanding.ENDED),
        (texts.QUEUE_23_11, 41, A, JobStanding.WAITING),
        (texts.QUEUE_23_11, 42, B, JobStanding.WAITING),
        (texts.QUEUE_23_11, 43, C, JobStanding.ENDED),
        (texts.QUEUE_24_11, 51, A, JobStanding.WAITING),
        (texts.QUEUE_24_11, 52, B, JobStanding.WAITING),
        (texts.QUEUE_24_11, 53, C, JobStanding.ENDED),
        (texts.QUEUE_25_05, 61, A, JobStanding.RUNNING),
        (texts.QUEUE_25_05, 62, B, JobStanding.ENDED),
        (texts.QUEUE_25_05, 63, C, JobStanding.UNKNOWN),
    ],
)
def test_the_queue_of_each_version(text: str, id: int, name: JobName, standing: JobStanding) -> None:
    row = row_of(parse_queue(text), id, name)
    assert row is not None
    assert read_word(row.state).standing is standing
    assert row.folder == f"{texts.RUN}/{name}"


def test_an_id_without_its_name_is_nobody() -> None:
    rows = parse_queue(texts.QUEUE_22_05)
    assert row_of(rows, 31, B) is None
    assert row_of(rows, 32, A) is None


def test_jobs_of_a_run_folder_that_have_not_ended() -> None:
    rows = parse_queue(texts.QUEUE_22_05 + texts.QUEUE_25_05)
    assert [row.id for row in active_rows(rows, A, f"{texts.RUN}/{A}")] == [31, 61]
    assert [row.id for row in active_rows(rows, B, f"{texts.RUN}/{B}")] == [32]  # the other one has ended
    assert [row.id for row in active_rows(rows, C, f"{texts.RUN}/{C}")] == [33, 63]  # and this one nobody knows
    assert active_rows(rows, A, f"/another/{A}") == ()


def test_a_name_may_hold_whatever_it_likes() -> None:
    row = next(row for row in parse_queue(texts.QUEUE_22_05) if row.id == 34)
    assert row.name == "an odd | name, with bars"


@pytest.mark.parametrize(
    "noise",
    ["", "\n", "slurm_load_jobs error: Unable to contact slurm controller\n", "12|RUNNING\n", "x|RUNNING|a|b|c\n"],
)
def test_what_is_no_row_is_passed_over(noise: str) -> None:
    assert parse_queue(noise) == ()
    assert parse_accounting(noise) == ()


@pytest.mark.parametrize(
    ("text", "id", "name", "state"),
    [
        (texts.ACCOUNTS_22_05, 31, A, "CANCELLED by 1001"),
        (texts.ACCOUNTS_22_05, 32, B, None),  # the controller lost it: its name was never written down
        (texts.ACCOUNTS_22_05, 33, C, "FAILED"),
        (texts.ACCOUNTS_22_05, 33, A, None),
        (texts.ACCOUNTS_22_05, 34, A, None),  # a step
        (texts.ACCOUNTS_23_11, 41, A, "NODE_FAIL"),
        (texts.ACCOUNTS_23_11, 42, B, "PREEMPTED"),
        (texts.ACCOUNTS_24_11, 51, A, "DEADLINE"),
        (texts.ACCOUNTS_24_11, 52, B, "CANCELLED by 0"),
        (texts.ACCOUNTS_24_11, 53, C, "OUT_OF_MEMORY"),
        (texts.ACCOUNTS_25_05, 61, A, "BOOT_FAIL"),
        (texts.ACCOUNTS_25_05, 62, B, None),  # stale: accounts come late
        (texts.ACCOUNTS_25_05, 63, C, "TIMEOUT"),
    ],
)
def test_the_accounts_of_each_version(text: str, id: int, name: JobName, state: str | None) -> None:
    row = ended_row(parse_accounting(text), id, name)
    assert (row.state if row else None) == state


@pytest.mark.parametrize(
    ("word", "standing", "ending"),
    [
        ("COMPLETED", JobStanding.ENDED, Ending.INFRASTRUCTURE),
        ("FAILED", JobStanding.ENDED, Ending.INFRASTRUCTURE),
        ("TIMEOUT", JobStanding.ENDED, Ending.BUDGET),
        ("DEADLINE", JobStanding.ENDED, Ending.BUDGET),
        ("OUT_OF_MEMORY", JobStanding.ENDED, Ending.MEMORY),
        ("CANCELLED", JobStanding.ENDED, Ending.INFRASTRUCTURE),
        ("CANCELLED by 0", JobStanding.ENDED, Ending.INFRASTRUCTURE),
        ("CANCELLED+", JobStanding.ENDED, Ending.INFRASTRUCTURE),
        ("NODE_FAIL", JobStanding.ENDED, Ending.INFRASTRUCTURE),
        ("PREEMPTED", JobStanding.ENDED, Ending.INFRASTRUCTURE),
        ("BOOT_FAIL", JobStanding.ENDED, Ending.INFRASTRUCTURE),
        ("REVOKED", JobStanding.ENDED, Ending.INFRASTRUCTURE),
        ("PENDING", JobStanding.WAITING, Ending.UNKNOWN),
        ("SUSPENDED", JobStanding.RUNNING, Ending.UNKNOWN),
        ("COMPLETING", JobStanding.RUNNING, Ending.UNKNOWN),
        ("completed", JobStanding.UNKNOWN, Ending.UNKNOWN),
        ("", JobStanding.UNKNOWN, Ending.UNKNOWN),
        ("HYPERSPACED", JobStanding.UNKNOWN, Ending.UNKNOWN),
    ],
)
def test_what_follows_from_a_word(word: str, standing: JobStanding, ending: Ending) -> None:
    assert (read_word(word).standing, read_word(word).ending) == (standing, ending)


def test_the_list_is_whole() -> None:
    """Base states and flags as SLURM 25.05 documents them."""
    documented = (
        "BOOT_FAIL CANCELLED COMPLETED DEADLINE FAILED NODE_FAIL OUT_OF_MEMORY PENDING PREEMPTED RUNNING SUSPENDED "
        "TIMEOUT COMPLETING CONFIGURING EXPEDITING LAUNCH_FAILED POWER_UP_NODE RECONFIG_FAIL REQUEUED REQUEUE_FED "
        "REQUEUE_HOLD RESIZING RESV_DEL_HOLD REVOKED SIGNALING SPECIAL_EXIT STAGE_OUT STOPPED UPDATE_DB"
    )
    assert set(WORDS) == set(documented.split())


def test_every_ended_word_says_something_and_no_other_concludes() -> None:
    for word in WORDS.values():
        assert (word.standing is JobStanding.ENDED) == (word.ending is not Ending.UNKNOWN)
        assert word.standing is not JobStanding.ENDED or word.sentence


@pytest.mark.parametrize(
    ("reason", "said"),
    [
        ("None", ""),
        ("Resources", "waits: Resources"),
        ("(Priority)", "waits: (Priority)"),
        ("JobHeldUser", "it is held: release it, or cancel the gate"),
        (
            "(launch failed requeued held)",
            "a node could not launch it: mend the node, release the job, or cancel the gate",
        ),
    ],
)
def test_what_a_pending_job_waits_for(reason: str, said: str) -> None:
    assert waits_for(reason) == said
