"""Commands in comments: which lines are commands, which are close and get an answer, which are nothing."""

import pytest

from gatekit.commands import (
    Command,
    GateCommand,
    GateHelp,
    GateLater,
    GateMiss,
    GateStatus,
    SignOffMiss,
    SignOffSlip,
    Use,
    UseMiss,
    UseSlip,
    Verify,
    Who,
    gate_command,
    may_command,
    may_use,
    read_commands,
    signoff_command,
    use_command,
)
from gatekit.comments.replies import gate_later, gate_miss
from gatekit.formats.markdown import blocks, spoken_lines

URL = "https://github.com/o/r/pull/7#issuecomment-12"
CODE = "    /signoff who"

USES: list[tuple[str, int | None]] = [
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

NEARLY_USE: list[tuple[str, UseSlip]] = [
    ("/use", UseSlip.NO_RUN),
    ("/use\n12", UseSlip.NO_RUN),
    ("/use #12", UseSlip.NOT_A_NUMBER),
    ("/use https://github.com/o/r/actions/runs/12", UseSlip.NOT_A_NUMBER),
    ("/use latest", UseSlip.NOT_A_NUMBER),
    ("/use -12", UseSlip.NOT_A_NUMBER),
    ("/use 12.5", UseSlip.NOT_A_NUMBER),
    ("/use ١٢", UseSlip.NOT_A_NUMBER),  # digits, but not those of an id
    ("/use 12345678901234567890123", UseSlip.NOT_A_NUMBER),
    ("/use 9223372036854775808", UseSlip.NOT_A_NUMBER),  # one more than an id can be
    ("/reuse-sweep-run 9999999999999999999", UseSlip.NOT_A_NUMBER),
    ("/use 12 13", UseSlip.SEVERAL),
    ("/use 12, 13", UseSlip.NOT_A_NUMBER),
    ("/use 12 please", UseSlip.NOT_ALONE),
    ("/use 12 # the green one", UseSlip.NOT_ALONE),
    ("/reuse-sweep-run abc", UseSlip.NOT_A_NUMBER),
    ("/reuse-sweep-run 1 2", UseSlip.SEVERAL),
    ("/reuse-sweep-run #12", UseSlip.NOT_A_NUMBER),
    ("/USE 12", UseSlip.SPELLING),
    ("/Use 12", UseSlip.SPELLING),
    ("/Reuse-Sweep-Run 12", UseSlip.SPELLING),
    ("/reuse 12", UseSlip.SPELLING),
    ("/reuse-sweep 12", UseSlip.SPELLING),
    ("/use: 12", UseSlip.SPELLING),
    ("/use-run 12", UseSlip.SPELLING),
    ("- /use 12", UseSlip.NOT_ALONE),
    ("* /use 12", UseSlip.NOT_ALONE),
    ("1. /use 12", UseSlip.NOT_ALONE),
    ("# /use 12", UseSlip.NOT_ALONE),
]

NO_USE = [
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


def said(body: str) -> tuple[Command, ...]:
    return read_commands(spoken_lines(blocks(body)))


@pytest.mark.parametrize(("body", "run"), USES)
def test_a_run_is_to_be_used(body: str, run: int | None) -> None:
    assert use_command(said(body)) == Use(run)
    assert may_use(body)


@pytest.mark.parametrize(("body", "slip"), NEARLY_USE)
def test_what_is_close_to_a_use_gets_an_answer(body: str, slip: UseSlip) -> None:
    found = use_command(said(body))
    assert isinstance(found, UseMiss)
    assert found.slip is slip
    assert may_use(body)


@pytest.mark.parametrize("body", NO_USE)
def test_what_uses_nothing(body: str) -> None:
    assert use_command(said(body)) is None


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
def test_what_is_asked_about_sign_offs(body: str, wanted: object) -> None:
    assert signoff_command(said(body)) == wanted


@pytest.mark.parametrize(
    ("line", "slip"),
    [
        ("/signoff", SignOffSlip.NO_VERB),
        ("/signoff check", SignOffSlip.NO_VERB),
        ("/signoff please", SignOffSlip.NO_VERB),
        (f"/signoff {URL}", SignOffSlip.NO_VERB),
        ("/signoff verify", SignOffSlip.NO_ADDRESS),
        ("/signoff verify #12", SignOffSlip.NO_ADDRESS),
        ("/signoff verify 12", SignOffSlip.NO_ADDRESS),
        ("/signoff verify http://github.com/o/r/pull/7#issuecomment-12", SignOffSlip.NO_ADDRESS),
        (f"/signoff verify <{URL}>", SignOffSlip.NO_ADDRESS),
        (f"/signoff verify [it]({URL})", SignOffSlip.NO_ADDRESS),
        (f"/signoff verify {URL} please", SignOffSlip.NOT_ALONE),
        ("/signoff who can sign", SignOffSlip.NOT_ALONE),
        ("- /signoff who", SignOffSlip.NOT_ALONE),
        ("/Signoff who", SignOffSlip.SPELLING),
        ("/sign-off who", SignOffSlip.SPELLING),
        ("/signoffs who", SignOffSlip.SPELLING),
        ("/signoff Who", SignOffSlip.SPELLING),
        (f"/signoff VERIFY {URL}", SignOffSlip.SPELLING),
    ],
)
def test_what_is_close_to_a_question_about_sign_offs(line: str, slip: SignOffSlip) -> None:
    found = signoff_command(said(line))
    assert isinstance(found, SignOffMiss)
    assert found.slip is slip


@pytest.mark.parametrize(
    "body",
    ["", "Thanks!", "please /signoff who", "`/signoff who`", "```\n/signoff who\n```", CODE, "> /signoff who",
     "<!-- /signoff who -->", "/signoffice hours", "docs/signoff.md", "see /signoff/verify", "/sign"],
)  # fmt: skip
def test_what_asks_nothing_about_sign_offs(body: str) -> None:
    assert signoff_command(said(body)) is None


@pytest.mark.parametrize(
    ("body", "command"),
    [
        ("/gate help", GateHelp()),
        ("/gate status", GateStatus()),
        ("  /gate\tstatus  ", GateStatus()),
        ("Well.\n\n/gate help\n\nThanks.", GateHelp()),
        ("/gate help\n/gate status", GateStatus()),
        ("/gate status\n/gate what", GateStatus()),
        ("/gate run", GateLater("run")),
        ("/gate run   --fresh", GateLater("run --fresh")),
        ("/gate plan", GateLater("plan")),
        ("/gate cancel", GateLater("cancel")),
        ("/gate retry", GateLater("retry")),
        ("/gate retry a3f9c1d2", GateLater("retry")),
        ("/gate accept a3f9c1d2 it is known", GateLater("accept")),
        ("/gate", GateMiss("/gate")),
        ("/gate\nhelp", GateMiss("/gate")),
        ("/gate helps", GateMiss("/gate helps")),
        ("/gate run --new", GateMiss("/gate run --new")),
        ("/gate help me", GateMiss("/gate help me")),
        ("/Gate help", GateMiss("/Gate help")),
        ("/gates status", GateMiss("/gates status")),
        ("- /gate help", GateMiss("- /gate help")),
        ("/gateway help", None),
        ("/gate/help", None),
        ("please /gate help", None),
        ("`/gate help`", None),
        ("```\n/gate help\n```", None),
        ("> /gate help", None),
        ("", None),
    ],
)
def test_what_is_asked_of_the_gate(body: str, command: GateCommand | None) -> None:
    assert gate_command(said(body)) == command


@pytest.mark.parametrize("verb", ["run", "run --fresh", "plan", "cancel", "retry", "accept"])
def test_what_is_not_there_yet_says_so_and_what_helps(verb: str) -> None:
    assert gate_later(GateLater(verb)).startswith(f"`/gate {verb}` is not there yet. Until then: ")


def test_a_near_miss_is_escaped() -> None:
    assert gate_miss(GateMiss("/gate `@maria`")).startswith("`/gate '@maria'` is no command")


def test_one_comment_holds_commands_of_every_family() -> None:
    """All are read in one go, in their order; of each family the last counts."""
    body = f"/gate help\n/use 1\n/signoff who\n/use\n/signoff verify {URL}\n/Gate status\n/use 2"
    found = said(body)
    assert found == (
        GateHelp(),
        Use(1),
        Who(),
        UseMiss("/use", UseSlip.NO_RUN),
        Verify(URL),
        GateMiss("/Gate status"),
        Use(2),
    )
    assert (use_command(found), signoff_command(found), gate_command(found)) == (Use(2), Verify(URL), GateHelp())


@pytest.mark.parametrize("body", ["/use 1", "/Reuse-Sweep-Run", "/sign-off who", "- /GATES"])
def test_what_may_hold_a_command_is_read(body: str) -> None:
    assert may_command(body)
    assert said(body)


@pytest.mark.parametrize("body", ["", "Looks good.", "use the gate / sign off"])
def test_what_can_hold_none_is_not_read(body: str) -> None:
    assert not may_command(body)
