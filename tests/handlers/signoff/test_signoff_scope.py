"""Whether a sign-off is needed: said once where it is not, and never where something could not be read."""

from pathlib import Path

import pytest

from bot.demo.github.faults import Answer, EmptyPages, Trouble
from tests.worlds.bot.bot_world import BotWorld
from tests.worlds.github.actions import edit, say
from tests.worlds.signoff.signing import OWNERS, WHOLE, about, address, header, key, propose, row, said, signing_world

CORE, BOSS = {"README.md": b"New words.\n"}, {"boss/plan.md": b"A plan.\n"}
NOT_NEEDED = "No sign-off is needed here: "


@pytest.fixture
def exempt(signing: BotWorld) -> BotWorld:
    propose(signing, "plan", CORE | BOSS)
    return signing


async def test_one_that_is_not_needed_gets_one_short_answer(exempt: BotWorld) -> None:
    posted = await say(exempt, WHOLE, by="ann")
    assert said(exempt) == {key(posted): about(exempt, posted)}
    assert about(exempt, posted).startswith(NOT_NEEDED)
    before = list(exempt.journal)
    await edit(exempt, posted, f"{WHOLE}\n\nReally.", by="ann")
    assert exempt.journal == before


async def test_no_archive_is_read_for_it(exempt: BotWorld) -> None:
    await say(exempt, WHOLE, by="ann")
    assert not any("tarball" in call.path for call in exempt.github.calls)


async def test_the_core_team_beside_another_owner_exempts_nobody(signing: BotWorld) -> None:
    owners = f"{OWNERS}/both/ @gatekit-demo/core @ann\n".encode()
    signing.people.push(signing.repo, "main", {".github/CODEOWNERS": owners}, by="maria")
    propose(signing, "both", {"both/a.md": b"A.\n"})
    assert header(about(signing, await say(signing, WHOLE, by="ann")))


async def test_after_a_push_it_is_not_known_to_be_so_any_more(exempt: BotWorld) -> None:
    posted, head = await say(exempt, WHOLE, by="ann"), exempt.pull.head
    await exempt.push({"docs/notes.md": b"Owned.\n"})
    assert about(exempt, posted).startswith(f"No sign-off was needed at `{head[:7]}`. The head has moved since")
    await say(exempt, f"/signoff verify {address(exempt, posted)}", by="maria")
    assert header(about(exempt, posted))


@pytest.mark.parametrize(
    ("path", "trouble"),
    [
        ("/repos/*/pulls/*/files", Answer(502)),
        ("/repos/*/pulls/*/files", EmptyPages()),  # fewer than the pull request says
        ("/repos/*/codeowners/errors", Answer(502)),
        ("/repos/*/contents/.github/CODEOWNERS", Answer(502)),
        ("/repos/*/contents/.github/CODEOWNERS", Answer(404, "Not Found")),
        ("/repos/*/collaborators/boss/permission", Answer(502)),
        ("/repos/*/collaborators/boss/permission", Answer(403, "Resource not accessible by integration")),
        ("/repos/*/collaborators/boss/permission", Answer(404, "Not Found")),
    ],
)
async def test_what_cannot_be_read_exempts_nobody_and_withdraws_what_was_said(
    exempt: BotWorld, path: str, trouble: Trouble
) -> None:
    posted = await say(exempt, WHOLE, by="ann")
    assert about(exempt, posted).startswith(NOT_NEEDED)
    exempt.github.faults.on("GET", path, trouble, times=100)
    exempt.people.push(exempt.repo, "main", {"docs/a.md": b"Another tip.\n"}, by="maria")
    await edit(exempt, posted, f"{WHOLE}\n\nReally.", by="ann")
    assert header(about(exempt, posted)) in ("INCOMPLETE", "REJECTED", "WARN")
    assert set(said(exempt)) == {key(posted)}


async def test_where_not_even_the_branches_can_be_read_it_is_withdrawn_too(exempt: BotWorld) -> None:
    posted = await say(exempt, WHOLE, by="ann")
    exempt.github.faults.on("GET", "/repos/*/compare/*", Answer(502), times=100)
    await edit(exempt, posted, f"{WHOLE}\n\nReally.", by="ann")
    assert about(exempt, posted).startswith("This sign-off could not be verified: ")


async def test_a_line_that_github_calls_invalid_exempts_nobody(exempt: BotWorld) -> None:
    error = {
        "line": 1,
        "column": 3,
        "source": "* @gatekit-demo/core",
        "kind": "Unknown owner",
        "suggestion": "make sure the team exists",
        "message": "Unknown owner on line 1",
        "path": ".github/CODEOWNERS",
    }
    exempt.repo.owners_errors.append(error)
    assert header(about(exempt, await say(exempt, WHOLE, by="ann")))


async def test_owners_are_those_of_the_tip_of_the_target_branch(tmp_path: Path) -> None:
    """Neither of the pull request's own file, nor of the commit that it began at."""
    own = {"docs/notes.md": b"Notes.\n", ".github/CODEOWNERS": b"* @ann\n"}
    async with signing_world(tmp_path, own) as world:
        owners = {".github/CODEOWNERS": b"* @gatekit-demo/core\n/docs/ @maria\n"}
        world.people.push(world.repo, "main", owners, by="maria")
        text = about(world, await say(world, WHOLE, by="ann"))
        assert row(text, 0).startswith("FAIL — `docs/notes.md` belongs to `@maria`")


async def test_what_is_taken_away_has_owners_too(signing: BotWorld) -> None:
    signing.people.push(signing.repo, "main", {"amd/a.md": b"A long text that moves.\n"}, by="maria")
    propose(signing, "moved", {"amd/a.md": None, "nv/a.md": b"A long text that moves.\n"})
    text = about(signing, await say(signing, WHOLE, by="ann"))
    assert row(text, 0).startswith("FAIL — `nv/a.md` belongs to `@maria`")


@pytest.mark.parametrize(("member", "outcome"), [(True, "PASS"), (False, "UNDECIDED")])
async def test_a_team_that_may_not_be_looked_into_is_neither_a_yes_nor_a_no(
    signing: BotWorld, member: bool, outcome: str
) -> None:
    """GitHub answers alike where somebody is no member, and where we may not see it."""
    signing.github.world.teams["gatekit-demo/gpu"] = {"ann"} if member else {"zoe"}
    propose(signing, "gpu", {"gpu/a.md": b"A.\n"})
    assert row(about(signing, await say(signing, WHOLE, by="ann")), 0).startswith(outcome)
