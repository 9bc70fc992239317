import pytest

from bot.github.limits import GitHubLimits
from bot.github.operations import CREATE_COMMENT, PULL, UPDATE_COMMENT, Operation
from bot.github.outcome import RateLimited, RestAnswer
from bot.github.pace import Budget, Traffic, Window
from tests.worlds.github.github_faults import FakeTime


def said(remaining: int, reset: int) -> RestAnswer:
    return RestAnswer(200, {"x-ratelimit-remaining": str(remaining), "x-ratelimit-reset": str(reset)}, b"")


@pytest.mark.parametrize(
    ("answers", "remaining"),
    [
        ([said(10, 100)], 10),
        ([said(10, 100), said(12, 100)], 10),  # an older answer that came late
        ([said(10, 100), said(9, 100)], 9),
        ([said(0, 100), said(5000, 3700)], 5000),
        ([said(5000, 3700), said(0, 100)], 5000),
        ([RestAnswer(200, {}, b"")], None),
        ([RestAnswer(200, {"x-ratelimit-remaining": "many", "x-ratelimit-reset": "1"}, b"")], None),
    ],
)
def test_what_remains_is_what_the_newest_answer_said(answers: list[RestAnswer], remaining: int | None) -> None:
    budget = Budget()
    for answer in answers:
        budget.learn(answer)
    assert budget.remaining == remaining


@pytest.mark.parametrize(("now", "free_at"), [(50, 101), (100, 0), (200, 0)])
def test_a_spent_hour_ends_at_its_reset(now: float, free_at: float) -> None:
    budget = Budget()
    budget.learn(said(0, 100))
    assert budget.free_at(now) == free_at


@pytest.mark.parametrize(("now", "free_at"), [(2, 10), (9, 10), (10, 10), (11, 11)])
def test_a_window_takes_so_many_and_no_more(now: float, free_at: float) -> None:
    window = Window(2, 10)
    for moment in (0, 1):
        window.count(moment)
    assert window.free_at(now) == free_at


@pytest.mark.parametrize(
    ("operation", "count", "seconds"),
    [
        (PULL, 100, 0),
        (UPDATE_COMMENT, 80, 0),
        (UPDATE_COMMENT, 81, 60),
        (CREATE_COMMENT, 160, 60),
    ],
)
async def test_writes_are_at_most_eighty_a_minute(operation: Operation, count: int, seconds: float) -> None:
    time = FakeTime()
    traffic, start = Traffic(GitHubLimits(write_gap=0), time), time.now()
    for _ in range(count):
        async with traffic.turn(operation):
            pass
    assert time.now() - start == seconds


async def test_five_hundred_new_things_an_hour_and_then_it_says_until_when() -> None:
    time = FakeTime()
    traffic = Traffic(GitHubLimits(write_gap=0, writes_per_minute=1000), time)
    for _ in range(500):
        async with traffic.turn(CREATE_COMMENT):
            pass
    async with traffic.turn(UPDATE_COMMENT):  # makes nothing new
        pass
    with pytest.raises(RateLimited, match="until 2027-01-15 09:00:00 UTC"):
        async with traffic.turn(CREATE_COMMENT):
            pass


async def test_the_gap_counts_from_the_end_of_a_write() -> None:
    time = FakeTime()
    traffic = Traffic(GitHubLimits(), time)
    async with traffic.turn(UPDATE_COMMENT):
        time.moment += 5
    async with traffic.turn(UPDATE_COMMENT):
        pass
    assert time.slept == [1]
