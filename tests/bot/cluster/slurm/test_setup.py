"""A cluster is set up with one command, and the bot's key can do nothing but what the bot does."""

import asyncio
import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.cli import cluster
from bot.cluster.executor import ClusterUnreachable, JobState
from bot.cluster.slurm.programs import shell_program
from bot.cluster.ssh.client import Ssh
from gatekit.domain.errors import Refusal
from gatekit.domain.sweep import Ending
from tests.worlds.bot.commands import run_command
from tests.worlds.bot.until import PATIENCE
from tests.worlds.slurm.up import allow
from tests.worlds.slurm.world import SlurmWorld

CLUSTERS = """
[clusters.small]
serves = ["cluster:small"]
executor = "slurm"
host = "127.0.0.1"
port = {port}
user = "{user}"
key_file = "{folder}/bot_key"
known_hosts_file = "{folder}/known_hosts"
partition = "gpu"
account = "bench"
gpus_per_node = 1
root = "{root}"
aiperf = ["aiperf"]
prompts = "/prompts"
[clusters.small.policy]
[clusters.small.engines]
[clusters.here]
serves = ["cluster:here"]
executor = "local"
root = "/var/lib/gatekit"
aiperf = ["aiperf"]
prompts = "/prompts"
[clusters.here.policy]
[clusters.here.engines]
"""


