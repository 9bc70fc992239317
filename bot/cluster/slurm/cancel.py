"""Ends jobs and makes sure that they are gone: in the queue, on their nodes, and for ever.

Where a job had its say at its end, its state names the processes that it could not end.
"""

import asyncio
from collections.abc import Collection

from bot.cluster.slurm.files import RemoteFiles
from bot.cluster.slurm.layout import Layout
from bot.cluster.slurm.patience import Memory, Patience
from bot.cluster.slurm.remote import Look, Remote, Seen
from bot.cluster.slurm.watch import SMALL_FILE
from gatekit.cluster.slurm.ending import parse_end
from gatekit.cluster.slurm.states import active_rows
from gatekit.domain.ids import JobName


class Cancel:
    def __init__(self, layout: Layout, files: RemoteFiles, remote: Remote, patience: Patience, memory: Memory) -> None:
        self._layout = layout
        self._files = files
        self._remote = remote
        self._patience = patience
        self._memory = memory

    async def cancel(self, names: Collection[JobName]) -> frozenset[JobName]:
        """Those that are verified gone. The others are on their way: call again."""
        until = asyncio.get_running_loop().time() + self._patience.cancel
        gone: set[JobName] = set()
        pause = self._patience.between
        while True:
            look = await self._remote.cancel(name for name in names if name not in gone)
            ended = {seen.name for seen in look.seen if await self._is_gone(seen, look)}
            for name in ended:
                self._memory.forget(_silent(name))
                self._memory.forget(_over(name))
            gone |= ended
            if gone >= set(names) or asyncio.get_running_loop().time() > until:
                return frozenset(gone)
            await asyncio.sleep(pause)
            pause = min(2 * pause, 8 * self._patience.between)  # each look is a question to SLURM

    async def _is_gone(self, seen: Seen, look: Look) -> bool:
        run = self._layout.run(seen.name)
        if seen.busy or active_rows(look.queue, seen.name, run):
            return False
        if seen.barred:
            return not seen.tried or seen.recorded is not None or self._silent(seen.name)
        end = parse_end(await self._files.read(f"{run}/slurm/end.json", SMALL_FILE), seen.name) if seen.end else None
        return end is not None or self._settled(seen.name)

    def _silent(self, name: JobName) -> bool:
        """sbatch was called and gave no answer: a job may still come up, though it could not run the attempt."""
        seconds, times = self._memory.again(_silent(name))
        return times >= self._patience.absent_looks and seconds >= self._patience.settle

    def _settled(self, name: JobName) -> bool:
        """The job had no say at its end: then its processes are SLURM's to end, with those of a node that failed."""
        seconds, _ = self._memory.again(_over(name))
        return seconds >= self._patience.settle


def _silent(name: JobName) -> str:
    return f"silent {name}"


def _over(name: JobName) -> str:
    return f"gone {name}"
