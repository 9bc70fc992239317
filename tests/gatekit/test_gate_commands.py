"""`/gate`: what is a command, what is close to one, what is nothing."""

import pytest

from gatekit.comments.replies import gate_later, gate_miss
from gatekit.gate_commands import Ask, GateCommand, GateMiss, Later, gate_command


@pytest.mark.parametrize(
    ("body", "command"),
    [
        ("/gate help", Ask.HELP),
        ("/gate status", Ask.STATUS),
        ("  /gate\tstatus  ", Ask.STATUS),
        ("Well.\n\n/gate help\n\nThanks.", Ask.HELP),
        ("/gate help\n/gate status", Ask.STATUS),
        ("/gate status\n/gate what", Ask.STATUS),
        ("/gate run", Later("run")),
        ("/gate run   --fresh", Later("run --fresh")),
        ("/gate plan", Later("plan")),
        ("/gate cancel", Later("cancel")),
        ("/gate retry", Later("retry")),
        ("/gate retry a3f9c1d2", Later("retry")),
        ("/gate accept a3f9c1d2 it is known", Later("accept")),
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
def test_what_a_comment_asks_for(body: str, command: GateCommand | None) -> None:
    assert gate_command(body) == command


@pytest.mark.parametrize("verb", ["run", "run --fresh", "plan", "cancel", "retry", "accept"])
def test_what_is_not_there_yet_says_so_and_what_helps(verb: str) -> None:
    assert gate_later(Later(verb)).startswith(f"`/gate {verb}` is not there yet. Until then: ")


def test_a_near_miss_is_escaped() -> None:
    assert gate_miss(GateMiss("/gate `@maria`")).startswith("`/gate '@maria'` is no command")