@pytest.fixture
def settings(slurm: SlurmWorld, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "clusters.toml"
    place = slurm.place
    root = place.shared / "setup"
    path.write_text(CLUSTERS.format(port=place.ports.ssh, user=place.user, folder=place.folder, root=root))
    monkeypatch.setenv("GATEKIT_CLUSTERS_FILE", str(path))
    return path


@pytest.fixture
def own_keys(slurm: SlurmWorld) -> Iterator[None]:
    """Whatever a test writes into authorized_keys, the bot's key is as it was afterwards."""
    yield
    allow(slurm.place, (slurm.place.folder / "bot_key.pub").read_text())


def is_file(path: str) -> bool:
    return Path(path).is_file()


def set_up(capsys: pytest.CaptureFixture[str]) -> dict[str, str]:
    assert run_command(cluster, "cluster", "setup", "small", "--json") == 0
    found: dict[str, str] = json.loads(capsys.readouterr().out)
    return found


async def in_thread(capsys: pytest.CaptureFixture[str]) -> dict[str, str]:
    return await asyncio.to_thread(set_up, capsys)


async def test_setup_says_what_it_did(slurm: SlurmWorld, settings: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, second = await in_thread(capsys), await in_thread(capsys)
    assert first == second
    assert [name for name in ("node", "remote", "door") if not is_file(first[name])] == []
    assert first["authorized_keys"].startswith(f'restrict,command="sh {first["door"]} {first["remote"]}" ssh-ed25519 ')
    assert await asyncio.to_thread(run_command, cluster, "cluster", "setup", "small") == 0
    said = capsys.readouterr().out
    assert first["authorized_keys"] in said
    assert "The controller answers" in said


@pytest.mark.parametrize(("name", "said"), [("nobody", "has no cluster nobody"), ("here", "is no SLURM cluster")])
def test_a_cluster_that_cannot_be_set_up(settings: Path, name: str, said: str) -> None:
    with pytest.raises(Refusal, match=said):
        run_command(cluster, "cluster", "setup", name)


def test_a_cluster_out_of_reach(settings: Path, slurm: SlurmWorld, capsys: pytest.CaptureFixture[str]) -> None:
    settings.write_text(settings.read_text().replace(f"port = {slurm.place.ports.ssh}", "port = 1"))
    assert run_command(cluster, "cluster", "setup", "small") == 1
    assert "cannot be reached" in capsys.readouterr().err


async def test_a_key_behind_the_door_runs_a_whole_gate(
    slurm: SlurmWorld, settings: Path, own_keys: None, capsys: pytest.CaptureFixture[str]
) -> None:
    ready = await in_thread(capsys)
    allow(slurm.place, ready["authorized_keys"] + "\n")
    drill = slurm.drill("finish", root=slurm.place.shared / "setup")
    await drill.submitted()
    status = await drill.ended()
    assert (status.state, status.ending) == (JobState.ENDED, Ending.REPLAYED)
    assert (await drill.executor.material(drill.name)).result is not None
    assert await drill.executor.cancel([drill.name]) == {drill.name}

    ssh = Ssh(slurm.address)
    for words in (("id",), ("sh", "-c", "id"), ("squeue", "--me"), ("sh", ready["door"], ready["remote"], "look", "/")):
        answer = await ssh.run(words, seconds=PATIENCE)
        assert (answer.status, answer.output) == (126, b""), words
        assert b"this key runs nothing but" in answer.errors
    await ssh.close()


async def test_after_an_update_the_earlier_door_does_not_keep_the_new_line_from_being_printed(
    slurm: SlurmWorld, settings: Path, own_keys: None, capsys: pytest.CaptureFixture[str]
) -> None:
    ready = await in_thread(capsys)
    earlier = ready["authorized_keys"].replace("/remote-", "/remote-0")
    allow(slurm.place, earlier + "\n")
    again = await in_thread(capsys)
    assert again == {**ready, "jobs": None}
    assert await asyncio.to_thread(run_command, cluster, "cluster", "setup", "small") == 0
    said = capsys.readouterr().out
    assert "still runs the program of an earlier version only" in said
    assert ready["authorized_keys"] in said
    drill = slurm.drill("finish", root=slurm.place.shared / "setup")
    with pytest.raises(ClusterUnreachable, match=r"runs \S+/remote-0\S+ only.*run `gatekit cluster setup`"):
        await drill.submitted()
    allow(slurm.place, again["authorized_keys"] + "\n")
    assert await in_thread(capsys) == ready


KEPT_OUT = (
    "",
    "id",
    "*",
    "sh",
    "sh PROGRAM",
    "sh -c PROGRAM look",
    "PROGRAM look /r",
    "bash PROGRAM look /r",
    "sh  -- PROGRAM look",
    "sh /other look /r",
    "sh PROGRAM/../x look /r",
    "sh PROGRAM evil /r",
    "sh PROGRAM look /r;id",
    "sh PROGRAM look $(id)",
    "sh PROGRAM look `id`",
    "sh PROGRAM look /r\nid",
    "sh PROGRAM look /r|id",
    "sh PROGRAM look >x",
    "sh PROGRAM look '/r'",
    "sh PROGRAM look \\",
    "sh PROGRAM look /r&",
    "sh PROGRAM look ${HOME}",
    "sh PROGRAM look ~",
    "/bin/sftp-server; id",
)


@pytest.mark.parametrize("asked", KEPT_OUT)
def test_what_the_door_keeps_out(asked: str, tmp_path: Path) -> None:
    done = through_the_door(asked, tmp_path)
    assert done.returncode == 126, done
    assert done.stdout == ""
    assert "this key runs nothing but" in done.stderr


@pytest.mark.parametrize("verb", ["submit", "look", "cancel", "tidy", "account", "check"])
def test_what_the_door_lets_in(verb: str, tmp_path: Path) -> None:
    done = through_the_door(f"sh PROGRAM {verb} /shared/a@b gk-1-a-1 --time=5 1,2", tmp_path)
    assert done.stdout.splitlines() == [verb, "/shared/a@b", "gk-1-a-1", "--time=5", "1,2"]


def through_the_door(asked: str, folder: Path) -> "subprocess.CompletedProcess[str]":
    door, program = folder / "door.sh", folder / "program.sh"
    door.write_bytes(shell_program("door").data)
    program.write_text('printf "%s\\n" "$@"\n')
    env = {"PATH": "/usr/bin:/bin", "SSH_ORIGINAL_COMMAND": asked.replace("PROGRAM", str(program))}
    return subprocess.run(["sh", door, program], env=env, capture_output=True, text=True, check=False)


async def test_a_program_that_somebody_removed_is_put_back(slurm: SlurmWorld) -> None:
    drill = slurm.drill("finish")
    await drill.executor.put_programs()
    for path in (slurm.root / "bin").glob("remote-*"):
        path.unlink()
    with pytest.raises(ClusterUnreachable):
        await drill.status()
    await drill.submitted()
    assert (await drill.ended()).ending is Ending.REPLAYED
