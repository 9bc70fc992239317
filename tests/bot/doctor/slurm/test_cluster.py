"""What the doctor says of a SLURM cluster, asked through a real sshd of a real SLURM, with a key that has no shell."""

import asyncio
import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from bot.cli import doctor
from bot.doctor.finding import FindingState
from tests.bot.doctor.slurm.far import (
    ALWAYS,
    DIGEST,
    MARK,
    everything,
    exists,
    findings,
    root,
    without_file_transfer,
    wrong,
)
from tests.worlds.bot.commands import run_command
from tests.worlds.slurm.up import allow
from tests.worlds.slurm.world import SlurmWorld


async def test_a_cluster_where_everything_is_there_is_fine_and_is_left_as_it_was(
    slurm: SlurmWorld, line: str, text: str, tmp_path: Path
) -> None:
    before = everything(slurm)
    found = await findings(tmp_path, text)
    assert everything(slurm) == before
    assert not exists(MARK)
    assert wrong(found) == set(), found
    assert {name: found[name].state for name in ALWAYS} == ALWAYS, found
    assert found["controller"].detail.startswith("slurm-wlm ")
    assert found["aiperf"].detail == "0.13.1"
    assert DIGEST in found["prompts"].detail
    assert found["key"].detail == "runs nothing but our program and file transfer"
    assert found["gpus"].detail == "3 of 3 nodes with 8 or more can be used now"
    assert found["trial"].detail.startswith("SLURM would take a gate's job: sbatch: Job ")
    assert found["account"].detail.startswith("bench: SLURM does not look at it here")


async def test_what_the_command_says_and_how_it_ends(
    slurm: SlurmWorld,
    line: str,
    text: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Warnings, and what only a compute node could tell, are no failure."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GATEKIT_CLUSTERS_FILE", str(tmp_path / "clusters.toml"))
    await asyncio.to_thread((tmp_path / "clusters.toml").write_text, text)
    assert await asyncio.to_thread(run_command, doctor, "doctor", "--cluster", "far", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert {tuple(one) for one in found} == {("check", "ok", "detail", "mend")}
    assert {one["check"].removeprefix("cluster far: ") for one in found if one["ok"] is None} == {
        name for name, state in ALWAYS.items() if state is FindingState.UNSEEN
    }
    assert [one["check"] for one in found if one["ok"] is False] == []
    await asyncio.to_thread((tmp_path / "clusters.toml").write_text, text.replace('"gpu"', '"gone"'))
    assert await asyncio.to_thread(run_command, doctor, "doctor", "--cluster", "far") == 1
    said = capsys.readouterr().out
    for label in ("ok   cluster far: ssh", "BAD  cluster far: partition", "?    cluster far: gpus", "warn cluster far"):
        assert f"\n{label}" in said


@pytest.mark.parametrize(
    ("old", "new", "checks", "detail"),
    [
        ('partition = "gpu"', 'partition = "gone"', ("partition", "gpus", "trial"), "no partition gone"),
        ('account = "bench"', 'account = "bench"\ntime_limit_minutes = 241', ("time limit", "trial"), "allows 240"),
        ('account = "bench"', 'account = "bench"\ngpus_per_node = 9', ("gpus", "trial"), "the most is 8"),
        ('account = "bench"', 'account = "bench"\noptions = ["--nodelist=gone"]', ("trial",), "Invalid node name"),
    ],
)
async def test_what_is_wrong_is_named_with_its_mend_and_nothing_else_is(
    slurm: SlurmWorld, line: str, text: str, tmp_path: Path, old: str, new: str, checks: tuple[str, ...], detail: str
) -> None:
    assert old in text
    found = await findings(tmp_path, text.replace(old, new))
    assert wrong(found) == set(checks), found
    assert {found[check].state for check in checks} <= {FindingState.BAD, FindingState.UNKNOWN}
    assert found[checks[0]].state is FindingState.BAD
    assert detail in found[checks[0]].detail
    assert all(found[check].mend for check in checks)


async def test_what_an_operator_forgot_is_named_all_at_once(
    slurm: SlurmWorld, line: str, text: str, tmp_path: Path
) -> None:
    for old, new in {
        "/aiperf/bin/aiperf": "/aiperf/bin/gone",
        "/etc/hostname": "/etc/no such file; id",
        "tools/tokenizer": "tools/aiperf",
        'images = ["vllm/"]': "images = []",
    }.items():
        assert old in text
        text = text.replace(old, new)
    found = await findings(tmp_path, text)
    assert wrong(found) == {"aiperf", "prompts", "tokenizer", "policy"}
    assert "is no program on the login node" in found["aiperf"].detail
    assert "/etc/no such file; id cannot be read" in found["prompts"].detail
    assert "holds no tokenizer.json" in found["tokenizer"].detail


def new_key(folder: Path) -> Path:
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / "key"], check=True)
    return folder / "key"


