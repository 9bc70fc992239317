"""The Epilog of the documentation removes what a killed job left, and nothing else."""

import os
import pwd
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.worlds.slurm import daemons
from tests.worlds.slurm.conf import Place
from tests.worlds.slurm.up import CHECKOUT

JOB = "987654"


def epilog(place: Path, uid: object, job: object) -> None:
    """Runs the text of docs/slurm.md as slurmd would."""
    (text,) = re.findall(r"```sh\n(#!/bin/sh\n# Epilog.*?)```", (CHECKOUT / "docs" / "slurm.md").read_text(), re.S)
    env = {"PATH": "/usr/bin:/bin", "SLURM_JOB_UID": str(uid), "SLURM_JOB_ID": str(job)}
    lines = {"place=/tmp": f"place={place}", "unpacked=": f"unpacked={place}/u", "/run/pyxis": f"{place}/r"}
    for shown, here in lines.items():
        assert text.count(f"{shown} ") + text.count(f"{shown}/") >= 1
        text = text.replace(f"\n{shown} ", f"\n{here} ").replace(f"={shown}/", f"={here}/")
    subprocess.run(["sh", "-c", text], env=env, check=True)


@pytest.fixture
def uid(slurm_place: Place) -> int:
    return pwd.getpwnam(slurm_place.user).pw_uid


@pytest.fixture
def sleepers(uid: int) -> "Iterator[dict[str, subprocess.Popen[bytes]]]":
    marked = {"GATEKIT_JOB": "gk-1-a-1.0123456789ab", "SLURM_JOB_ID": JOB}
    environments = {"ours": marked, "unmarked": {"SLURM_JOB_ID": JOB}, "another": {**marked, "SLURM_JOB_ID": "987655"}}
    found = {
        name: subprocess.Popen(["/bin/sleep", "600"], env=env, user=uid, start_new_session=True)
        for name, env in environments.items()
    }
    yield found
    for one in found.values():
        one.kill()
        one.wait()


def test_processes_of_the_job_end(slurm_place: Place, uid: int, sleepers: "dict[str, subprocess.Popen[bytes]]") -> None:
    epilog(slurm_place.local, uid, JOB)
    sleepers["ours"].wait(10)
    assert [name for name, one in sleepers.items() if daemons.is_living(one.pid)] == ["unmarked", "another"]


def test_files_of_the_job_go_whoever_owns_them(slurm_place: Place, uid: int, tmp_path: Path) -> None:
    mine, other = slurm_place.local / f"gk-{uid}-{JOB}.0.abcdef", slurm_place.local / f"gk-{uid}-{JOB}1.0.abcdef"
    link = slurm_place.local / f"gk-{uid}-{JOB}.1.abcdef"
    for folder in (mine, other):
        (folder / "deep").mkdir(parents=True)
        (folder / "deep" / "cache").touch()
    link.symlink_to(tmp_path)
    (tmp_path / "precious").touch()
    os.chown(mine, uid, uid)
    epilog(slurm_place.local, uid, JOB)
    assert not mine.exists()
    assert other.exists()
    assert (tmp_path / "precious").exists()
    link.unlink()
    epilog(slurm_place.local, uid, f"{JOB}1")
    assert not other.exists()


def test_what_a_container_was_unpacked_into_goes(slurm_place: Place, uid: int) -> None:
    unpacked, imported = slurm_place.local / "u", slurm_place.local / "r" / str(uid)
    for folder in (f"pyxis_{JOB}.0", f"pyxis_{JOB}_{JOB}.0", f"pyxis_{JOB}1.0", "pyxis_mine"):
        (unpacked / folder / "usr").mkdir(parents=True)
    imported.mkdir(parents=True)
    for name in (f"{JOB}.0.squashfs", f"{JOB}1.0.squashfs"):
        (imported / name).touch()
    epilog(slurm_place.local, uid, JOB)
    assert sorted(path.name for path in (*unpacked.iterdir(), *imported.iterdir())) == [
        *(f"{JOB}1.0.squashfs", f"pyxis_{JOB}1.0", "pyxis_mine")
    ]
    shutil.rmtree(unpacked)
    shutil.rmtree(imported.parent)


@pytest.mark.parametrize(("uid", "job"), [("", JOB), (1, ""), ("*", "*"), (1, "../1")])
def test_odd_values_do_nothing(slurm_place: Place, uid: object, job: object) -> None:
    kept = slurm_place.local / f"gk-1-{JOB}.0.abcdef"
    kept.mkdir(exist_ok=True)
    epilog(slurm_place.local, uid, job)
    assert kept.exists()
