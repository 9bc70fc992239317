"""Which prompt drafted how much: the counters' drafts, shared out among the answers of a replay.

The client knows when each answer began and ended and how many tokens it holds; the counters know the drafts. Engines
that count with every step verify all running answers in step, so what is drafted in a stretch of time belongs to the
answers that run in it, by the time that they do. Engines that count when a request ends count whole answers: the
answers that ended between two samples are those that make up the tokens generated in between, and share its drafts by
how long each took.

Of answers that take less than a second, client and network take a part that hides the engine's: no drafts are shared
out by such times. Engines that count when a request ends then tell of whole groups of answers, others of nothing.

An answer's first token comes from the prompt's own pass, without a draft; each later step gives one token more than it
accepts. So an answer of m tokens in n steps holds m - 1 tokens from drafting, and Σ (m - 1) / Σ n is the acceptance
length.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from gatekit.domain.job import ClientAnswer
from gatekit.measure.samples import Increment

MIN_SECONDS = 1.0  # of a mean answer whose time tells how much it drafted


@dataclass(frozen=True, slots=True)
class Share:
    """What belongs to one prompt, or to prompts that cannot be told apart."""

    drafts: float
    tokens: int  # from drafting


def shares(
    answers: Sequence[ClientAnswer], workers: Sequence[Sequence[Increment]], at_request_end: bool
) -> tuple[Share, ...]:
    """Of every prompt that was answered, or of groups of them; nothing where it cannot be known."""
    if not answers:
        return ()
    telling = sum(answer.end - answer.begin for answer in answers) >= MIN_SECONDS * len(answers)
    if not at_request_end:
        return _by_prompt(answers, _in_step(answers, workers)) if telling else ()
    groups = _ended_together(answers, workers)
    if not telling or _one_at_a_time(answers):
        return tuple(Share(group.drafts, sum(map(_drafted, group.answers))) for group in groups)
    drafts = {id(answer): share for group in groups for answer, share in group.by_duration()}
    return _by_prompt(answers, [drafts[id(answer)] for answer in answers])


@dataclass(frozen=True, slots=True)
class _Group:
    """Answers that ended between the same two samples."""

    answers: tuple[ClientAnswer, ...]
    drafts: int

    def by_duration(self) -> list[tuple[ClientAnswer, float]]:
        seconds = [max(answer.end - answer.begin, 0.0) for answer in self.answers]
        whole = sum(seconds) or 1.0
        return [(answer, self.drafts * part / whole) for answer, part in zip(self.answers, seconds, strict=True)]


def _drafted(answer: ClientAnswer) -> int:
    """Its tokens from drafting: all but the first."""
    return max(answer.tokens - 1, 0)


def _by_prompt(answers: Sequence[ClientAnswer], drafts: Sequence[float]) -> tuple[Share, ...]:
    found: dict[int, Share] = {}
    for answer, own in zip(answers, drafts, strict=True):
        so_far = found.get(answer.prompt, Share(0.0, 0))
        found[answer.prompt] = Share(so_far.drafts + own, so_far.tokens + _drafted(answer))
    return tuple(found.values())


def _in_step(answers: Sequence[ClientAnswer], workers: Sequence[Sequence[Increment]]) -> list[float]:
    drafts = [0.0] * len(answers)
    order = sorted(range(len(answers)), key=lambda number: answers[number].begin)
    for parts in workers:
        running: list[int] = []
        begun = 0
        for part in parts:
            begin = float("-inf") if part.begin is None else part.begin
            end = float("inf") if part.end is None else part.end
            while begun < len(order) and answers[order[begun]].begin < end:
                running.append(order[begun])
                begun += 1
            running = [number for number in running if answers[number].end > begin]
            seconds = [_overlap(answers[number], begin, end) for number in running]
            whole = sum(seconds)
            for number, own in zip(running, seconds, strict=True):
                drafts[number] += part.drafts * own / whole if whole > 0 else 0.0
    return drafts


def _overlap(answer: ClientAnswer, begin: float, end: float) -> float:
    return max(min(answer.end, end) - max(answer.begin, begin), 0.0)


def _ended_together(answers: Sequence[ClientAnswer], workers: Sequence[Sequence[Increment]]) -> list[_Group]:
    """The smallest groups of answers, in the order of their ends, whose tokens are what was generated between samples.

    Where that never agrees, or is not counted, there is one group of all.
    """
    parts = sorted((part for parts in workers for part in parts), key=lambda part: _last(part.end))
    ended = sorted(answers, key=lambda answer: answer.end)
    groups: list[_Group] = []
    taken = drafts = generated = tokens = done = 0
    for part in parts:
        drafts += part.drafts
        generated += part.generated or 0
        while taken < len(ended) and tokens < generated:
            tokens += ended[taken].tokens
            taken += 1
        if tokens == generated and taken > done:
            groups.append(_Group(tuple(ended[done:taken]), drafts))
            done, drafts = taken, 0
    if done < len(ended) or drafts:
        rest = groups.pop() if groups and done == len(ended) else _Group((), 0)
        groups.append(_Group((*rest.answers, *ended[done:]), rest.drafts + drafts))
    return groups


def _last(seconds: float | None) -> float:
    return float("inf") if seconds is None else seconds


def _one_at_a_time(answers: Sequence[ClientAnswer]) -> bool:
    """Did no two run at once, and is there one to each prompt?"""
    order = sorted(answers, key=lambda answer: answer.begin)
    return len({answer.prompt for answer in answers}) == len(answers) and all(
        earlier.end <= later.begin for earlier, later in pairwise(order)
    )
