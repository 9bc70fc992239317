"""`gatekit signoff check --repo --pr` as a person runs it: the bot's verdict, and nothing written."""

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from bot.cli.main import main
from bot.demo.github.faults import Answer
from tests.worlds.bot.bot_world import BotWorld
from tests.worlds.github.actions import say, unheard
from tests.worlds.signoff.checklist import form, open_box
from tests.worlds.signoff.signing import WHOLE, about, propose, row, signing_world, used


@dataclass
class Shell:
    world: BotWorld
    folder: Path
    said: pytest.CaptureFixture[str]

    async def check(self, body: str, *words: object) -> tuple[int, str, str]:
        """Exit status, stdout and stderr."""
        file = self.folder / "body.md"
        file.write_text(body)
        named = ("--repo", self.world.repo.full_name, "--pr", self.world.pull.number, "--body", file)
        status = await asyncio.to_thread(main, ["signoff", "check", *map(str, (*named, *words))])
        return status, *self.said.readouterr()

    async def checked(self, body: str, *words: object) -> tuple[int, dict[str, Any]]:
        status, out, _ = await self.check(body, "--json", *words)
        return status, json.loads(out)


@pytest.fixture
async def shell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> AsyncIterator[Shell]:
    async with signing_world(tmp_path) as world:
        app = world.github.world.app
        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("GATEKIT_APP_ID", str(app.id))
        monkeypatch.setenv("GATEKIT_PRIVATE_KEY", app.private_key)
        monkeypatch.setenv("GATEKIT_GITHUB_API_URL", world.github.url)
        yield Shell(world, tmp_path, capsys)


def outcomes(found: dict[str, Any]) -> dict[int, str]:
    return {each["n"]: each["outcome"] for each in found["checks"]}


async def test_it_is_the_verdict_that_the_bot_would_write_and_nothing_is_written(shell: Shell) -> None:
    world = shell.world
    await used(world)
    before = list(world.journal)
    status, found = await shell.checked(WHOLE, "--author", "ann")
    assert world.journal == before
    assert (status, found["outcome"], found["trigger"]) == (0, "PASS", "verify")
    text = about(world, await say(world, WHOLE, by="ann"))
    assert {n: row(text, n).partition(" ")[0] for n in range(16)} == outcomes(found)


async def test_what_would_be_rejected_is_said_with_the_item(shell: Shell) -> None:
    status, out, err = await shell.check(form(open_box("8")), "--author", "ann")
    assert (status, err) == (1, "")
    head, first, item = out.splitlines()[:3]
    assert head == f"{shell.world.repo.full_name}#{shell.world.pull.number} at {shell.world.pull.head}"
    assert (first, item) == ("REJECTED", "  item 8: open  (Nothing in it is deprecated by the table of models.)")
    assert shell.world.repo.comments == {}


@pytest.mark.parametrize(
    ("author", "outcome", "trigger", "status"),
    [
        ((), "UNDECIDED", "verify", 0),
        (("--author", "maria"), "PASS", "verify", 0),
        (("--author", "pat"), "FAIL", "verify", 1),
        (("--author", "tom"), "FAIL", "silent", 1),
        (("--author", "nobody-of-that-name"), "FAIL", "silent", 1),
    ],
)
async def test_who_signs(shell: Shell, author: tuple[str, ...], outcome: str, trigger: str, status: int) -> None:
    done, found = await shell.checked(WHOLE, *author)
    assert (outcomes(found)[0], found["trigger"], done) == (outcome, trigger, status)


async def test_one_that_is_not_needed(shell: Shell) -> None:
    propose(shell.world, "core", {"README.md": b"R.\n"})
    status, out, _ = await shell.check(WHOLE, "--author", "ann")
    assert (status, out.startswith("No sign-off is needed here: ")) == (0, True)
    status, found = await shell.checked(WHOLE)
    assert (status, found) == (0, {"outcome": "NOT NEEDED", "trigger": "verify", "items": [], "checks": []})


async def test_a_draft_would_not_be_verified_yet(shell: Shell) -> None:
    async with unheard(shell.world):
        shell.world.people.set_draft(shell.world.repo, shell.world.pull, draft=True, by="pat")
    status, out, _ = await shell.check(WHOLE, "--author", "ann")
    assert (status, "Nobody would take it for a sign-off (draft)" in out) == (1, True)


async def test_a_sweep_that_only_the_bot_knows_is_not_called_unknown(shell: Shell) -> None:
    async with unheard(shell.world):
        shell.world.people.comment(shell.world.repo, shell.world.pull, "/use 1", by="maria")
    _, found = await shell.checked(WHOLE, "--author", "ann")
    (reuse,) = (each for each in found["checks"] if each["n"] == 4)
    assert (reuse["outcome"], "only its own database knows" in reuse["reason"]) == ("WARN", True)


async def test_a_fact_that_cannot_be_read_is_undecided_and_what_cannot_be_begun_is_said(shell: Shell) -> None:
    faults = shell.world.github.faults
    faults.on("GET", "/repos/*/pulls/*/files", Answer(404, "Not Found"), times=100)
    _, found = await shell.checked(WHOLE, "--author", "ann")
    assert outcomes(found)[0] == "UNDECIDED"
    faults.on("GET", "/repos/*/pulls/*", Answer(404, "Not Found"), times=100)
    status, out, err = await shell.check(WHOLE)
    assert (status, out) == (2, "")
    assert "cannot be read: GET" in err


async def test_where_sign_offs_are_off(shell: Shell) -> None:
    off = {".github/gatekit.yml": b"signoff: {enabled: false}\n"}
    shell.world.people.push(shell.world.repo, "main", off, by="maria")
    status, out, err = await shell.check(WHOLE)
    assert (status, out) == (1, "")
    assert err.startswith("gatekit-demo/bench has sign-offs switched off")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--repo", "a/b"), "give --repo OWNER/NAME and --pr NUMBER together"),
        (("--pr", "7"), "give --repo OWNER/NAME and --pr NUMBER together"),
        ((), "give the checklist's page with --template FILE, or a pull request with --repo and --pr"),
        (("--repo", "a/b", "--pr", "7", "--template", "t.md"), "give the checklist's page with --template FILE, or"),
        (("--repo", "a/b", "--pr", "7", "--facts", "f.json"), "give --facts with --template"),
        (("--template", "t.md", "--author", "ann"), "give --author with --repo and --pr"),
    ],
)
def test_wrong_usage(capsys: pytest.CaptureFixture[str], words: tuple[str, ...], said: str) -> None:
    assert main(["signoff", "check", "--body", "body.md", *words]) == 2
    assert capsys.readouterr().err.startswith(f"gatekit signoff check: {said}")
