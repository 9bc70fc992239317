"""The batch script holds the operator's values and nothing of a pull request; a shell takes each as one word."""

import subprocess
from dataclasses import replace

import pytest

from gatekit.cluster.slurm.script import Attempt, Request, avoid_option, job_script, sbatch_options
from gatekit.domain.ids import JobName

ATTEMPT = Attempt(
    JobName("gk-7-a3f9c1d2-1"), "/shared/gatekit/runs/gk-7-a3f9c1d2-1", "/shared/gatekit/bin/node.pyz", "python3",
    "/tmp", "gk-7-a3f9c1d2-1.0123456789ab",
)  # fmt: skip


def test_what_sbatch_is_asked_for() -> None:
    assert sbatch_options(Request("batch", "bench", 240, 8, ("--exclusive", "--qos=high"))) == (
        "--partition=batch",
        "--account=bench",
        "--time=240",
        "--nodes=1",
        "--ntasks=1",
        "--gres=gpu:8",
        "--exclusive",
        "--qos=high",
        "--no-requeue",
        "--export=NONE",
        "--signal=B:USR1@60",
    )


@pytest.mark.parametrize(
    ("options", "nodes", "words"),
    [
        ((), [], ()),
        ((), ["node7"], ("--avoid=node7",)),
        (
            ("--exclusive", "--exclude=node1,node2"),
            ["node7", "b200-3.site"],
            ("--avoid=node1,node2,node7,b200-3.site",),
        ),
        (("--exclude=node1",), [], ()),
        ((), ["", "-x", "a b", "$(id)", "n" * 65, "node7,node8"], ()),
    ],
)
def test_nodes_to_keep_away_from(options: tuple[str, ...], nodes: list[str], words: tuple[str, ...]) -> None:
    """Those that the operator leaves out stay left out: of two such options sbatch takes the last."""
    assert avoid_option(Request("batch", "bench", 5, 1, options), nodes) == words


def test_a_cluster_without_gpus_is_asked_for_none() -> None:
    assert not [word for word in sbatch_options(Request("batch", "bench", 5, 0)) if "gpu" in word]


def test_a_shell_can_read_the_script() -> None:
    script = job_script(ATTEMPT)
    assert script.startswith("#!/bin/bash\n")
    assert "#SBATCH" not in script  # an operator's words stand on the command line, where nothing overrides them
    subprocess.run(["bash", "-n"], input=script, text=True, check=True)


@pytest.mark.parametrize("python", ["/opt/my python/bin/python3", "$(touch /tmp/pwned)", "'; id; '", "a\nb"])
def test_a_value_is_one_word_whatever_it_holds(python: str) -> None:
    head, _, _ = job_script(replace(ATTEMPT, python=python)).partition("\nown=$run/slurm")
    said = subprocess.run(["bash", "-c", f'{head}\nprintf %s "$python"'], capture_output=True, text=True, check=True)
    assert said.stdout == python


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", "gk-7-a3f9c1d2-1;id"),
        ("name", "other-7-1"),
        ("run", "/shared/%j"),
        ("run", "relative"),
        ("node", "/shared/a b"),
        ("scratch", "/tmp/$USER"),
        ("run", "/shared/\nrm"),
    ],
)
def test_a_name_or_path_that_slurm_would_read_differently_is_refused(field: str, value: str) -> None:
    with pytest.raises(ValueError, match=r"is no job name|has characters"):
        job_script(replace(ATTEMPT, **{field: value}))
