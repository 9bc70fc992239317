"""`gatekit doctor` as the operator runs it, against a stand-in."""

import asyncio
import json
import os
import sys
from pathlib import Path

import pytest

from bot.demo.github.app import App
from bot.doctor.rights import needed
from tests.worlds.github.standin import WatchedGitHub, scene

GATEKIT = Path(sys.executable).with_name("gatekit")
CLUSTERS = """\
[clusters.here]
serves = ["cluster:here"]
executor = "local"
root = "{folder}/root"
aiperf = ["/bin/echo", "0.13.0"]
prompts = "{folder}/clusters.toml"
[clusters.here.policy]
images = ["gatekit/"]
models = ["gatekit/"]
[clusters.here.engines]
llamacpp = ["/bin/true"]
"""


def settings(app: App, api_url: str) -> dict[str, str]:
    return {
        "GATEKIT_APP_ID": str(app.id),
        "GATEKIT_PRIVATE_KEY": app.private_key,
        "GATEKIT_WEBHOOK_SECRET": app.webhook_secret,
        "GATEKIT_GITHUB_API_URL": api_url,
        "GATEKIT_ALLOW_LOCAL": "1",
        "GATEKIT_PORT": "0",
        "GATEKIT_OPERATOR_PORT": "0",
    }


async def doctor(folder: Path, env: dict[str, str], *words: str) -> tuple[int | None, str, str]:
    """Exit status, stdout and stderr, with nothing of our own environment but the path."""
    (folder / "clusters.toml").write_text(CLUSTERS.format(folder=folder))
    child = await asyncio.create_subprocess_exec(
        *(GATEKIT, "doctor", *words),
        env={"PATH": os.environ["PATH"], **env},
        cwd=folder,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await child.communicate()
    return child.returncode, out.decode(), err.decode()


@pytest.mark.parametrize("granted", [True, False])
async def test_the_whole_of_an_installation(tmp_path: Path, granted: bool) -> None:
    world = scene().world
    world.app.permissions = dict(needed().permissions) if granted else {"metadata": "read"}
    world.app.events = tuple(needed().events)
    async with WatchedGitHub(world) as github:
        env = settings(world.app, github.url)
        status, out, err = await doctor(tmp_path, env, "--json")
        text = (await doctor(tmp_path, env))[1]
    found = json.loads(out)
    assert (status, err) == (0 if granted else 1, "")
    assert {tuple(each) for each in found} == {("check", "ok", "detail", "mend")}
    wrong = [each["check"] for each in found if each["ok"] is False]
    assert [each["check"] for each in found if each["ok"] is None] == ["cluster here: prompts"]
    assert wrong == ([] if granted else ["github permissions", "github installations"])
    assert [each["check"] for each in found] == [
        *("settings", "app identity", "github app", "github permissions", "github events", "github installations"),
        *("database", "free disk", "webhook port", "operator port", "clusters file"),
        *(
            f"cluster here: {name}"
            for name in ("policy", "executor", "root", "llamacpp", "aiperf", "prompts", "tokenizer")
        ),
    ]
    lines = [line for line in text.splitlines() if not line.startswith("     → ")]
    for line, each in zip(lines, found, strict=True):
        assert line[5:].startswith(f"{each['check']}: ")
    assert text.count("→ ") == len(wrong) + 1
    assert sorted({line[:5] for line in lines}) == (["?    ", "ok   "] if granted else ["?    ", "BAD  ", "ok   "])
    assert "PRIVATE KEY-----" not in out + text


async def test_one_cluster_is_looked_at_without_github(tmp_path: Path) -> None:
    status, out, err = await doctor(tmp_path, {"GATEKIT_ALLOW_LOCAL": "1"}, "--cluster", "here", "--json")
    checks = [each["check"] for each in json.loads(out)]
    assert (status, err) == (0, "")
    assert checks[:2] == ["settings", "clusters file"]
    assert all(check.startswith("cluster here: ") for check in checks[2:])


@pytest.mark.parametrize(
    ("env", "check", "mend"),
    [
        ({"GATEKIT_PROT": "1"}, "settings", "GATEKIT_PORT"),
        ({"GATEKIT_PORT": "many"}, "settings", ""),
        ({"GATEKIT_APP_ID": ""}, "app identity", "set it to the App's id"),
        (
            {"GATEKIT_PRIVATE_KEY": "-----BEGIN PRIVATE KEY-----\nnone\n-----END PRIVATE KEY-----"},
            *("app identity", "use the file that GitHub gave for the App"),
        ),
        ({"GATEKIT_GITHUB_API_URL": "http://127.0.0.1:9"}, "github app", "GATEKIT_GITHUB_API_URL"),
    ],
)
async def test_what_is_wrong_with_the_settings_is_a_finding(
    tmp_path: Path, env: dict[str, str], check: str, mend: str
) -> None:
    whole = settings(scene().world.app, "http://127.0.0.1:9") | env
    status, out, err = await doctor(tmp_path, whole, "--json")
    found = next(each for each in json.loads(out) if each["ok"] is not True)
    assert (status, err, found["check"]) == (1, "", check)
    assert mend in found["mend"]
    assert found["mend"]
