"""The engine's environment and its port."""

import json
import os
import sys
from pathlib import Path

from bot.node import engine
from bot.node.jobfile import read_job
from tests.worlds.cluster.node_run import job

MARK = "gk-1-a-1.0123456789ab"


def test_an_environment_is_built_from_nothing(tmp_path: Path) -> None:
    inherited = {
        "PATH": "/opt/bin",
        "CUDA_VISIBLE_DEVICES": "0,1",
        "GITHUB_TOKEN": "secret",
        "HOME": "/root",
        "PWD": "/",
    }
    assert engine.environment(inherited, MARK, tmp_path) == {
        "PATH": "/opt/bin",
        "CUDA_VISIBLE_DEVICES": "0,1",
        "HOME": str(tmp_path),
        "TMPDIR": str(tmp_path),
        "GATEKIT_JOB": MARK,
    }
    assert engine.environment({}, MARK, tmp_path)["PATH"] == engine.DEFAULT_PATH


def test_a_job_gives_and_takes_names_but_not_ours(tmp_path: Path) -> None:
    described = job(tmp_path, "gk-1-a-1")
    described["engine"]["env"] = [["COLOUR", "red"], ["GATEKIT_JOB", "another"], ["HOME", "/elsewhere"]]
    described["engine"]["unset"] = ["TZ", "TMPDIR"]
    (tmp_path / "job.json").write_text(json.dumps(described))
    how = engine.bare({"TZ": "UTC", "LANG": "C"}, read_job(tmp_path / "job.json"), MARK, tmp_path)
    ours = {"HOME": str(tmp_path), "TMPDIR": str(tmp_path), "GATEKIT_JOB": MARK}
    assert how.env == {"PATH": engine.DEFAULT_PATH, "LANG": "C", "COLOUR": "red", **ours}
    assert how.before == ()


def test_two_node_programs_never_choose_one_port() -> None:
    port, hold = engine._free_port()
    with hold:
        assert engine._hold_port(port) is None
    again = engine._hold_port(port)
    assert again is not None
    again.close()


def test_an_engine_finds_the_jobs_files_in_its_working_folder(tmp_path: Path) -> None:
    described = job(tmp_path, "gk-1-a-1")
    described["engine"]["command"] = [sys.executable, "-c", "print(open('options.yaml').read(), {port})"]
    described["engine"]["files"] = [["options.yaml", '{"a":"ü"}']]
    (tmp_path / "job.json").write_text(json.dumps(described))
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    how = engine.Start((), engine.environment(os.environ, MARK, scratch))
    started = engine.start(read_job(tmp_path / "job.json"), how, scratch, tmp_path / "engine.log")
    assert started.process.wait(30) == 0
    started.pump.join(30)
    started.hold.close()
    assert (tmp_path / "engine.log").read_text() == f'{{"a":"ü"}} {started.port}\n'
