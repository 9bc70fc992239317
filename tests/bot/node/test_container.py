"""How an engine gets into a container: what srun is given, and what of it the engine's own environment is."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from bot.node import container
from bot.node.failures import Failed
from bot.node.jobfile import Job, read_job
from tests.worlds.cluster.node_run import job

MARK = "gk-1-a-1.0123456789ab"
STEP = ["srun", "--container-image=vllm/vllm-openai:v0.20", "--container-mounts={scratch}:/gatekit,/models:/models:ro"]
INHERITED = {
    "PATH": "/opt/slurm/bin:/usr/bin",
    "HOME": "/home/gatebot",
    "TMPDIR": "/tmp",
    "LD_LIBRARY_PATH": "/usr/lib/host",
    "LANG": "de_DE.UTF-8",
    "BASH_ENV": "/home/gatebot/.bashrc",
    "GATEKIT_JOB": MARK,
    "CUDA_VISIBLE_DEVICES": "0,1",
    "NVIDIA_DRIVER_CAPABILITIES": "compute",
    "ENROOT_CONFIG_PATH": "/etc/enroot/gatebot",
    "HF_HOME": "/models/hf",
    "SLURM_JOB_ID": "7",
    "SLURM_CONF": "/etc/slurm/slurm.conf",
    "SLURM_EXPORT_ENV": "NONE",
    "SLURM_GET_USER_ENV": "1",
    "PYXIS_CONTAINER_MOUNTS": "/:/host",
}
# What a recipe may hold: blanks, quotes, shell, commas, equals signs, letters of other scripts, nothing.
ODD = "a b, 'c' \"d\" $(id) `id` ${HOME} x=y \\ é日本 \N{ROCKET};|&*?~#"


def described(tmp_path: Path, **engine: Any) -> Job:
    whole = job(tmp_path, "gk-1-a-1")
    contained = {"image": "vllm/vllm-openai:v0.20", "step": STEP, "folder": "/gatekit"}
    whole["engine"] |= {"container": contained, **engine}
    (tmp_path / "job.json").write_text(json.dumps(whole))
    return read_job(tmp_path / "job.json")


@pytest.fixture
def node(tmp_path: Path) -> dict[str, str]:
    """An environment with an srun in its PATH."""
    srun = tmp_path / "bin" / "srun"
    srun.parent.mkdir()
    srun.write_text("#!/bin/sh\n")
    srun.chmod(0o755)
    return {**INHERITED, "PATH": str(srun.parent)}


def test_the_step_has_its_folder_and_the_environment_of_srun_has_nothing_of_the_job(
    tmp_path: Path, node: dict[str, str]
) -> None:
    read = described(tmp_path, env=[["LD_PRELOAD", "x"], ["PYXIS_CONTAINER_MOUNTS", "/:/x"]])
    assert read.engine.container is not None
    how = container.contained(read.engine.container, node, read, MARK, Path("/tmp/gk-1/engine"))
    mounts = "--container-mounts=/tmp/gk-1/engine:/gatekit,/models:/models:ro"
    assert how.before[: len(STEP) + 1] == (*STEP[:-1], mounts, "/usr/bin/env")
    handed = ("PATH", "HOME", "CUDA_VISIBLE_DEVICES", "NVIDIA_DRIVER_CAPABILITIES", "ENROOT_CONFIG_PATH")
    assert how.env == {
        **{name: node[name] for name in (*handed, "SLURM_JOB_ID", "SLURM_CONF")},
        "TMPDIR": "/tmp/gk-1/engine",
    }


def test_the_engine_gets_every_byte(tmp_path: Path, node: dict[str, str]) -> None:
    """Behind the step stands a real `env`, so this is what the engine sees."""
    given = [["ODD", ODD], ["EMPTY", ""], ["GATEKIT_JOB", "another"], ["HOME", "/elsewhere"], ["TMPDIR", "/"]]
    read = described(tmp_path, env=given, unset=["FORCED"])
    assert read.engine.container is not None
    how = container.contained(read.engine.container, node, read, MARK, tmp_path)
    image = {
        "FORCED": "1",
        "ODD": "the image's own",
        "SLURM_JOBID": "7",
        "SLURM_JOB_ID": "7",
        "LC_CTYPE": "C.UTF-8",
        "PATH": "/usr/bin:/bin",
    }
    said = subprocess.run(
        [*how.before[len(STEP) :], "python3", "-c", _TELL, ODD], env=image, capture_output=True, text=True, check=True
    )
    env, argv = json.loads(said.stdout)
    assert argv == [ODD]
    ours = {"HOME": "/gatekit", "TMPDIR": "/gatekit", "GATEKIT_JOB": MARK}
    kept = {"PATH": "/usr/bin:/bin", "SLURM_JOB_ID": "7", "HF_HOME": "/models/hf"}
    assert env == {**kept, "ODD": ODD, "EMPTY": "", **ours}


_TELL = (
    "import json, os, sys; print(json.dumps([{k: v for k, v in os.environ.items() if k != 'LC_CTYPE'}, sys.argv[1:]]))"
)


def test_a_node_without_srun_says_so(tmp_path: Path) -> None:
    read = described(tmp_path)
    assert read.engine.container is not None
    with pytest.raises(Failed, match="no container can be started: srun is no program on this node"):
        container.contained(read.engine.container, {"PATH": str(tmp_path)}, read, MARK, tmp_path)


@pytest.mark.parametrize(
    ("found", "sentence"),
    [
        ("pyxis", "engine.container must be a map"),
        ({"image": "x", "folder": "/gatekit"}, "engine.container.step must be a list"),
        ({"image": "x", "step": [], "folder": "/gatekit"}, "engine.container.step must be a list"),
        ({"image": "x", "step": ["srun", "a\0b"], "folder": "/gatekit"}, "engine.container.step must be a list"),
        ({"step": ["srun"], "folder": "/gatekit"}, "engine.container.image must be a text"),
        ({"image": "x", "step": ["srun"]}, "engine.container.folder must be a text"),
    ],
)
def test_an_odd_container_is_one_sentence(tmp_path: Path, found: object, sentence: str) -> None:
    with pytest.raises(Failed, match=sentence):
        described(tmp_path, container=found)


def test_most_engines_need_none(tmp_path: Path) -> None:
    assert described(tmp_path, container=None).engine.container is None
