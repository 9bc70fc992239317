"""What our program looks for on a login node is looked for, and never run; what it lacks is named."""

import os
import subprocess
from pathlib import Path

import pytest

from bot.cluster.slurm.programs import shell_program
from gatekit.cluster.slurm.probe import Checked, parse_check

TOOLS = ("sbatch", "scancel", "sacct", "sinfo", "scontrol", "sacctmgr", "squeue")
NEEDED = (
    "sh",
    "flock",
    "sha256sum",
    "awk",
    "timeout",
    "stat",
    "find",
    "head",
    "sed",
    "date",
    "id",
    "df",
    "tr",
    "grep",
    "cat",
)
MORE = ("readlink", "basename", "ls", "mkdir")


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A login node whose SLURM says nothing, with a root, and a PATH of its own."""
    commands = tmp_path / "commands"
    commands.mkdir()
    for tool in TOOLS:
        (commands / tool).write_text("#!/bin/sh\n")
        (commands / tool).chmod(0o755)
    for tool in (*NEEDED, *MORE):
        (commands / tool).symlink_to(
            next(path for path in (f"/usr/bin/{tool}", f"/bin/{tool}") if os.path.exists(path))
        )
    for folder in ("bin", "runs/gk-1-a-1"):
        (tmp_path / "root" / folder).mkdir(parents=True)
    (tmp_path / "program.sh").write_bytes(shell_program("remote").data)
    return tmp_path


def check(site: Path, question: str = "", *options: str) -> Checked:
    done = subprocess.run(
        ["sh", site / "program.sh", "check", site / "root", *options],
        input=question,
        env={"PATH": str(site / "commands")},
        capture_output=True,
        text=True,
        check=True,
    )
    lines = done.stdout.splitlines()
    assert (lines[0], lines[-1]) == ("gatekit answer", "gatekit end")
    return parse_check(lines)


def program(path: Path, says: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{says}\n")
    path.chmod(0o755)
    return path


def test_a_login_node_that_has_everything(site: Path) -> None:
    found = check(site)
    assert (found.lacks, len(found.clocks), found.root.runs) == ((), 2, 1)
    assert found.root.writable == {str(site / "root" / name).rstrip("/") for name in ("", "bin", "runs")}
    assert found.root.space is not None
    assert found.root.space > 0
    assert all(said.well for said in found.said.values())


@pytest.mark.parametrize(
    ("says", "found"), [("echo '   --container-image=X'", "pyxis"), ("echo none", ""), ("exit 1", "")]
)
def test_whether_srun_knows_containers(site: Path, says: str, found: str) -> None:
    program(site / "commands" / "srun", says)
    assert check(site).containers == found


@pytest.mark.parametrize("tool", ["flock", "sacct", "sha256sum"])
def test_what_a_login_node_lacks(site: Path, tool: str) -> None:
    (site / "commands" / tool).unlink()
    assert check(site).lacks == (tool,)


def test_programs_are_found_and_not_run(site: Path) -> None:
    ran = site / "ran"
    evil = program(site / "my tools" / "aiperf" / "bin" / "aiperf", f"touch '{ran}'")
    program(site / "commands" / "vllm", f"touch '{ran}'")
    (site / "my tools/aiperf/lib/python3.12/site-packages/aiperf-0.13.4.dist-info").mkdir(parents=True)
    (site / "link").symlink_to(evil)
    question = (
        f"program aiperf {site}/link\nprogram vllm vllm\nprogram cd cd\nprogram gone /no/where\nprogram sub x/y\n"
    )
    found = check(site, question).programs
    assert found["aiperf"].path == f"{site}/link"
    assert (found["aiperf"].real, found["aiperf"].aiperf) == (str(evil), {"0.13.4"})
    assert found["vllm"].path == f"{site}/commands/vllm"
    assert [found[name].path for name in ("cd", "gone", "sub")] == [None, None, None]
    assert not ran.exists()


@pytest.mark.parametrize(
    "question",
    [
        "program x $(touch RAN)",
        "program x `touch RAN`",
        "file x /etc/hostname; touch RAN",
        "folder x '; touch RAN; '",
        "file $(touch RAN) /etc/hostname",
        "x; touch RAN",
        "program x -rf",
        "folder x --help",
    ],
)
def test_no_word_of_the_question_is_run(site: Path, question: str) -> None:
    found = check(site, question.replace("RAN", f"{site}/ran") + "\nfile last /etc/hostname\n")
    assert not (site / "ran").exists()
    assert found.files["last"].sha256 is not None
    assert all(program.path is None for program in found.programs.values())


def test_files_and_folders(site: Path) -> None:
    (site / "prompts").write_text("{}\n")
    (site / "tokenizer").mkdir()
    (site / "tokenizer" / "tokenizer_config.json").touch()
    (site / "tokenizer" / "weights").touch()
    os.mkfifo(site / "pipe")
    question = f"file prompts {site}/prompts\nfile pipe {site}/pipe\nfile folder {site}\n"
    found = check(site, f"{question}folder tokenizer {site}/tokenizer\nfolder none {site}/prompts\n")
    assert found.files["prompts"].sha256 == "ca3d163bab055381827226140568f3bef7eaac187cebd76878e0b63e9e442356"
    assert [found.files[name].sha256 for name in ("pipe", "folder")] == [None, None]
    assert (found.folders["tokenizer"].there, found.folders["tokenizer"].holds) == (True, ("tokenizer_config.json",))
    assert found.folders["none"].there is False


def test_a_controller_that_does_not_answer_is_asked_once(site: Path) -> None:
    program(site / "commands" / "squeue", "echo 'squeue: error: no'; exit 1")
    found = check(site, "", "--account=bench").said
    assert (found["queue"].status, found["queue"].text) == (1, "squeue: error: no\n")
    assert set(found) == {"version", "queue", "accounts", "associations", "charged", "qos"}


def test_the_options_of_a_job_are_tried_as_they_are(site: Path) -> None:
    program(site / "commands" / "sbatch", 'printf "%s\\n" "$@"')
    program(site / "commands" / "sacctmgr", 'printf "%s\\n" "$@"')
    found = check(site, "", "--account=bench", "--gres=gpu:8").said
    options = ["--test-only", "--job-name=gk-trial", "--wrap=:", "--account=bench", "--gres=gpu:8"]
    assert found["trial"].text.splitlines() == options
    assert "account=bench" in found["charged"].text.splitlines()


@pytest.mark.parametrize("root", ["", "relative", "/a/../b", "/a b"])
def test_a_root_that_is_none(site: Path, root: str) -> None:
    done = subprocess.run(["sh", site / "program.sh", "check", root], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (64, "")
