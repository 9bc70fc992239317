"""Whatever happens to pull requests, in whatever order: what is reused may be reused, and no job is left over."""

import asyncio
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from bot.store.database import Database
from gatekit.domain.sweep import JobOrigin
from tests.worlds.crashes.histories import GATES, Histories

SHM = Path("/dev/shm")
FAST = SHM if SHM.is_dir() else None  # where nothing waits for a disk, if the machine has it

WHO = st.integers(0, 1)
SOME = st.integers(1, GATES)
ACTION = st.one_of(
    st.tuples(st.just("push"), WHO, st.one_of(st.none(), st.integers(0, GATES - 1))),
    st.tuples(st.just("force"), WHO, st.integers(0, 4), st.booleans()),
    st.tuples(st.just("stack"), WHO, WHO),
    st.tuples(st.just("switch"), WHO),
    st.tuples(st.just("run"), st.sampled_from([True, True, True, False])),
    st.tuples(st.just("run"), st.just(True)),
    st.tuples(st.just("use"), WHO, st.integers(1, 6)),
    st.tuples(st.just("submit"), SOME),
    st.tuples(st.just("finish"), SOME),
    st.tuples(st.just("judge"), st.booleans()),
    st.tuples(st.just("retry"), SOME),
    st.tuples(st.just("end_sweeps"), WHO),
    st.tuples(st.just("lose"), WHO),
    st.tuples(st.just("list_in_part"), WHO, st.booleans()),
)
OF_A_PR = {"stack", "push", "force", "switch", "use", "end_sweeps", "lose", "list_in_part"}
MEASURE = [("switch", 0), ("run", True)]


async def play(actions: list[tuple[Any, ...]]) -> set[JobOrigin]:
    """Where the gates of all sweeps came from."""
    with tempfile.TemporaryDirectory(dir=FAST) as folder:
        async with Database(Path(folder) / "gatekit.db") as db:
            world = Histories(db)
            for name, *words in actions:
                about = [world.prs[words.pop(0)]] if name in OF_A_PR else []
                await getattr(world, name)(*about, *words)
                await world.hold()
            found = [row for pr in world.prs for sweep in await world.sweeps.history(pr.ref) for row in sweep.rows]
            return {row.source.origin for row in found}


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.lists(ACTION, min_size=10, max_size=40))
@example([*MEASURE, ("push", 0, 0), ("switch", 1)])
@example([("switch", 0), ("submit", 3), ("push", 0, 1), ("push", 0, 2), ("force", 0, 1, False)])
@example([*MEASURE, ("push", 0, None), ("force", 0, 1, True), ("switch", 0), ("switch", 0)])
@example([("switch", 1), *MEASURE, ("stack", 1, 0), ("use", 1, 2), ("stack", 0, 1)])
@example([*MEASURE, ("lose", 0), ("push", 0, None)])
@example([("push", 0, 0), *MEASURE, ("list_in_part", 0, True), ("force", 0, 1, False)])
@example([("list_in_part", 0, False), ("push", 0, 0), ("push", 0, 1), *MEASURE, ("push", 0, None)])
@example([*MEASURE, ("use", 0, 1), ("push", 0, 0), ("force", 0, 0, True), ("use", 1, 1)])
def test_a_random_history(actions: list[tuple[Any, ...]]) -> None:
    asyncio.run(play(actions))


async def test_histories_come_to_every_origin() -> None:
    """Else the property would say nothing."""
    assert await play([*MEASURE, ("push", 0, 0)]) == {JobOrigin.STARTED, JobOrigin.REUSED}
    assert await play([("switch", 0), ("submit", 3), ("push", 0, 0)]) == {JobOrigin.STARTED, JobOrigin.ADOPTED}
