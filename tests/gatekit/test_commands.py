"""`/use` and `/reuse-sweep-run`: which lines are commands, which are close and get an answer, which are nothing."""

import pytest

from gatekit.commands import NearMiss, Slip, Use, UseCommand, may_command, use_command

COMMANDS: list[tuple[str, int | None]] = [
    ("/use 12", 12),
    ("/reuse-sweep-run 12", 12),
    ("/reuse-sweep-run", None),
    ("  /use 12", 12),
    ("/use 12  ", 12),
    ("/use    12", 12),
    ("/use\t12", 12),
    ("/use\u00a012", 12),
    ("/use 17345678901", 17345678901),
    ("/use 007", 7),
    ("/use 12\r\n", 12),
    ("Looks good.\n\n/use 12\n\nThanks!", 12),
    ("Looks good.\n/use 12\nThanks!", 12),
    ("/use 12\n/use 13", 13),
    ("/reuse-sweep-run 12\n/use 13", 13),
    ("/use 13\n/reuse-sweep-run", None),
    ("/reuse-sweep-run\n12", None),  # the number on the next line is not the command's
    ("/use 12\n/use", 12),  # a near miss behind a command changes nothing
    ("/use\n\n/use 12", 12),
    ("```\n/use 9\n```\n/use 12", 12),
    ("> /use 9\n\n/use 12", 12),
    ("<!-- /use 9 -->\n\n/use 12", 12),
    ("/use 9223372036854775807", 9223372036854775807),
]

NEAR: list[tuple[str, Slip]] = [
    ("/use", Slip.NO_RUN),
    ("/use\n12", Slip.NO_RUN),
    ("/use #12", Slip.NOT_A_NUMBER),
    ("/use https://github.com/o/r/actions/runs/12", Slip.NOT_A_NUMBER),
    ("/use latest", Slip.NOT_A_NUMBER),
    ("/use -12", Slip.NOT_A_NUMBER),
    ("/use 12.5", Slip.NOT_A_NUMBER),
    ("/use ١٢", Slip.NOT_A_NUMBER),  # digits, but not those of an id
    ("/use 12345678901234567890123", Slip.NOT_A_NUMBER),
    ("/use 9223372036854775808", Slip.NOT_A_NUMBER),  # one more than an id can be
    ("/reuse-sweep-run 9999999999999999999", Slip.NOT_A_NUMBER),
    ("/use 12 13", Slip.SEVERAL),
    ("/use 12, 13", Slip.NOT_A_NUMBER),
    ("/use 12 please", Slip.NOT_ALONE),
    ("/use 12 # the green one", Slip.NOT_ALONE),
    ("/reuse-sweep-run abc", Slip.NOT_A_NUMBER),
    ("/reuse-sweep-run 1 2", Slip.SEVERAL),
    ("/reuse-sweep-run #12", Slip.NOT_A_NUMBER),
    ("/USE 12", Slip.SPELLING),
    ("/Use 12", Slip.SPELLING),
    ("/Reuse-Sweep-Run 12", Slip.SPELLING),
    ("/reuse 12", Slip.SPELLING),
    ("/reuse-sweep 12", Slip.SPELLING),
    ("/use: 12", Slip.SPELLING),
    ("/use-run 12", Slip.SPELLING),
    ("- /use 12", Slip.NOT_ALONE),
    ("* /use 12", Slip.NOT_ALONE),
    ("1. /use 12", Slip.NOT_ALONE),
    ("# /use 12", Slip.NOT_ALONE),
]

NOTHING = [
    "",
    "use 12",
    "please /use 12",
    "I would /use 12 here",
    "`/use 12`",
    "```\n/use 12\n```",
    "~~~\n/use 12\n~~~",
    "    /use 12",
    "> /use 12",
    "> quoted\n/use 12",  # goes on as the quote's paragraph
    "<!-- /use 12 -->",
    "<details>\n/use 12\n</details>",
    "see [/use 12](https://example.org)",
    "//use 12",
    "/user 12",
    "/users 12",
    "/use/12",
    "/use_12",
    "/usefull 12",
    "path/use 12",
    "/reused 12",
    "/reusable 12",
]


@pytest.mark.parametrize(("body", "run"), COMMANDS)
def test_a_command(body: str, run: int | None) -> None:
    assert use_command(body) == Use(run)
    assert may_command(body)


@pytest.mark.parametrize(("body", "slip"), NEAR)
def test_what_is_close_gets_an_answer(body: str, slip: Slip) -> None:
    found: UseCommand | None = use_command(body)
    assert isinstance(found, NearMiss)
    assert found.slip is slip
    assert may_command(body)


@pytest.mark.parametrize("body", NOTHING)
def test_what_is_nothing(body: str) -> None:
    assert use_command(body) is None