@pytest.mark.parametrize(
    ("break_it", "detail", "mend"),
    [
        (lambda text, at, slurm: port(text, slurm, "9"), "cannot be reached: nothing listens there", "correct `host`"),
        (lambda text, at, slurm: text.replace('"127.0.0.1"', '"login.invalid"'), "is no name that", "correct `host`"),
        (lambda text, at, slurm: hosts(text, at, slurm, ""), "has no key of 127.0.0.1", "write it there"),
        (lambda text, at, slurm: hosts(text, at, slurm, "bot_key.pub"), "is not the one in", "compare them"),
        (
            lambda text, at, slurm: key(text, at, slurm),
            "does not let the key",
            "add it to the account's authorized_keys",
        ),
    ],
)
async def test_each_way_not_to_get_in_is_told_from_the_others(
    slurm: SlurmWorld,
    text: str,
    tmp_path: Path,
    break_it: Callable[[str, Path, SlurmWorld], str],
    detail: str,
    mend: str,
) -> None:
    found = await findings(tmp_path, break_it(text, tmp_path, slurm))
    assert (found["ssh"].state, detail in found["ssh"].detail) == (FindingState.BAD, True), found["ssh"]
    assert found["ssh"].mend.startswith(mend)
    assert {one.state for name, one in found.items() if name not in ("clusters file", "policy", "executor", "ssh")} == {
        FindingState.UNKNOWN
    }
    assert found["prompts"].detail == "could not find out: see cluster far: ssh"


def port(text: str, slurm: SlurmWorld, other: str) -> str:
    return text.replace(f"port = {slurm.address.port}", f"port = {other}")


def hosts(text: str, folder: Path, slurm: SlurmWorld, other: str) -> str:
    """`other`: a file with the key that is taken for the host's; empty: none."""
    named = f"[127.0.0.1]:{slurm.address.port} {(slurm.place.folder / other).read_text()}" if other else ""
    (folder / "hosts").write_text(named)
    return text.replace(slurm.address.known_hosts_file, str(folder / "hosts"))


def key(text: str, folder: Path, slurm: SlurmWorld) -> str:
    return text.replace(slurm.address.key_file, str(new_key(folder)))


async def test_a_key_with_a_shell_is_a_warning_with_the_line_to_write(
    slurm: SlurmWorld, line: str, text: str, tmp_path: Path
) -> None:
    allow(slurm.place, (slurm.place.folder / "bot_key.pub").read_text())
    found = await findings(tmp_path, text)
    assert (wrong(found), found["key"].state) == ({"key"}, FindingState.WARNING)
    assert "has a full shell" in found["key"].detail
    assert line.strip() in found["key"].mend


@pytest.mark.parametrize(
    ("change", "detail", "mend"),
    [
        (
            lambda line: line.replace("/remote-", "/remote-0"),
            "which is not the program of this version",
            "cluster setup",
        ),
        (lambda line: line.replace("/door-", "/gone-"), "runs neither a command nor our program", "take command="),
        (lambda line: line.replace('command="', 'command="echo hello #'), "runs neither a command", "take command="),
    ],
)
async def test_a_door_that_is_not_todays(
    slurm: SlurmWorld, line: str, text: str, tmp_path: Path, change: Callable[[str], str], detail: str, mend: str
) -> None:
    allow(slurm.place, change(line))
    found = await findings(tmp_path, text)
    assert (found["key"].state, detail in found["key"].detail) == (FindingState.BAD, True), found["key"]
    assert mend in found["key"].mend
    assert found["controller"].detail == "could not find out: see cluster far: key"


async def test_options_that_do_not_get_through_the_door(
    slurm: SlurmWorld, line: str, text: str, tmp_path: Path
) -> None:
    odd = text.replace('account = "bench"', 'account = "bench"\noptions = ["--nodelist=node[1]"]')
    found = await findings(tmp_path, odd)
    assert (found["key"].state, "through: --nodelist=node[1]" in found["key"].detail) == (FindingState.BAD, True)
    allow(slurm.place, (slurm.place.folder / "bot_key.pub").read_text())
    assert wrong(await findings(tmp_path, odd)) == {"key"}  # for its shell, which takes them


async def test_before_the_set_up_there_is_nothing_to_ask(slurm: SlurmWorld, text: str, tmp_path: Path) -> None:
    found = await findings(tmp_path, text.replace(f'root = "{root(slurm)}"', f'root = "{root(slurm)}-new"'))
    assert (found["programs"].state, found["programs"].mend) == (FindingState.BAD, "run gatekit cluster setup far")
    assert found["controller"].detail == "could not find out: see cluster far: programs"
    assert not exists(f"{root(slurm)}-new")


async def test_a_program_that_was_cut_short(slurm: SlurmWorld, line: str, text: str, tmp_path: Path) -> None:
    (program,) = (root(slurm) / "bin").glob("remote-*")
    whole = program.read_bytes()
    program.write_bytes(whole[:-100])
    try:
        found = await findings(tmp_path, text)
    finally:
        program.write_bytes(whole)
    assert (found["programs"].state, found["programs"].mend) == (
        FindingState.BAD,
        "remove it, then gatekit cluster setup far",
    )
    assert f"has {len(whole) - 100:,} bytes instead of {len(whole):,}" in found["programs"].detail


async def test_a_login_node_that_transfers_no_files(slurm: SlurmWorld, line: str, text: str, tmp_path: Path) -> None:
    with without_file_transfer(slurm):
        found = await findings(tmp_path, text)
    assert (found["programs"].state, "offers no file transfer" in found["programs"].detail) == (
        FindingState.BAD,
        True,
    ), found
    assert found["programs"].mend == "let its sshd have the line Subsystem sftp internal-sftp"


async def test_a_root_that_cannot_be_written_to(slurm: SlurmWorld, line: str, text: str, tmp_path: Path) -> None:
    runs = root(slurm) / "runs"
    runs.chmod(0o500)
    try:
        found = await findings(tmp_path, text)
    finally:
        runs.chmod(0o700)
    assert (wrong(found), found["root"].detail) == ({"root"}, f"{runs} is no folder that can be written to")
