"""Every way in which an attempt can be over: what it means for its gate."""

from datetime import timedelta

import pytest

from gatekit.domain.sweep import ClusterReport, Earlier, Ending
from gatekit.domain.verdict import NotMeasured, Unmeasured
from gatekit.sweep.retry import AFTER, ATTEMPTS, AttemptEnd, End, Retry, decide
from tests.worlds.bot.stories import BELOW, ON_CURVE

NOTHING = NotMeasured(
    Unmeasured.REPLAY_FAILED, "The job ended before it started the engine, without a result: look at the log."
)
FAILED = NotMeasured(Unmeasured.ENGINE_FAILED, "The engine did not start: exit status 1.")
STOPPED = NotMeasured(Unmeasured.CANCELLED, "The job was cancelled before it ended.")
DIED = ClusterReport(Ending.INFRASTRUCTURE, sentence="a node of the job failed", node="node7")
LOST = ClusterReport(absent=True)
AGAIN = "again"


@pytest.mark.parametrize(
    ("ending", "verdict", "comes_to"),
    [
        # what was measured counts, whatever the cluster says of the job
        (Ending.REPLAYED, ON_CURVE, ON_CURVE),
        (Ending.INFRASTRUCTURE, BELOW, BELOW),
        (Ending.BUDGET, ON_CURVE, ON_CURVE),
        (None, ON_CURVE, ON_CURVE),
        # the gate's own failures
        (Ending.REPLAYED, FAILED, FAILED),
        (Ending.GATE_FAILED, FAILED, FAILED),
        (Ending.UNKNOWN, NOTHING, NOTHING),
        (None, FAILED, FAILED),
        # the cluster's
        (Ending.INFRASTRUCTURE, NOTHING, AGAIN),
        (Ending.INFRASTRUCTURE, STOPPED, AGAIN),  # preempted: the node program only knows that it was told to stop
        # limits and refusals
        (Ending.BUDGET, STOPPED, Unmeasured.TIME_LIMIT),
        (Ending.MEMORY, NOTHING, Unmeasured.OUT_OF_MEMORY),
        (Ending.REFUSED, NOTHING, Unmeasured.REFUSED),
        (Ending.CANCELLED, STOPPED, Unmeasured.CANCELLED),
    ],
)
def test_a_first_attempt(ending: Ending | None, verdict: object, comes_to: object) -> None:
    decided = decide(AttemptEnd(1, verdict, ClusterReport(ending, sentence="so it went")))  # type: ignore[arg-type]
    if comes_to is AGAIN:
        assert isinstance(decided, Retry)
    elif isinstance(comes_to, Unmeasured):
        assert isinstance(decided, End)
        assert isinstance(decided.verdict, NotMeasured)
        assert decided.verdict.why is comes_to
    else:
        assert decided == End(verdict)  # type: ignore[arg-type]


def test_every_ending_is_decided() -> None:
    for ending in Ending:
        assert decide(AttemptEnd(1, NOTHING, ClusterReport(ending))) is not None


def test_the_cluster_may_fail_a_gate_three_times() -> None:
    over = AttemptEnd(1, NOTHING, DIED)
    waits = []
    while isinstance(decided := decide(over), Retry):
        waits.append(decided.after)
        over = AttemptEnd(over.attempt + 1, NOTHING, DIED, decided.earlier)
    assert (len(waits), over.attempt) == (ATTEMPTS - 1, ATTEMPTS)
    assert waits == list(AFTER) == [timedelta(seconds=30), timedelta(minutes=5)]
    assert decided == End(
        NotMeasured(
            Unmeasured.INFRASTRUCTURE,
            "The cluster failed 3 attempts; the last one on node7: a node of the job failed.",
        )
    )
    assert over.earlier == (Earlier(1, DIED), Earlier(2, DIED))


def test_a_lost_job_is_tried_once_more() -> None:
    first = decide(AttemptEnd(1, NOTHING, LOST))
    assert first == Retry(AFTER[0], (Earlier(1, LOST),))
    second = decide(AttemptEnd(2, NOTHING, LOST, (Earlier(1, LOST),)))
    assert isinstance(second, End)
    assert isinstance(second.verdict, NotMeasured)
    assert second.verdict.why is Unmeasured.LOST


def test_a_lost_job_after_a_dead_node_is_still_tried_once_more() -> None:
    assert isinstance(decide(AttemptEnd(2, NOTHING, LOST, (Earlier(1, DIED),))), Retry)
    assert isinstance(decide(AttemptEnd(3, NOTHING, LOST, (Earlier(1, DIED), Earlier(2, DIED)))), End)


@pytest.mark.parametrize(
    ("ending", "said", "reason"),
    [
        (Ending.BUDGET, "raise time_limit_minutes", "The job came to its time limit: raise time_limit_minutes."),
        (Ending.MEMORY, "it had 80 GB", "The job ran out of memory: it had 80 GB."),
        (Ending.REFUSED, "Invalid account", "The cluster does not take the job: Invalid account."),
        (Ending.REFUSED, "", "The cluster does not take the job: it did not say why."),
    ],
)
def test_the_sentence_holds_what_the_cluster_said(ending: Ending, said: str, reason: str) -> None:
    decided = decide(AttemptEnd(1, NOTHING, ClusterReport(ending, sentence=said)))
    assert isinstance(decided, End)
    assert decided.verdict.reason == reason
