"""One try of a request, and what to do after it: a pure decision, and the failures that it may end in."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TypeAlias

from bot.github.limits import GitHubLimits
from bot.github.operations import Operation
from gatekit.domain.ids import Repo
from gatekit.formats.redact import one_line
from handlers.errors import LookupFailed, NotAllowed, NotThere


class LostAnswer(LookupFailed):
    """A request that creates something got no answer. Look whether it was applied before anything else."""


class RateLimited(LookupFailed):
    """The rate limit lasts longer than we wait; the text says until when."""


class BadCredentials(LookupFailed):
    """401."""


class InstallationGone(LookupFailed):
    """GitHub knows no installation of this number."""


class TooLarge(LookupFailed):
    """More bytes came than the limit allows; the rest was not read."""


JSON = "application/vnd.github+json"
RAW = "application/vnd.github.raw+json"


@dataclass(frozen=True, slots=True)
class RestRequest:
    """A request. `path` fills the operation's template; `limit` bounds the answer, in bytes (None: that of JSON)."""

    operation: Operation
    path: Mapping[str, str | int]
    query: Mapping[str, str | int] = field(default_factory=dict)
    body: Mapping[str, object] | None = None
    accept: str = JSON
    limit: int | None = None

    @property
    def url(self) -> str:
        return self.operation.url(dict(self.path))

    def __str__(self) -> str:
        return f"{self.operation.method} {self.url}"


def names(repo: Repo) -> dict[str, str | int]:
    """The parts of an operation's path that name a repository."""
    return {"owner": repo.owner, "repo": repo.name}


@dataclass(frozen=True, slots=True)
class RestAnswer:
    """`headers` by lower-case name."""

    status: int
    headers: Mapping[str, str]
    body: bytes = field(repr=False)

    def json(self) -> object:
        """Raises LookupFailed where the body is no JSON."""
        try:
            value: object = json.loads(self.body)
        except ValueError:
            raise LookupFailed("GitHub answered with something that is no JSON") from None
        return value

    @property
    def message(self) -> str:
        """GitHub's own words for an error, shortened and without secrets; may be empty."""
        try:
            found = json.loads(self.body)
        except ValueError:
            return ""
        message = found.get("message") if isinstance(found, dict) else None
        return one_line(message) if isinstance(message, str) else ""


@dataclass(frozen=True, slots=True)
class Silence:
    """No answer, or half of one."""

    because: str


Outcome: TypeAlias = RestAnswer | Silence


@dataclass(frozen=True, slots=True)
class Tried:
    """What went wrong so far."""

    failed: int = 0
    limited: int = 0


@dataclass(frozen=True, slots=True)
class Again:
    """Ask again after so many seconds."""

    after: float
    tried: Tried


Step: TypeAlias = RestAnswer | Again | LookupFailed


@dataclass(frozen=True, slots=True)
class RetryRules:
    limits: GitHubLimits
    now: float


def next_step(ask: RestRequest, outcome: Outcome, tried: Tried, rules: RetryRules) -> Step:
    """The answer to hand on, or when to ask again, or the error to raise."""
    if isinstance(outcome, Silence):
        return _after_failure(ask, outcome.because, tried, rules.limits)
    wait = limited_for(outcome, tried.limited, rules)
    if wait is not None:
        return _after_limit(ask, wait, tried, rules)
    if outcome.status >= 500:
        return _after_failure(ask, _said(outcome), tried, rules.limits)
    return refused(ask, outcome) or outcome


def limited_for(answer: RestAnswer, before: int, rules: RetryRules) -> float | None:
    """Seconds that a rate limit asks us to wait; None: it is not about a rate limit.

    GitHub's order: `retry-after`, else the reset where nothing remains, else a minute at least, doubled each time.
    """
    if answer.status not in (403, 429):
        return None
    named = number(answer, "retry-after")
    if named is not None:
        return named
    reset = number(answer, "x-ratelimit-reset")
    if number(answer, "x-ratelimit-remaining") == 0 and reset is not None:
        return max(reset - rules.now, 0) + 1  # our clocks differ, and the reset is in whole seconds
    words = answer.message.lower()
    if answer.status == 429 or "rate limit" in words or "abuse" in words:
        return rules.limits.limited_seconds * 2.0**before
    return None


def refused(ask: RestRequest, answer: RestAnswer) -> LookupFailed | None:
    """The error that a refusing answer stands for."""
    operation, said = ask.operation, f"{ask}: {_said(answer)}"
    match answer.status:
        case 401:
            return BadCredentials(f"{said}. Check the App's id, its private key and this machine's clock")
        case 403 if operation.permission is None:
            return NotAllowed(f"{said}. Check that the installation is not suspended")
        case 403:
            return NotAllowed(f"{said}. It needs the App permission {operation.permission}: {operation.level}")
        case 404 | 410:
            return NotThere(said)
        case status if status >= 400:
            return LookupFailed(said)
    return None


def _after_failure(ask: RestRequest, because: str, tried: Tried, limits: GitHubLimits) -> Step:
    if ask.operation.creates:
        return LostAnswer(f"{ask}: {because}. It may have been applied")
    if tried.failed >= limits.retries:
        return LookupFailed(f"{ask}: {because}, {tried.failed + 1} times")
    after = limits.backoff_seconds * 4**tried.failed
    return Again(after, Tried(tried.failed + 1, tried.limited))


def _after_limit(ask: RestRequest, wait: float, tried: Tried, rules: RetryRules) -> Step:
    # a rate limit's answer is a certain no: nothing was applied, and also a creating request may be sent again
    if wait > rules.limits.longest_wait or tried.limited >= rules.limits.limited_retries:
        return RateLimited(f"{ask}: {until(rules.now + wait)}")
    return Again(wait, Tried(tried.failed, tried.limited + 1))


def until(moment: float) -> str:
    """The sentence about a rate limit that ends at `moment`, in seconds since the epoch."""
    return f"GitHub's rate limit is used up until {datetime.fromtimestamp(moment, UTC):%Y-%m-%d %H:%M:%S} UTC"


def number(answer: RestAnswer, name: str) -> int | None:
    """A header that should be a whole number; None where it is missing or is something else."""
    value = answer.headers.get(name, "")
    return int(value) if value.isascii() and value.isdigit() else None


def _said(answer: RestAnswer) -> str:
    return f"GitHub answered {answer.status} {answer.message}".rstrip(" .")
