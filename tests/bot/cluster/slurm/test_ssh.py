"""The SSH connection against a real sshd: strict about keys, sparing with channels, honest about what is not known."""

import asyncio
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from bot.cluster.executor import ClusterUnreachable
from bot.cluster.ssh.client import Ssh
from bot.cluster.ssh.connection import Timing
from tests.worlds.bot.until import PATIENCE
from tests.worlds.slurm.cable import cable_to, known_hosts
from tests.worlds.slurm.world import EAGER, SlurmWorld

WORDS = ("printf", "%s\\n", "a b", "$(id)", "'", '"', "\\", "", "*", "é", "x\ny", "-n", "`id`", "~", "!!", "#")


def new_key(folder: Path, passphrase: str = "") -> Path:
    path = folder / "key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", passphrase, "-f", path], check=True)
    return path


async def test_words_reach_a_command_as_they_are(slurm: SlurmWorld) -> None:
    ssh = Ssh(slurm.address)
    answer = await ssh.run(WORDS, seconds=PATIENCE)
    assert answer.output.decode() == "".join(f"{word}\n" for word in WORDS[2:])
    answer = await ssh.run(("sh", "-c", "cat; echo oops >&2; exit 7"), b"given\0bytes", seconds=PATIENCE)
    assert (answer.status, answer.output, answer.errors) == (7, b"given\0bytes", b"oops\n")
    assert (await ssh.run(("sh", "-c", "kill -9 $$"), seconds=PATIENCE)).status == -1
    assert (await ssh.run(("true",), b"x" * 4_000_000, seconds=PATIENCE)).status == 0  # it never read that
    await ssh.close()


async def test_many_commands_share_one_connection(slurm: SlurmWorld, tmp_path: Path) -> None:
    async with cable_to(slurm.address, tmp_path) as cable:
        ssh = Ssh(cable.address)
        answers = await asyncio.gather(*(ssh.run(("echo", str(number)), seconds=PATIENCE) for number in range(60)))
        assert [int(answer.output) for answer in answers] == list(range(60))
        assert cable.plugged == 1
        await ssh.close()


async def test_a_channel_that_is_refused_is_asked_for_again(slurm: SlurmWorld) -> None:
    """sshd allows six here, and files take one: it frees those of commands a moment after we saw their ends."""
    ssh = Ssh(slurm.address)
    assert await ssh.files(lambda client: client.exists("/"), seconds=PATIENCE)
    answers = await asyncio.gather(*(ssh.run(("true",), seconds=PATIENCE) for _ in range(100)))
    assert {answer.status for answer in answers} == {0}
    await ssh.close()


async def test_output_is_bounded(slurm: SlurmWorld) -> None:
    ssh = Ssh(slurm.address)
    with pytest.raises(ClusterUnreachable, match="said more than"):
        await ssh.run(("yes",), seconds=PATIENCE)
    assert (await ssh.run(("true",), seconds=PATIENCE)).status == 0
    await ssh.close()


async def test_a_command_that_takes_too_long(slurm: SlurmWorld) -> None:
    ssh = Ssh(slurm.address)
    with pytest.raises(ClusterUnreachable, match=r"did not answer within 0\.3 s"):
        await ssh.run(("sleep", "30"), seconds=0.3)
    await ssh.close()


async def test_the_wrong_host_key_is_an_end(slurm: SlurmWorld, tmp_path: Path) -> None:
    wrong = tmp_path / "known_hosts"
    other = (slurm.place.folder / "bot_key.pub").read_text()
    async with cable_to(slurm.address, tmp_path) as cable:
        named = f"[127.0.0.1]:{cable.address.port} {other}"
        for text, said in ((named, f"is not the one in {wrong}: compare"), ("", f"{wrong} has no key of 127.0.0.1")):
            wrong.write_text(text)
            ssh = Ssh(replace(cable.address, known_hosts_file=str(wrong)), EAGER)
            before = cable.plugged
            for _ in range(3):
                with pytest.raises(ClusterUnreachable, match=said):
                    await ssh.run(("true",), seconds=PATIENCE)
            assert cable.plugged == before + 1  # a person must mend it, so it is not asked again and again
            await ssh.close()


async def test_the_wrong_key_is_an_end(slurm: SlurmWorld, tmp_path: Path) -> None:
    key = new_key(tmp_path)
    async with cable_to(slurm.address, tmp_path) as cable:
        ssh = Ssh(replace(cable.address, key_file=str(key)), EAGER)
        for _ in range(3):
            with pytest.raises(ClusterUnreachable, match=f"does not let the key {key} in: add it"):
                await ssh.run(("true",), seconds=PATIENCE)
        assert cable.plugged == 1
        await ssh.close()


@pytest.mark.parametrize(
    ("field", "said"),
    [("key_file", "give the bot its key"), ("known_hosts_file", "write the host's keys into it")],
)
async def test_a_file_that_is_missing(slurm: SlurmWorld, field: str, said: str) -> None:
    ssh = Ssh(replace(slurm.address, **{field: "/nowhere/at/all"}))
    with pytest.raises(ClusterUnreachable, match=said):
        await ssh.run(("true",), seconds=PATIENCE)


async def test_a_key_with_a_passphrase(slurm: SlurmWorld, tmp_path: Path) -> None:
    key = new_key(tmp_path, "secret")
    with pytest.raises(ClusterUnreachable, match="is no private key without a passphrase"):
        await Ssh(replace(slurm.address, key_file=str(key))).run(("true",), seconds=PATIENCE)


async def test_failures_in_a_row_are_answered_with_growing_silence(slurm: SlurmWorld, tmp_path: Path) -> None:
    async with cable_to(slurm.address, tmp_path) as cable:
        cable.broken = True
        ssh = Ssh(cable.address, Timing(first_pause=3600.0, longest_pause=3600.0))
        for _ in range(5):
            with pytest.raises(ClusterUnreachable):
                await ssh.run(("true",), seconds=PATIENCE)
        assert cable.plugged == 2  # once at once, then not for an hour
        with pytest.raises(ClusterUnreachable, match=r"cannot be reached.*asked again in 3[0-9]{3} s"):
            await ssh.run(("true",), seconds=PATIENCE)
        await ssh.close()


async def test_through_a_jump_host(slurm: SlurmWorld, tmp_path: Path) -> None:
    """The same machine plays both; its key is checked twice."""
    port = slurm.place.ports.ssh
    through = replace(slurm.address, jump=f"{slurm.place.user}@127.0.0.1:{port}")
    ssh = Ssh(through)
    assert (await ssh.run(("echo", "there"), seconds=PATIENCE)).output == b"there\n"
    await ssh.close()
    stranger = known_hosts(slurm.address, port + 1, tmp_path)  # knows neither
    with pytest.raises(ClusterUnreachable, match=r"has no key of 127\.0\.0\.1"):
        await Ssh(replace(through, known_hosts_file=stranger)).run(("true",), seconds=PATIENCE)
