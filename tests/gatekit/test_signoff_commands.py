"""`/signoff verify` and `/signoff who`: which lines are commands, which are close, which are nothing."""

import pytest

from gatekit.signoff_commands import AskMiss, AskSlip, Verify, Who, signoff_command

URL = "https://github.com/o/r/pull/7#issuecomment-12"
CODE = "    /signoff who"


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("/signoff who", Who()),
        (f"/signoff verify {URL}", Verify(URL)),
        (f"  /signoff   verify\t{URL}  \r\n", Verify(URL)),
        (f"Once more, please.\n/signoff verify {URL}\nThanks!", Verify(URL)),
        (f"/signoff who\n/signoff verify {URL}", Verify(URL)),
        (f"/signoff verify {URL}\n/signoff nothing", Verify(URL)),  # a near miss behind a command changes nothing
        ("> /signoff who\n\n/signoff who", Who()),
    ],
)
def test_commands(body: str, wanted: object) -> None:
    assert signoff_command(body) == wanted


@pytest.mark.parametrize(
    ("line", "slip"),
    [
        ("/signoff", AskSlip.NO_VERB),
        ("/signoff check", AskSlip.NO_VERB),
        ("/signoff please", AskSlip.NO_VERB),
        (f"/signoff {URL}", AskSlip.NO_VERB),
        ("/signoff verify", AskSlip.NO_ADDRESS),
        ("/signoff verify #12", AskSlip.NO_ADDRESS),
        ("/signoff verify 12", AskSlip.NO_ADDRESS),
        ("/signoff verify http://github.com/o/r/pull/7#issuecomment-12", AskSlip.NO_ADDRESS),
        (f"/signoff verify <{URL}>", AskSlip.NO_ADDRESS),
        (f"/signoff verify [it]({URL})", AskSlip.NO_ADDRESS),
        (f"/signoff verify {URL} please", AskSlip.NOT_ALONE),
        ("/signoff who can sign", AskSlip.NOT_ALONE),
        ("- /signoff who", AskSlip.NOT_ALONE),
        ("/Signoff who", AskSlip.SPELLING),
        ("/sign-off who", AskSlip.SPELLING),
        ("/signoffs who", AskSlip.SPELLING),
        ("/signoff Who", AskSlip.SPELLING),
        (f"/signoff VERIFY {URL}", AskSlip.SPELLING),
    ],
)
def test_what_is_close(line: str, slip: AskSlip) -> None:
    found = signoff_command(line)
    assert isinstance(found, AskMiss)
    assert found.slip is slip


@pytest.mark.parametrize(
    "body",
    ["", "Thanks!", "please /signoff who", "`/signoff who`", "```\n/signoff who\n```", CODE, "> /signoff who",
     "<!-- /signoff who -->", "/signoffice hours", "docs/signoff.md", "see /signoff/verify", "/sign"],
)  # fmt: skip
def test_what_is_nothing(body: str) -> None:
    assert signoff_command(body) is None
