"""Every answer says what to do, and nothing that a person wrote acts in it."""

import pytest

from gatekit.comments import replies
from gatekit.domain.ids import Login, Sha

HEAD = Sha("abc1234def5678abc1234def5678abc1234def56")


@pytest.mark.parametrize(
    ("reply", "text"),
    [
        (
            replies.no_write_access(Login("mona"), "full-sweep-enabled"),
            "No sweep was started: `mona` added `full-sweep-enabled`, and a sweep needs write access to this "
            "repository. Ask a maintainer to remove the label and add it again.",
        ),
        (
            replies.two_primaries(("full-sweep-enabled", "full-sweep-fail-fast")),
            "`full-sweep-enabled` and `full-sweep-fail-fast` are on this pull request, but a sweep takes one of them: "
            "remove all but one.",
        ),
        (
            replies.nothing_to_gate(("evals-only",)),
            "Nothing to gate: `evals-only` is on this pull request. Remove it to have acceptance length gated.",
        ),
        (
            replies.nothing_to_gate(("a", "b", "c")),
            "Nothing to gate: `a`, `b` and `c` are on this pull request. Remove them to have acceptance length gated.",
        ),
        (
            replies.fork_refused(),
            "No sweep was started: this pull request comes from a fork, and a gate would run its recipes on the "
            "cluster. Push the branch to this repository.",
        ),
        (
            replies.cannot_plan(HEAD, ("configs/a.yaml:12: unknown key @octocat, say model",)),
            "`abc1234` could not be planned, so no gate runs: `configs/a.yaml:12`: unknown key `@octocat`, say model.",
        ),
        (
            replies.cannot_plan(HEAD, ("a.yaml:1: names x", "a.yaml:9: names @y")),
            "`abc1234` could not be planned, so no gate runs. 2 things are wrong:\n"
            "\n"
            "- `a.yaml:1`: names x.\n"
            "- `a.yaml:9`: names `@y`.",
        ),
        (replies.refused("Say which one."), "Say which one."),
        (
            replies.set_aside("0b989ba4-242f-11e5"),
            "Something went wrong on our side, again and again, and this was not dealt with. An operator finds it with "
            "`gatekit deliveries list` as `0b989ba4-242f-11e5` and can run it again; here, nobody has to do anything.",
        ),
        (
            replies.set_aside(None),
            "Something went wrong on our side while a gate's result was read. It is tried again from time to time; the "
            "operator finds the reason in the log.",
        ),
    ],
)
def test_the_words(reply: str, text: str) -> None:
    assert reply == text


@pytest.mark.parametrize(("count", "said"), [(11, "11"), (99, "99"), (100, "At least 100")])
def test_of_many_things_that_are_wrong_the_first_are_said(count: int, said: str) -> None:
    lines = replies.cannot_plan(HEAD, tuple(f"a.yaml:{n}: names x" for n in range(1, count + 1))).split("\n")
    assert lines[0] == f"`abc1234` could not be planned, so no gate runs. {said} things are wrong:"
    assert lines[2:] == [*(f"- `a.yaml:{n}`: names x." for n in range(1, 11)), "- And more of the kind."]


@pytest.mark.parametrize(
    "reply",
    [
        replies.no_write_access(Login("@octocat"), "@octocat <!-- x --> `"),
        replies.two_primaries(("@octocat", "`@octocat")),
        replies.nothing_to_gate(("@octocat",)),
        replies.cannot_plan(HEAD, ("@octocat",)),
        replies.cannot_plan(HEAD, ("@octocat", "see @octocat <!-- x -->")),
        replies.refused("see @octocat <!-- x -->"),
        replies.set_aside("@octocat"),
    ],
)
def test_nobody_is_mentioned(reply: str) -> None:
    outside = "".join(reply.split("`")[::2])
    assert "@" not in outside
    assert "<!--" not in reply


@pytest.mark.parametrize(
    ("reason", "text"),
    [
        (replies.all_gates_ended(), "every gate has ended"),
        (replies.superseded_by(HEAD), "the head moved to abc1234"),
        (replies.label_removed("full-sweep-enabled", "mona"), "the label full-sweep-enabled was removed by mona"),
        (replies.pull_closed(merged=True), "the pull request was merged"),
        (replies.pull_closed(merged=False), "the pull request was closed"),
    ],
)
def test_why_a_sweep_ended_is_plain_text(reason: str, text: str) -> None:
    assert reason == text
