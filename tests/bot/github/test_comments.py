"""One comment per slot, whatever GitHub does in between."""

import asyncio
import logging

import pytest

from bot.github.client import GitHubApp
from bot.github.comments import GitHubComments, SlotMemory
from bot.github.outcome import LostAnswer
from gatekit.comments.limits import MAX_COMMENT, SENTENCE
from gatekit.comments.slots import Slot, marked
from gatekit.domain.ids import PrRef, Repo
from handlers.errors import LookupFailed, NotThere
from tests.worlds.github.github_faults import APP_ID, NAME, OWNER, REPO, Applied, Fault, FaultyGitHub, Reply
from tests.worlds.github.ledger import MemoryLedger

PR = PrRef(Repo(OWNER, NAME), 1)
PATH = f"{REPO}/issues/1/comments"
GATES = marked(Slot.GATES, "")


@pytest.fixture
def ledger() -> MemoryLedger:
    return MemoryLedger()


@pytest.fixture
def comments(app: GitHubApp, ledger: MemoryLedger) -> GitHubComments:
    return GitHubComments(app, ledger)


def bodies(github: FaultyGitHub) -> list[str]:
    return [comment["body"] for comment in github.comments]


async def test_a_slot_is_posted_once_and_then_edited(github: FaultyGitHub, comments: GitHubComments) -> None:
    await comments.upsert(PR, Slot.GATES, "first")
    await comments.upsert(PR, Slot.REPLY, "another slot")
    await comments.upsert(PR, Slot.GATES, "second")
    assert bodies(github) == [marked(Slot.GATES, "second"), marked(Slot.REPLY, "another slot")]


async def test_the_same_text_asks_github_nothing(github: FaultyGitHub, comments: GitHubComments) -> None:
    await comments.upsert(PR, Slot.GATES, "text")
    before = len(github.asked)
    await comments.upsert(PR, Slot.GATES, "text")
    assert len(github.asked) == before


async def test_writers_of_one_slot_take_turns(github: FaultyGitHub, comments: GitHubComments) -> None:
    await asyncio.gather(*(comments.upsert(PR, Slot.GATES, f"text {number}") for number in range(5)))
    assert len(github.comments) == 1


@pytest.mark.parametrize(
    ("body", "by", "kind", "taken"),
    [
        (GATES + "old", APP_ID, "Bot", True),
        (GATES.replace("\n", "\r\n") + "old", APP_ID, "Bot", True),
        (GATES + "old", 99, "Bot", False),  # another App
        (GATES + "old", None, "User", False),  # a person pasted our marker
        (GATES + "old", APP_ID, "User", False),  # a person, through our App
        ("> " + GATES + "old", APP_ID, "Bot", False),  # our own App quotes the marker
        (marked(Slot.REPLY, "old"), APP_ID, "Bot", False),
    ],
)
async def test_only_our_own_comment_with_the_marker_in_front_counts(
    github: FaultyGitHub, comments: GitHubComments, body: str, by: int | None, kind: str, taken: bool
) -> None:
    github.comment(body, by, kind)
    await comments.upsert(PR, Slot.GATES, "new")
    assert bodies(github) == ([marked(Slot.GATES, "new")] if taken else [body, marked(Slot.GATES, "new")])


async def test_the_comment_is_found_on_a_later_page(github: FaultyGitHub, comments: GitHubComments) -> None:
    for number in range(230):
        github.comment(f"talk {number}", None, "User")
    ours = github.comment(GATES + "old")
    github.comment("more talk", None, "User")
    await comments.upsert(PR, Slot.GATES, "new")
    assert [comment["body"] for comment in github.comments if comment["id"] == ours] == [marked(Slot.GATES, "new")]
    assert (github.count("GET", PATH), len(github.comments)) == (3, 232)


async def test_a_comment_that_reads_so_already_is_only_remembered(
    github: FaultyGitHub, comments: GitHubComments, ledger: MemoryLedger
) -> None:
    ours = github.comment(marked(Slot.GATES, "text").replace("\n", "\r\n"))
    await comments.upsert(PR, Slot.GATES, "text")
    assert {asked.method for asked in github.asked if "comments" in asked.path} == {"GET"}
    assert (await ledger.recall(PR, Slot.GATES) or SlotMemory(0, "")).comment == ours


