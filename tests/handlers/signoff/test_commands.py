"""`/signoff verify` and `/signoff who`: by whom, about what, and what is answered."""

import pytest

from bot.demo.github.faults import Answer
from bot.demo.github.world import Comment
from tests.worlds.bot.bot_world import BotWorld
from tests.worlds.github.actions import edit, reaction, say
from tests.worlds.signoff.signing import WHOLE, about, address, header, key, propose, review, said

ELSEWHERE = "https://github.example/gatekit-demo/bench/pull"


def answer(world: BotWorld) -> str:
    return said(world).get("answer", "")


async def ask(world: BotWorld, body: str, by: str = "maria") -> Comment:
    return await say(world, body, by=by)


async def test_a_sign_off_is_looked_at_anew(signing: BotWorld) -> None:
    signing.github.faults.on("GET", "/repos/*/pulls/*/files", Answer(502), times=2)
    posted = await say(signing, WHOLE, by="ann")
    assert header(about(signing, posted)) == "INCOMPLETE"
    command = await ask(signing, f"/signoff verify {address(signing, posted)}")
    assert header(about(signing, posted)) == "WARN"
    assert (reaction(command), answer(signing)) == ("+1", "")


async def test_an_address_in_other_letters_and_of_the_files_page(signing: BotWorld) -> None:
    posted = await review(signing, WHOLE)
    url = address(signing, posted).replace("/pull/2", "/pull/2/files").replace("gatekit-demo", "Gatekit-Demo")
    assert reaction(await ask(signing, f"/signoff verify {url}")) == "+1"


@pytest.mark.parametrize(
    ("by", "body", "said_of"),
    [
        ("tom", "/signoff who", "`tom` may not ask for a verification"),
        ("stranger", "/signoff verify {url}", "`stranger` may not ask for a verification"),
        ("maria", "/signoff", "`/signoff` does nothing: write `/signoff who`"),
        ("maria", "/signoff verify 12", "it names no sign-off"),
        ("maria", "/signoff verify {url} please", "a command stands alone on its line"),
        ("maria", "/Signoff who", "commands are `/signoff who` and"),
        ("maria", "/signoff verify https://evil.example/o/r/pull/2#issuecomment-1", "This is no address of a sign-off"),
        ("maria", "/signoff verify {url}0000 ", "is not there any more: its last verdict stays"),
        ("maria", f"/signoff verify {ELSEWHERE}/2", "This is no address of a sign-off"),
        ("maria", f"/signoff verify {ELSEWHERE}/1#issuecomment-1", "belongs to another pull request"),
        (
            "maria",
            "/signoff verify https://github.example/other/bench/pull/2#issuecomment-1",
            "The address leads to another repository",
        ),
    ],
)
async def test_what_is_refused(signing: BotWorld, by: str, body: str, said_of: str) -> None:
    posted = await say(signing, WHOLE, by="ann")
    before = about(signing, posted)
    command = await ask(signing, body.format(url=address(signing, posted)), by=by)
    assert reaction(command) == "-1"
    assert said_of in answer(signing)
    assert about(signing, posted) == before


async def test_a_comment_of_another_pull_request_is_not_verified_here(signing: BotWorld) -> None:
    """Its number is in the address; what the comment itself belongs to says otherwise."""
    posted = await say(signing, WHOLE, by="ann")
    there = signing.pull
    propose(signing, "other", {"docs/b.md": b"B.\n"})
    url = address(signing, posted)
    assert f"/pull/{signing.pull.number}#" in url
    assert there.number != signing.pull.number
    command = await ask(signing, f"/signoff verify {url}")
    assert reaction(command) == "-1"
    assert answer(signing) == f"`{key(posted)}` belongs to another pull request: ask for it there."


@pytest.mark.parametrize(
    ("body", "said_of"),
    [
        ("Looks good.", "is no sign-off: it does not begin with the checklist's opening phrase."),
        (f"```\n{WHOLE}\n```", "the checklist is inside a code block"),
    ],
)
async def test_what_is_no_sign_off_is_not_verified(signing: BotWorld, body: str, said_of: str) -> None:
    posted = await say(signing, body, by="ann")
    command = await ask(signing, f"/signoff verify {address(signing, posted)}")
    assert reaction(command) == "-1"
    assert said_of in answer(signing)


async def test_our_own_verdict_is_no_sign_off(signing: BotWorld) -> None:
    await say(signing, WHOLE, by="ann")
    (own,) = (one for one in signing.repo.comments.values() if one.by_app)
    command = await ask(signing, f"/signoff verify {address(signing, own)}")
    assert reaction(command) == "-1"
    assert "is no sign-off" in answer(signing)


async def test_who_can_sign(signing: BotWorld) -> None:
    propose(signing, "both", {"amd/a.md": b"A.\n", "nv/b.md": b"B.\n", "README.md": b"R.\n"})
    command = await ask(signing, "/signoff who", by="pat")
    assert reaction(command) == "+1"
    assert answer(signing) == (
        "- `README.md`: anybody who owns something (line 1 of CODEOWNERS)\n"
        "- `amd/a.md`: `@ann` (line 3 of CODEOWNERS)\n"
        "- `nv/b.md`: `@maria` (line 4 of CODEOWNERS)\n\n"
        "Nobody can sign for all of it alone. The fewest are `@ann` and `@maria`: split the pull request, or ask an "
        "administrator."
    )


async def test_who_can_sign_where_nobody_needs_to_or_nobody_knows(signing: BotWorld) -> None:
    propose(signing, "core", {"README.md": b"R.\n"})
    await ask(signing, "/signoff who")
    assert answer(signing).startswith("No sign-off is needed here: ")
    signing.github.faults.on("GET", "/repos/*/pulls/*/files", Answer(502), times=100)
    await ask(signing, "/signoff who")
    assert answer(signing).startswith("Whether a sign-off is needed could not be found out, so one is: ")


async def test_a_command_in_any_state_of_the_pull_request(signing: BotWorld) -> None:
    signing.people.close(signing.repo, signing.pull, by="pat")
    assert reaction(await ask(signing, "/signoff who")) == "+1"


async def test_an_edit_brings_a_command_and_its_reaction(signing: BotWorld) -> None:
    command = await ask(signing, "/signoff")
    assert reaction(command) == "-1"
    await edit(signing, command, "/signoff who")
    assert reaction(command) == "+1"
    before = list(signing.journal)
    await edit(signing, command, "/signoff who\n\nPlease.")  # the same command is not done twice
    await edit(signing, command, "/signoff verify nothing", by="pat")  # another's edit is nobody's word
    signing.people.delete_comment(signing.repo, command, by="maria")
    await signing.settled()
    assert signing.journal == before


async def test_a_good_command_takes_an_earlier_no_back(signing: BotWorld) -> None:
    posted = await say(signing, WHOLE, by="ann")
    await ask(signing, "/signoff")
    await ask(signing, f"/signoff verify {address(signing, posted)}")
    assert answer(signing) == f"`{key(posted)}` was looked at anew: see the comment about it."


async def test_a_command_does_not_disturb_the_reactions_to_others(signing: BotWorld) -> None:
    use = await ask(signing, "/use 999")
    command = await ask(signing, "/signoff who")
    await ask(signing, "/use 998")
    assert (reaction(use), reaction(command)) == (None, "+1")


@pytest.mark.parametrize("body", ["Thanks!", "`/signoff who`", "> /signoff who", "please /signoff who"])
async def test_what_is_no_command_costs_nothing(signing: BotWorld, body: str) -> None:
    calls = len(signing.github.calls)
    assert reaction(await ask(signing, body)) is None
    assert len(signing.github.calls) == calls
