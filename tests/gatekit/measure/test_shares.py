"""The counters' drafts are shared out among the answers as the engine must have made them."""

import pytest

from gatekit.domain.job import ClientAnswer
from gatekit.measure.samples import Increment
from gatekit.measure.shares import Share, shares


def told(found: tuple[Share, ...]) -> list[tuple[float, int]]:
    return [(pytest.approx(share.drafts), share.tokens) for share in found]


def test_what_is_drafted_in_a_stretch_belongs_to_the_answers_that_run_in_it() -> None:
    """The first runs alone for two seconds, then both for two: 100 drafts alone, 60 of 120 together."""
    answers = [ClientAnswer(0, 0.0, 4.0, 401), ClientAnswer(1, 2.0, 4.0, 151)]
    parts = [Increment(100, 0, None, 2.0), Increment(120, 0, 2.0, None)]
    assert told(shares(answers, [parts], at_request_end=False)) == [(160.0, 400), (60.0, 150)]


def test_workers_add_up_and_turns_of_one_prompt_do_too() -> None:
    answers = [ClientAnswer(0, 0.0, 1.0, 11), ClientAnswer(0, 1.0, 2.0, 21), ClientAnswer(1, 0.0, 2.0, 31)]
    workers = [[Increment(40, 0, 0.0, 2.0)], [Increment(20, 0, 0.0, 2.0)]]
    assert told(shares(answers, workers, at_request_end=False)) == [(30.0, 30), (30.0, 30)]


def test_counters_that_move_at_the_end_tell_which_answers_ended_by_their_tokens() -> None:
    """The second sample ends in the middle of nothing: its tokens agree with no answer until the third."""
    answers = [ClientAnswer(0, 0.0, 1.5, 101), ClientAnswer(1, 1.5, 3.5, 51), ClientAnswer(2, 3.5, 6.0, 201)]
    parts = [
        Increment(40, 0, None, 2.0, 101),
        Increment(12, 0, 2.0, 3.0, 20),
        Increment(10, 0, 3.0, 4.0, 31),
        Increment(0, 0, 4.0, 5.0, 0),
        Increment(80, 0, 5.0, None, 201),
    ]
    assert told(shares(answers, [parts], at_request_end=True)) == [(40.0, 100), (22.0, 50), (80.0, 200)]


def test_answers_that_end_together_share_by_how_long_they_took() -> None:
    answers = [ClientAnswer(0, 0.0, 2.0, 101), ClientAnswer(1, 0.0, 3.0, 101), ClientAnswer(2, 2.0, 6.0, 101)]
    parts = [Increment(100, 0, None, 4.0, 202), Increment(80, 0, 4.0, None, 101)]
    assert told(shares(answers, [parts], at_request_end=True)) == [(40.0, 100), (60.0, 100), (80.0, 100)]


def test_one_at_a_time_no_times_are_needed_and_what_ends_together_is_one() -> None:
    answers = [ClientAnswer(n, 0.1 * n, 0.1 * n + 0.09, 11) for n in range(4)]
    parts = [Increment(9, 0, None, 0.2, 22), Increment(8, 0, 0.2, None, 22)]
    assert told(shares(answers, [parts], at_request_end=True)) == [(9.0, 20), (8.0, 20)]


def test_tokens_that_never_agree_leave_one_group() -> None:
    answers = [ClientAnswer(n, 2.0 * n, 2.0 * n + 2.0, 11) for n in range(3)]
    parts = [Increment(9, 0, None, 1.0, 7), Increment(8, 0, 1.0, None, 7)]
    assert told(shares(answers, [parts], at_request_end=True)) == [(17.0, 30)]


@pytest.mark.parametrize("at_request_end", [True, False])
def test_without_answers_there_is_nothing_to_share_out(at_request_end: bool) -> None:
    assert shares([], [[Increment(9, 0)]], at_request_end) == ()


def test_answers_of_less_than_a_second_tell_nothing_of_an_engine_that_counts_in_step() -> None:
    answers = [ClientAnswer(n, 0.1 * n, 0.1 * n + 0.4, 11) for n in range(4)]
    assert shares(answers, [[Increment(9, 0)]], at_request_end=False) == ()
