"""How a job ended: its own result first, then what its script saw, then SLURM's word. One row for each way."""

import json

import pytest

from gatekit.cluster.slurm.ending import Left, how_it_ended, own_result, parse_end
from gatekit.domain.ids import JobName
from gatekit.domain.sweep import Ending

NAME = JobName("gk-7-a3f9c1d2-1")


def result(outcome: str = "replayed", reason: str | None = None, job: str = NAME) -> str:
    requests = {"expected": 1, "ok": 1, "failed": 0, "output_tokens": 8}
    engine = {"name": "vllm", "version": None, "command": ["vllm"]}
    return json.dumps(
        {
            "schema": 1, "job": job, "gate": "f" * 64, "attempt": 1, "outcome": outcome, "reason": reason,
            "requests": requests, "prompts_sha256": None, "workers": [], "engine": engine, "aiperf": None,
            "seconds": {},
        }
    )  # fmt: skip


def end(why: str = "exit", rc: int = 0, left: str = "", job: str = NAME) -> str:
    return json.dumps({"job": job, "id": "31.0", "rc": rc, "why": why, "left": left, "alive": ""})


CANCELLED = result("failed", "cancelled")
FAILED = result("failed", "the engine exited with code 1.")
FOREIGN = result(job="gk-7-other-1")


@pytest.mark.parametrize(
    ("state", "left", "ending", "says"),
    [
        # the job's own result beats SLURM's opinion
        ("COMPLETED", Left(result(), end(), False), Ending.REPLAYED, "the replay ran to its end"),
        ("NODE_FAIL", Left(result(), None, False), Ending.REPLAYED, "the replay ran to its end"),
        ("", Left(result(), None, True), Ending.REPLAYED, "the replay ran to its end"),
        (
            "FAILED",
            Left(FAILED, end(rc=1), False),
            Ending.GATE_FAILED,
            "the gate failed: the engine exited with code 1",
        ),
        ("TIMEOUT", Left(FAILED, None, False), Ending.GATE_FAILED, "the gate failed: the engine exited with code 1"),
        # a job that was stopped does not know by whom
        ("FAILED", Left(CANCELLED, end("term", 143), True), Ending.CANCELLED, "the bot cancelled the job"),
        ("CANCELLED", Left(CANCELLED, end("term", 143), False), Ending.INFRASTRUCTURE, "and not by the bot"),
        ("FAILED", Left(CANCELLED, end("term", 143), False), Ending.INFRASTRUCTURE, "and not by the bot"),
        ("FAILED", Left(CANCELLED, end("limit", 124), False), Ending.BUDGET, "raise time_limit_minutes"),
        ("TIMEOUT", Left(CANCELLED, end("term", 143), False), Ending.BUDGET, "raise time_limit_minutes"),
        ("PREEMPTED", Left(CANCELLED, end("term", 143), False), Ending.INFRASTRUCTURE, "higher priority"),
        ("", Left(CANCELLED, end("term", 143), False), Ending.INFRASTRUCTURE, "and not by the bot"),
        # without a result
        ("CANCELLED by 0", Left(None, None, False), Ending.INFRASTRUCTURE, "(user 0 cancelled it)"),
        ("CANCELLED by 1001", Left(None, None, True), Ending.CANCELLED, "the bot cancelled the job"),
        ("TIMEOUT", Left(None, None, False), Ending.BUDGET, "raise time_limit_minutes"),
        ("NODE_FAIL", Left(None, None, False), Ending.INFRASTRUCTURE, "a node of the job failed"),
        ("OUT_OF_MEMORY", Left(None, None, False), Ending.MEMORY, "more memory"),
        ("OUT_OF_MEMORY", Left(None, end(rc=137), False), Ending.MEMORY, "more memory"),
        ("FAILED", Left(None, None, False), Ending.INFRASTRUCTURE, "could not be launched"),
        ("FAILED", Left(None, end(rc=5), False), Ending.GATE_FAILED, "ended with code 5, and left no result"),
        ("FAILED", Left(None, end("setup", 78), False), Ending.INFRASTRUCTURE, "could not be started"),
        ("FAILED", Left(None, end(rc=127), False), Ending.INFRASTRUCTURE, "could not be started"),
        ("COMPLETED", Left(None, None, False), Ending.INFRASTRUCTURE, "left no result: look at the shared file system"),
        ("COMPLETED", Left(None, end(), False), Ending.INFRASTRUCTURE, "ended well, but left no result"),
        ("", Left(None, None, False), Ending.INFRASTRUCTURE, "SLURM knows no such job any more"),
        # a result that is none of ours: cut short, another job's
        ("COMPLETED", Left(result()[:60], end(), False), Ending.INFRASTRUCTURE, "its result cannot be read"),
        (
            "COMPLETED",
            Left(FOREIGN, end(), False),
            Ending.INFRASTRUCTURE,
            "belongs to job gk-7-other-1, not to gk-7-a3",
        ),
        ("COMPLETED", Left(FOREIGN, None, False), Ending.INFRASTRUCTURE, "belongs to job gk-7-other-1"),
        ("NODE_FAIL", Left(result()[:60], None, False), Ending.INFRASTRUCTURE, "its result cannot be read"),
        # another job's end file counts for nothing
        ("FAILED", Left(None, end("limit", 124, job="gk-7-other-1"), False), Ending.INFRASTRUCTURE, "not be launched"),
    ],
)
def test_how_a_job_ended(state: str, left: Left, ending: Ending, says: str) -> None:
    how = how_it_ended(NAME, state, left)
    assert how.ending is ending, how.sentence
    assert says in how.sentence


@pytest.mark.parametrize(
    "text", [None, "", "{", "[]", "\0", '{"job": "gk-7-a3f9c1d2-1"}', end("sleepy"), end(job="gk-1-b-1")]
)
def test_an_end_file_that_is_none(text: str | None) -> None:
    assert parse_end(text, NAME) is None


def test_an_end_file() -> None:
    read = parse_end(end("limit", 124, "root:/tmp/x "), NAME)
    assert read is not None
    assert (read.why, read.rc, read.left) == ("limit", 124, "root:/tmp/x ")


def test_a_result_is_only_ours_with_our_name() -> None:
    assert own_result(result(), NAME) is not None
    assert own_result(FOREIGN, NAME) is None
    assert own_result(None, NAME) is None


@pytest.mark.parametrize(
    ("left", "alive", "says"),
    [
        ("", "", ""),
        ("root:/tmp/gk/x ", "", "files that it could not remove: root:/tmp/gk/x"),
        ("", "31 32 ", "processes that it could not end: 31 32"),
        ("root:/x", "31", "files that it could not remove: root:/x; processes that it could not end: 31"),
    ],
)
def test_what_a_job_left_is_said_beside_how_it_ended(left: str, alive: str, says: str) -> None:
    written = json.dumps({"job": NAME, "id": "31.0", "rc": 1, "why": "exit", "left": left, "alive": alive})
    how = how_it_ended(NAME, "FAILED", Left(FAILED, written, False))
    assert (how.left, how.ending) == (says, Ending.GATE_FAILED)
