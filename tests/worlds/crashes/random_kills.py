"""A sweep of twelve gates whose bot is killed again and again, at instants that nobody chose."""

import asyncio
import random
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from gatekit.domain.sweep import GateState, SweepState
from gatekit.domain.verdict import CurveOutcome, Judged
from tests.worlds.bench.bench_pr import LABEL, Setting
from tests.worlds.bench.wide_bench import wide
from tests.worlds.crashes.crash_drill import crash_drill
from tests.worlds.crashes.crashing_bot import Nursery

GATES = 12
LASTS = 0.3  # seconds that a job runs; two run at a time
LONGEST = 0.5  # seconds that a bot lives at most before it is killed


@dataclass(frozen=True)
class Toll:
    """What was found after a drill, when all was at rest."""

    kills: int
    unfinished: int  # kills before the sweep had ended


async def killed_at_random(folder: Path, bots: Nursery, seed: int, kills: int) -> Toll:
    """Fails where a gate is lost, runs twice or is judged wrong, or where the bot wrote more than one comment."""
    luck = random.Random(seed)
    unfinished = 0
    async with crash_drill(folder, bots, Setting(edits=wide(GATES))) as drill:
        drill.lasts = LASTS
        bot = await drill.bot(None, ending=True)
        drill.people.add_label(drill.repo, drill.pull, LABEL, by="maria")
        for _ in range(kills):
            await asyncio.sleep(luck.uniform(0.0, LONGEST))  # the instant itself
            await bot.kill()
            unfinished += not [one for one in await drill.sweeps() if one.state is SweepState.DONE]
            await drill.another(bot, ending=True)
            bot = drill.bots[-1]
        await drill.at_rest()
        (sweep,) = await drill.sweeps()
        outcomes = Counter(row.verdict.outcome for row in sweep.rows if isinstance(row.verdict, Judged))
        assert (sweep.state, outcomes) == (SweepState.DONE, {CurveOutcome.ON_CURVE: GATES})
        assert {(row.state, row.attempt) for row in sweep.rows} == {(GateState.JUDGED, 1)}
        assert len(drill.cluster.started) == GATES
        assert drill.cluster.gates_started_twice == []
        assert f"{GATES} of {GATES} on curve" in drill.comment()
        assert drill.check(1).said["status"] == "completed"
        assert len(drill.repo.checks) == 1
    return Toll(kills, unfinished)
