"""The page of a sign-off: the evidence of each row, the same as JSON, and nothing but text."""

from dataclasses import replace

import pytest

from gatekit.domain.ids import Login, PrRef, Repo, Sha
from gatekit.signoff.checks.check import CheckFinding, Evidence, Outcome
from gatekit.signoff.checks.verdict import SignOffVerdict, VerdictRow
from gatekit.signoff.edits import Heard
from gatekit.signoff.evidence.description import Disclosure
from gatekit.signoff.resource import Resource, Surface
from handlers.ports.memory import SignOffComment
from tests.bot.pages.house import House, pr
from tests.bot.pages.reading import Page
from tests.bot.pages.test_hostile import EVIL, OUR_ATTRIBUTES, OURS
from tests.worlds.bot.hand_clock import NOON

SIGNOFF = {"pr", "resource", "said", "edited_by_another", "assessed_at", "verdict"}
VERDICT = {"outcome", "author", "assessed", "own", "disclosure", "checks"}
CHECK, EVIDENCE = {"n", "name", "outcome", "reason", "evidence"}, {"what", "where", "here", "there"}
KEY = "issuecomment-12"
PATH = f"/signoffs/acme/bench/7/{KEY}"


def verdict(*findings: CheckFinding, author: str = "ann") -> SignOffVerdict:
    rows = tuple(VerdictRow(number, f"name {number}", finding) for number, finding in enumerate(findings))
    what = Resource(Surface.CONVERSATION, 12)
    return SignOffVerdict(what, Login(author), Sha("1" * 40), rows, Disclosure.MISSING, own=False)


FAILS = CheckFinding(Outcome.FAIL, "another image", (Evidence("image", "configs/a.yaml:7", "acme/x:1", "vllm/"),))
PASSES = CheckFinding(Outcome.PASS, "all is there", (Evidence("template"),))


async def test_each_row_stands_with_its_evidence(house: House) -> None:
    await house.sign_offs.keep(pr(7), verdict(FAILS, PASSES))
    page = Page(await house.get(PATH))
    assert "Sign-off on acme/bench#7" in page.words
    assert "The comment issuecomment-12. This verdict stands in the comment about it." in page.words
    assert "REJECTED: signed by ann; reached 2026-11-30 at 12:00:00 UTC." in page.words
    assert "Check 0: name 0 FAIL: another image" in page.words
    assert "looked at where found held against image configs/a.yaml:7 acme/x:1 vllm/" in page.words
    assert "Check 1: name 1 PASS: all is there" in page.words
    assert f"https://github.example/acme/bench/pull/7#{KEY}" in page.links


async def test_the_same_as_json(house: House) -> None:
    await house.sign_offs.heard(pr(7), verdict().resource, Heard(frozenset(), True, None, NOON))
    await house.sign_offs.keep(pr(7), verdict(FAILS, PASSES))
    found = await house.json(f"/api{PATH}")
    assert isinstance(found, dict)
    assert found.keys() == SIGNOFF
    assert (found["said"], found["edited_by_another"], found["resource"]) == ("verdict", True, KEY)
    whole = found["verdict"]
    assert whole.keys() == VERDICT
    assert (whole["outcome"], whole["author"], whole["assessed"]) == ("REJECTED", "ann", "1" * 40)
    assert whole["checks"][0].keys() == CHECK
    assert whole["checks"][0]["evidence"] == [
        {"what": "image", "where": "configs/a.yaml:7", "here": "acme/x:1", "there": "vllm/"}
    ]
    assert "Somebody else edited this checklist" in Page(await house.get(PATH)).words


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        (SignOffComment.NOT_NEEDED, "says that no sign-off is needed."),
        (SignOffComment.HINT, "says how to post it"),
        (SignOffComment.FAILED, "says that it could not be verified: a verdict below is an earlier one."),
    ],
)
async def test_what_the_comment_says_instead(house: House, said: SignOffComment, shown: str) -> None:
    await house.sign_offs.say(pr(7), verdict().resource, said, None)
    assert shown in Page(await house.get(PATH)).words
    found = await house.json(f"/api{PATH}")
    assert isinstance(found, dict)
    assert (found["said"], found["verdict"], found["assessed_at"]) == (said.value, None, None)


async def test_one_number_in_two_repositories(house: House) -> None:
    other = PrRef(Repo("acme", "other"), 3)
    await house.sign_offs.keep(pr(7), verdict(FAILS))
    assert "Sign-off on acme/bench#7" in Page(await house.get(f"/signoffs/{KEY}")).words  # it leads on
    await house.sign_offs.keep(other, verdict(PASSES, author="zoe"))
    assert "signed by ann" in Page(await house.get(PATH)).words
    assert "signed by zoe" in Page(await house.get(f"/signoffs/ACME/Other/3/{KEY}")).words
    assert await house.get(f"/signoffs/{KEY}", 404) == (
        f"Several repositories have a sign-off of this number:\n{PATH}\n/signoffs/acme/other/3/{KEY}\n"
    )


@pytest.mark.parametrize(
    ("path", "named"),
    [
        ("/signoffs/issuecomment-13", "issuecomment-13"),
        ("/signoffs/12", "12"),
        ("/signoffs/acme/bench/8/issuecomment-12", "issuecomment-12"),
        ("/signoffs/acme/bench/7/issuecomment-012", "issuecomment-012"),
        ("/api/signoffs/acme/bench/7/nothing", "nothing"),
    ],
)
async def test_what_is_not_there_is_said_in_one_sentence(house: House, path: str, named: str) -> None:
    await house.sign_offs.keep(pr(7), verdict(FAILS))
    sentence = f"There is no sign-off {named} here: the link to its page stands in the comment about it.\n"
    assert await house.get(path, 404) == sentence


async def test_the_strict_headers_are_on_it(house: House) -> None:
    await house.sign_offs.keep(pr(7), verdict(FAILS))
    for path in (PATH, f"/api{PATH}", f"/signoffs/{KEY}", "/signoffs/1"):
        async with house.client.get(path, allow_redirects=False) as answer:
            assert answer.headers["Content-Security-Policy"].startswith("default-src 'none'; style-src 'self';"), path


async def test_hostile_text_is_text(house: House) -> None:
    evil = CheckFinding(Outcome.FAIL, f"reason {EVIL}", (Evidence(*(f"{one} {EVIL}" for one in "abcd")),))
    await house.sign_offs.keep(pr(7), replace(verdict(evil, author=f"author {EVIL}")))
    page = Page(await house.get(PATH))
    assert page.tags <= OURS
    assert page.attributes <= OUR_ATTRIBUTES
    assert all(link.startswith(("/", "https://github.example/acme/bench/pull/")) for link in page.links)
    for told in ("reason", "author", "a", "b", "c", "d"):
        assert f"{told} {EVIL}" in page.words, told
