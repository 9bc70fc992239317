"""The answer of our program on a login node, read into values."""

import pytest

from gatekit.cluster.slurm.probe import TOO_LATE, Checked, File, Folder, ProbeOutput, Program, Root, parse_check

ANSWER = """\
clock 1796051280.5
user gatebot
lacks flock
said version 0
> slurm-wlm 22.05.8
said queue 1
> squeue: error: one
> > two
said odd x
writable /shared/gatekit
writable /shared/gatekit/runs
space 78139364
inodes 16279101
system nfs
runs 12 1796000000
program python ext2/ext3 /usr/bin/python3
real python /usr/bin/python3.11
program aiperf nfs /shared/my tools/bin/aiperf
real aiperf /shared/my tools/bin/aiperf
aiperf aiperf aiperf-0.13.0
aiperf aiperf aiperf-0.13.0
program vllm - -
file prompts nfs 427f
file other - -
folder tokenizer nfs yes
holds tokenizer tokenizer.json
folder nothing - no
clock 1796051281.25
"""


def read(text: str) -> Checked:
    return parse_check(text.splitlines())


def test_a_whole_answer() -> None:
    found = read(ANSWER)
    assert (found.clocks, found.user, found.lacks) == ((1796051280.5, 1796051281.25), "gatebot", ("flock",))
    assert found.said == {
        "version": ProbeOutput(0, "slurm-wlm 22.05.8\n"),
        "queue": ProbeOutput(1, "squeue: error: one\n> two\n"),
        "odd": ProbeOutput(TOO_LATE, ""),
    }
    paths = frozenset({"/shared/gatekit", "/shared/gatekit/runs"})
    assert found.root == Root(paths, 78139364, 16279101, "nfs", 12, 1796000000)
    assert found.programs == {
        "python": Program("ext2/ext3", "/usr/bin/python3", "/usr/bin/python3.11"),
        "aiperf": Program("nfs", *("/shared/my tools/bin/aiperf",) * 2, frozenset({"0.13.0"})),
        "vllm": Program("-", None),
    }
    assert found.files == {"prompts": File("nfs", "427f"), "other": File("-", None)}
    assert found.folders == {"tokenizer": Folder("nfs", True, ("tokenizer.json",)), "nothing": Folder("-", False)}


@pytest.mark.parametrize("text", ["", "space \ninodes -\nruns x y\nclock now\n", "> nobody asked", "program\nfile a\n"])
def test_what_did_not_come_is_not_made_up(text: str) -> None:
    found = read(text)
    assert (found.clocks, found.said, found.programs, found.files) == ((), {}, {}, {})
    assert (found.root.space, found.root.inodes, found.root.runs, found.root.writable) == (None, None, 0, frozenset())