@pytest.mark.parametrize(
    "fault", [Fault.CUT_AFTER, Applied(Reply(502)), Applied(Reply(500, {"message": "Server Error"}))]
)
async def test_a_comment_whose_answer_was_lost_is_adopted(
    github: FaultyGitHub, comments: GitHubComments, fault: Fault | Applied
) -> None:
    github.next("POST", PATH, fault)
    await comments.upsert(PR, Slot.GATES, "text")
    await comments.upsert(PR, Slot.GATES, "next")
    assert bodies(github) == [marked(Slot.GATES, "next")]
    assert github.count("POST", PATH) == 1


async def test_a_comment_whose_answer_never_came_is_adopted(
    github: FaultyGitHub, impatient: GitHubApp, ledger: MemoryLedger
) -> None:
    github.next("POST", PATH, Fault.HANG_AFTER)
    await GitHubComments(impatient, ledger).upsert(PR, Slot.GATES, "text")
    assert (bodies(github), github.count("POST", PATH)) == ([marked(Slot.GATES, "text")], 1)


@pytest.mark.parametrize("fault", [Fault.CUT, Reply(502)])
async def test_a_comment_that_is_not_seen_yet_is_left_to_the_next_try(
    github: FaultyGitHub, comments: GitHubComments, fault: Fault | Reply
) -> None:
    github.next("POST", PATH, fault)
    with pytest.raises(LostAnswer):
        await comments.upsert(PR, Slot.GATES, "text")
    assert github.count("POST", PATH) == 1
    await comments.upsert(PR, Slot.GATES, "text")
    assert bodies(github) == [marked(Slot.GATES, "text")]


async def test_nothing_is_posted_while_the_comments_cannot_be_read(
    github: FaultyGitHub, comments: GitHubComments
) -> None:
    github.next("GET", PATH, *[Reply(502)] * 4)
    with pytest.raises(LookupFailed):
        await comments.upsert(PR, Slot.GATES, "text")
    assert github.comments == []


async def test_a_deleted_comment_is_posted_anew_once(
    github: FaultyGitHub, comments: GitHubComments, ledger: MemoryLedger
) -> None:
    await comments.upsert(PR, Slot.GATES, "text")
    github.comments.clear()
    await comments.upsert(PR, Slot.GATES, "next")
    assert bodies(github) == [marked(Slot.GATES, "next")]
    assert (await ledger.recall(PR, Slot.GATES) or SlotMemory(0, "")).comment == github.comments[0]["id"]


async def test_a_pull_request_that_is_gone_is_an_error(github: FaultyGitHub, comments: GitHubComments) -> None:
    github.next("GET", PATH, Reply(404, {"message": "Not Found"}))
    with pytest.raises(NotThere):
        await comments.upsert(PR, Slot.GATES, "text")


async def test_of_two_comments_the_oldest_is_kept_current(
    github: FaultyGitHub, app: GitHubApp, comments: GitHubComments, caplog: pytest.LogCaptureFixture
) -> None:
    """Two bots at once may both have posted; from then on all of them write to one."""
    old, extra = github.comment(GATES + "of one bot"), github.comment(GATES + "of another")
    with caplog.at_level(logging.WARNING):
        await comments.upsert(PR, Slot.GATES, "new")
    assert bodies(github) == [marked(Slot.GATES, "new"), GATES + "of another"]
    assert f"{PR} has more than one gates comment; {old} is kept current, not {extra}" in caplog.text


async def test_a_body_over_the_limit_is_cut_with_a_sentence(github: FaultyGitHub, comments: GitHubComments) -> None:
    await comments.upsert(PR, Slot.GATES, "line\n" * 20_000)
    (body,) = bodies(github)
    assert len(body) <= MAX_COMMENT
    assert body.startswith(GATES)
    assert body.endswith(SENTENCE)
