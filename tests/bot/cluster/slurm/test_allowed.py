"""The table of drills: each of its rows is drilled, and what cannot be drilled here is said in SLURM's own words."""

from pathlib import Path

from gatekit.cluster.slurm.ending import Left, how_it_ended
from gatekit.cluster.slurm.states import parse_queue
from gatekit.domain.ids import JobName
from tests.worlds.slurm.allowed import Drilled

NAME = JobName("gk-12-a3f9c1d2-1")
KILLED_FOR_MEMORY = f"41|OUT_OF_MEMORY|OutOfMemory|/shared/gatekit/runs/{NAME}|{NAME}"
END = f'{{"job":"{NAME}","id":"41.0","rc":137,"why":"exit","left":"","alive":""}}'


def test_every_row_is_drilled() -> None:
    texts = [path.read_text() for path in Path(__file__).parent.glob("test_*.py")]
    assert [one.name for one in Drilled if not any(f"Drilled.{one.name}" in text for text in texts)] == []


def test_a_job_that_needs_too_much_memory() -> None:
    """As squeue of a cluster with cgroups has it, when the node program was killed in its job."""
    (row,) = parse_queue(KILLED_FOR_MEMORY)
    how, allowed = how_it_ended(NAME, row.state, Left(None, END, asked=False)), Drilled.MEMORY.value
    assert how.ending is allowed.ending
    assert allowed.says in how.sentence
