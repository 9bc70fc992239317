"""`gatekit plan --repo --pr` as a person runs it, against a stand-in: the plan of the bot, and nothing written."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from bot.cli.main import main
from bot.demo.github.app import App
from bot.demo.github.faults import Answer
from bot.demo.github.world import Pull, Repo, World
from tests.worlds.bench.bench_pr import BASE, DRAFT, EDITS, LEAN, SELF, THIRD, Setting, pull_of
from tests.worlds.github.openapi import held_to_contract
from tests.worlds.github.standin import WatchedGitHub, an_app

LOG = "perf-changelog.yaml"
CLUSTERS = """\
[clusters.here]
serves = ["cluster:elsewhere"]
executor = "local"
root = "/nowhere"
aiperf = ["/bin/aiperf"]
prompts = "/prompts.jsonl"
[clusters.here.policy]
[clusters.here.engines]
llamacpp = ["/bin/llama-server"]
"""


@pytest.fixture
async def github() -> AsyncIterator[WatchedGitHub]:
    async with WatchedGitHub(World.create(an_app())) as running, held_to_contract(running):
        yield running


@dataclass
class Shell:
    """A folder and an environment in which the command runs, in this process."""

    folder: Path
    env: pytest.MonkeyPatch
    said: pytest.CaptureFixture[str]

    async def plan(self, env: Mapping[str, str], *words: object) -> tuple[int, str, str]:
        """Exit status, stdout and stderr."""
        self.env.chdir(self.folder)
        for name, value in env.items():
            self.env.setenv(name, value)
        status = await asyncio.to_thread(main, ["plan", *map(str, words)])
        return status, *self.said.readouterr()


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    return Shell(tmp_path, monkeypatch, capsys)


def identity(app: App, github: WatchedGitHub) -> dict[str, str]:
    return {
        "GATEKIT_APP_ID": str(app.id),
        "GATEKIT_PRIVATE_KEY": app.private_key,
        "GATEKIT_GITHUB_API_URL": github.url,
    }


def named(repo: Repo, pull: Pull) -> tuple[object, ...]:
    return ("--repo", repo.full_name, "--pr", pull.number)


async def planned(shell: Shell, github: WatchedGitHub, setting: Setting, *words: object) -> tuple[int, str, str]:
    repo, pull = pull_of(github, setting)
    return await shell.plan(identity(github.world.app, github), *named(repo, pull), *words)


def written(folder: Path, files: Mapping[str, bytes]) -> Path:
    for path, content in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
    return folder


async def test_it_is_the_plan_of_the_checkout_and_nothing_is_written(shell: Shell, github: WatchedGitHub) -> None:
    repo, pull = pull_of(github, Setting())
    status, out, err = await shell.plan(identity(github.world.app, github), *named(repo, pull), "--json")
    assert (status, err) == (0, "")
    live: dict[str, Any] = json.loads(out)
    assert live.pop("head") == pull.head
    assert [gate["config_key"] for gate in live["gates"]] == [DRAFT, LEAN, SELF, THIRD]
    base = written(shell.folder / "base", {path: data for path, data in BASE.items() if isinstance(data, bytes)})
    head = written(shell.folder / "head", {**BASE, **EDITS})
    status, out, err = await shell.plan({}, "--tree", head, "--base-tree", base, "--json")
    assert (status, err) == (0, "")
    assert {**json.loads(out), "head": None} == {**live, "head": None}
    asked = [call for call in github.calls if call.method != "GET"]
    assert [call.path.rpartition("/")[2] for call in asked] == ["access_tokens"]
    assert (len(github.calls) <= 10, repo.comments, repo.checks, github.leaks) == (True, {}, {}, [])


async def test_the_text_names_the_pull_request_and_its_head(shell: Shell, github: WatchedGitHub) -> None:
    repo, pull = pull_of(github, Setting())
    status, out, _ = await shell.plan(identity(github.world.app, github), *named(repo, pull))
    assert (status, out.splitlines()[0]) == (0, f"{repo.full_name}#{pull.number} at {pull.head}")
    assert out.splitlines()[1] == "9 speculative points: 4 gates, 1 unresolved; 4 GPUs if all gates ran at once"


async def test_a_clusters_file_is_asked_where_there_is_one(shell: Shell, github: WatchedGitHub) -> None:
    (shell.folder / "clusters.toml").write_text(CLUSTERS)
    status, out, err = await planned(shell, github, Setting(), "--json")
    assert (status, err) == (0, "")
    assert {point["reason"] for point in json.loads(out)["unresolved"]} == {"exempt-framework", "no-cluster"}


async def test_what_cannot_be_planned_is_said_as_on_the_pull_request(shell: Shell, github: WatchedGitHub) -> None:
    edits = {LOG: BASE[LOG] + b"\n- config-keys: [a, b]\n  description: [x]\n  pr-link: x\n"}
    status, out, err = await planned(shell, github, Setting(edits=edits), "--json")
    assert (status, out) == (1, "")
    line = BASE[LOG].count(b"\n") + 2
    assert err.splitlines() == [
        f"{LOG}:{line}: names `{name}`, but the config key is in no master config; correct it or add the config"
        for name in "ab"
    ]


async def test_strict_holds_the_links_to_the_pull_request(shell: Shell, github: WatchedGitHub) -> None:
    added = EDITS[LOG][len(BASE[LOG]) :].replace(b"pull/XXX", b"pull/99")
    edits = {LOG: BASE[LOG] + added}
    status, out, err = await planned(shell, github, Setting(edits=edits), "--strict", "--json")
    assert (status, err) == (1, "")
    (broken,) = json.loads(out)["violations"]
    assert broken["where"].startswith(f"{LOG}:")
    assert broken["problem"].startswith("links to `https://github.example/gatekit-demo/bench/pull/99`; write ")


async def test_strict_has_nothing_to_say_of_a_good_changelog(shell: Shell, github: WatchedGitHub) -> None:
    status, out, err = await planned(shell, github, Setting(), "--strict", "--json")
    assert (status, err, json.loads(out)["violations"]) == (0, "", [])


async def test_settings_of_the_default_branch_count(shell: Shell, github: WatchedGitHub) -> None:
    setting = Setting(base={".github/gatekit.yml": b"mood: good\n"})
    status, out, err = await planned(shell, github, setting)
    assert (status, out) == (1, "")
    assert err.startswith(".github/gatekit.yml:1: does not know the key `mood`")


@pytest.mark.parametrize(
    ("change", "status", "said"),
    [
        ({"GATEKIT_APP_ID": ""}, 2, "GATEKIT_APP_ID is missing"),
        ({"GATEKIT_PRIVATE_KEY": "x"}, 2, "GATEKIT_PRIVATE_KEY is no PEM private key"),
        ({"GATEKIT_PRIVATE_KEY": "-----BEGIN RSA PRIVATE KEY-----\nAA\n"}, 2, "GATEKIT_PRIVATE_KEY cannot be used"),
        ({"GATEKIT_APP_ID": "78"}, 2, "gatekit-demo/bench#1 cannot be read: "),
        ({"GATEKIT_CLUSTERS_FILE": "gone.toml"}, 2, "gone.toml: cannot be read"),
    ],
)
async def test_wrong_settings_are_one_sentence(
    shell: Shell, github: WatchedGitHub, change: dict[str, str], status: int, said: str
) -> None:
    repo, pull = pull_of(github, Setting())
    env = identity(github.world.app, github) | change
    found, out, err = await shell.plan(env, *named(repo, pull))
    assert (found, out, err.count("\n")) == (status, "", 1)
    assert said in err
    assert "PRIVATE KEY-----" not in err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--repo", "gatekit-demo/bench", "--pr", "4000"), "gatekit-demo/bench#4000 cannot be read: GET "),
        (("--repo", "gatekit-demo/gone", "--pr", "1"), "the App is not installed on gatekit-demo/gone"),
    ],
)
async def test_what_is_not_there_is_one_sentence(
    shell: Shell, github: WatchedGitHub, words: tuple[str, ...], said: str
) -> None:
    pull_of(github, Setting())
    status, out, err = await shell.plan(identity(github.world.app, github), *words)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert said in err


async def test_a_github_that_does_not_answer_is_no_plan(shell: Shell, github: WatchedGitHub) -> None:
    github.faults.on("GET", "/repos/*/git/trees/*", Answer(409, "Conflict"))
    status, out, err = await planned(shell, github, Setting())
    assert (status, out) == (1, "")
    assert err.splitlines()[-1].startswith("gatekit-demo/bench#1 could not be read: GET ")
    assert err.endswith("Try again.\n")
