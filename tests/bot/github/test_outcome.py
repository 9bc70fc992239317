"""After one try: hand on, ask again, or give up. A table per rule."""

import pytest

from bot.github.limits import GitHubLimits
from bot.github.operations import CREATE_COMMENT, PULL, TOKEN, UPDATE_COMMENT, Operation
from bot.github.outcome import (
    Again,
    BadCredentials,
    LostAnswer,
    Outcome,
    RateLimited,
    RestAnswer,
    RestRequest,
    RetryRules,
    Silence,
    Step,
    Tried,
    limited_for,
    next_step,
)
from handlers.errors import LookupFailed, NotAllowed, NotThere

NOW = 1000.0
RULES = RetryRules(GitHubLimits(), NOW)
PLACES: dict[str, str | int] = {
    "owner": "o", "repo": "r", "pull_number": 1, "issue_number": 1, "comment_id": 1, "installation_id": 1,
}  # fmt: skip
SILENCE = Silence("no answer in time")
FRESH = Tried()


def ask(operation: Operation) -> RestRequest:
    return RestRequest(operation, PLACES)


def answer(status: int, message: str = "", **headers: str) -> RestAnswer:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return RestAnswer(status, named, b'{"message": "%s"}' % message.encode())


def kind(step: Step) -> type:
    return type(step)


@pytest.mark.parametrize(
    ("operation", "outcome", "tried", "then"),
    [
        (PULL, SILENCE, FRESH, Again),
        (PULL, answer(502), FRESH, Again),
        (PULL, answer(502), Tried(failed=2), Again),
        (PULL, answer(502), Tried(failed=3), LookupFailed),
        (UPDATE_COMMENT, SILENCE, FRESH, Again),
        (TOKEN, answer(500), FRESH, Again),
        (CREATE_COMMENT, SILENCE, FRESH, LostAnswer),
        (CREATE_COMMENT, answer(502), FRESH, LostAnswer),
        (CREATE_COMMENT, answer(201), FRESH, RestAnswer),
        (CREATE_COMMENT, answer(403, "a secondary rate limit"), FRESH, Again),  # it was certainly not applied
        (CREATE_COMMENT, answer(422, "body is too long"), FRESH, LookupFailed),
        (PULL, answer(200), Tried(failed=3), RestAnswer),
        (PULL, answer(401), FRESH, BadCredentials),
        (PULL, answer(403, "Resource not accessible by integration"), FRESH, NotAllowed),
        (PULL, answer(404), FRESH, NotThere),
        (PULL, answer(410), FRESH, NotThere),
        (PULL, answer(429), Tried(limited=1), RateLimited),  # two minutes are too long
        (PULL, answer(429, retry_after="5"), Tried(limited=1), Again),
        (PULL, answer(429, retry_after="5"), Tried(limited=2), RateLimited),
        (PULL, answer(429, retry_after="91"), FRESH, RateLimited),
    ],
)
def test_what_follows_a_try(operation: Operation, outcome: Outcome, tried: Tried, then: type) -> None:
    assert kind(next_step(ask(operation), outcome, tried, RULES)) is then


@pytest.mark.parametrize(
    ("given", "before", "seconds"),
    [
        (answer(200, x_ratelimit_remaining="0", x_ratelimit_reset="1060"), 0, None),
        (answer(403, retry_after="30"), 0, 30),
        (answer(403, retry_after="soon"), 0, None),
        (answer(403, x_ratelimit_remaining="0", x_ratelimit_reset="1060"), 0, 61),
        (answer(403, x_ratelimit_remaining="0", x_ratelimit_reset="900"), 0, 1),
        (answer(403, x_ratelimit_remaining="7", x_ratelimit_reset="1060"), 0, None),
        (answer(403, "You have exceeded a secondary rate limit"), 0, 60),
        (answer(403, "You have triggered an abuse detection mechanism"), 0, 60),
        (answer(403, "Resource not accessible by integration"), 0, None),
        (answer(429), 0, 60),
        (answer(429), 1, 120),
    ],
)
def test_how_long_a_rate_limit_asks_us_to_wait(given: RestAnswer, before: int, seconds: float | None) -> None:
    assert limited_for(given, before, RULES) == seconds


@pytest.mark.parametrize(
    ("operation", "outcome", "said"),
    [
        (
            PULL,
            answer(403, "Resource not accessible by integration"),
            "GET /repos/o/r/pulls/1: GitHub answered 403 Resource not accessible by integration. "
            "It needs the App permission pull_requests: read",
        ),
        (PULL, answer(404, "Not Found."), "GET /repos/o/r/pulls/1: GitHub answered 404 Not Found"),
        (
            CREATE_COMMENT,
            SILENCE,
            "POST /repos/o/r/issues/1/comments: no answer in time. It may have been applied",
        ),
        (
            PULL,
            answer(429, retry_after="3600"),
            "GET /repos/o/r/pulls/1: GitHub's rate limit is used up until 1970-01-01 01:16:40 UTC",
        ),
    ],
)
def test_a_failure_says_what_was_asked_and_what_to_do(operation: Operation, outcome: Outcome, said: str) -> None:
    assert str(next_step(ask(operation), outcome, FRESH, RULES)) == said
