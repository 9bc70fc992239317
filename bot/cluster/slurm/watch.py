"""The states of jobs: one look at queue and folders, the accounts of what the queue has forgotten, then the result."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from bot.cluster.executor import ClusterUnreachable, JobState, JobStatus
from bot.cluster.local.state import RESULT, RESULT_BYTES
from bot.cluster.slurm.files import ClusterLayout, Memory, RemoteFiles, SlurmPatience
from bot.cluster.slurm.remote import REFUSED, Look, Remote, RunFolderSeen
from gatekit.cluster.slurm.ending import How, Left, how_it_ended, own_result
from gatekit.cluster.slurm.states import (
    AccountRow,
    JobStanding,
    QueueRow,
    active_rows,
    ended_row,
    read_word,
    row_of,
    waits_for,
)
from gatekit.domain.ids import JobName
from gatekit.domain.job import CANCELLED
from gatekit.domain.sweep import Ending
from gatekit.formats.redact import one_line

SMALL_FILE = 4096


@dataclass(frozen=True, slots=True)
class JobFacts:
    """All that one look tells of a job."""

    seen: RunFolderSeen
    row: QueueRow | None
    account: AccountRow | None
    left: Left


class Watch:
    def __init__(
        self, layout: ClusterLayout, files: RemoteFiles, remote: Remote, patience: SlurmPatience, memory: Memory
    ) -> None:
        self._layout = layout
        self._files = files
        self._remote = remote
        self._patience = patience
        self._memory = memory

    async def states(self, names: Collection[JobName]) -> Mapping[JobName, JobStatus]:
        look = await self._remote.look(names)
        left = {seen.name: await self._left(seen) for seen in look.seen}
        accounts = await self._accounts(look, left)
        statuses = {}
        for seen in look.seen:
            job = seen.job
            row = self._row(seen, look)
            account = None if job is None else ended_row(accounts, job, seen.name)
            statuses[seen.name] = await self._status(JobFacts(seen, row, account, left[seen.name]))
        return {name: statuses.get(name, JobStatus(JobState.UNKNOWN, "the cluster left it out")) for name in names}

    def _row(self, seen: RunFolderSeen, look: Look) -> QueueRow | None:
        """The job's row. While nobody has the attempt, any job of its name and folder may still come to have it."""
        row = None if seen.job is None else row_of(look.queue, seen.job, seen.name)
        others = () if seen.owner else active_rows(look.queue, seen.name, self._layout.run(seen.name))
        return next((other for other in others if other == row), others[0]) if others else row

    async def _left(self, seen: RunFolderSeen) -> Left:
        run, own = self._layout.run(seen.name), self._layout.own(seen.name)
        result = await self._files.read(f"{run}/{RESULT}", RESULT_BYTES) if seen.result else None
        end = await self._files.read(f"{own}/end.json", SMALL_FILE) if seen.end else None
        return Left(result, end, seen.asked)

    async def _accounts(self, look: Look, left: Mapping[JobName, Left]) -> tuple[AccountRow, ...]:
        """Empty where accounting is off: then the queue and the files must do."""
        ids = {
            seen.job
            for seen in look.seen
            if seen.job is not None
            and row_of(look.queue, seen.job, seen.name) is None
            and not speaks_for_itself(seen.name, left[seen.name])
        }
        try:
            return await self._remote.account(ids) if ids else ()
        except ClusterUnreachable:
            return ()

    async def _status(self, facts: JobFacts) -> JobStatus:
        seen, left = facts.seen, facts.left
        if seen.owner == REFUSED:
            said = await self._files.read(f"{self._layout.own(seen.name)}/{REFUSED}", SMALL_FILE)
            return _ended(seen, How(Ending.REFUSED, f"SLURM refuses the job: {one_line(said or 'it did not say why')}"))
        if speaks_for_itself(seen.name, left):
            if self._cleans_up(facts):
                return JobStatus(JobState.RUNNING, "its result is written; it cleans up")
            return _ended(seen, how_it_ended(seen.name, facts.row.state if facts.row else "", left))
        if seen.barred:
            return _ended(seen, How(Ending.CANCELLED, "the bot cancelled the attempt before it began"))
        state = facts.row.state if facts.row else facts.account.state if facts.account else None
        if state is None:
            return self._missing(facts)
        self._memory.forget(_absent(seen.name))
        return self._known(facts, state)

    def _cleans_up(self, facts: JobFacts) -> bool:
        """What a job could not remove stands in the file that it writes last."""
        if facts.left.end is not None or facts.row is None:
            return False
        running = read_word(facts.row.state).standing is JobStanding.RUNNING
        return running and self._memory.again(_cleaning(facts.seen.name))[0] < self._patience.settle

    def _known(self, facts: JobFacts, state: str) -> JobStatus:
        word = read_word(state)
        match word.standing:
            case JobStanding.WAITING:
                return JobStatus(JobState.PENDING, word.sentence or waits_for(facts.row.reason if facts.row else ""))
            case JobStanding.RUNNING:
                return JobStatus(JobState.RUNNING, word.sentence)
            case JobStanding.ENDED:
                return self._over(facts, state)
            case JobStanding.UNKNOWN:
                return JobStatus(JobState.UNKNOWN, word.sentence)

    def _over(self, facts: JobFacts, state: str) -> JobStatus:
        """A job that has ended; its files may be a while on their way. One that we cancelled owes us no result."""
        name, left = facts.seen.name, facts.left
        seconds, _ = self._memory.again(_over(name))
        whole = left.end is not None and (left.asked or own_result(left.result, name) is not None)
        if not whole and seconds < self._patience.settle:
            return JobStatus(JobState.RUNNING, "it has ended; what it wrote may not be visible yet")
        self._memory.forget(_over(name))
        return _ended(facts.seen, how_it_ended(name, state, left))

    def _missing(self, facts: JobFacts) -> JobStatus:
        """Neither the queue nor accounting knows an end of it."""
        name = facts.seen.name
        if facts.left.end is not None:
            return self._over(facts, "")
        seconds, times = self._memory.again(_absent(name))
        if times < self._patience.absent_looks or seconds < self._patience.absent:
            return JobStatus(JobState.UNKNOWN, "it is neither in the queue nor in the accounts; we look again")
        self._memory.forget(_absent(name))
        how = how_it_ended(name, "", facts.left)
        return JobStatus(JobState.ABSENT, how.sentence, how.ending, facts.seen.node)


def speaks_for_itself(name: JobName, left: Left) -> bool:
    """Whether the job's own result says all that there is to say, whatever SLURM thinks of the job.

    One that was stopped does not know by whom.
    """
    result = own_result(left.result, name)
    return result is not None and result.reason != CANCELLED


def _ended(seen: RunFolderSeen, how: How) -> JobStatus:
    return JobStatus(JobState.ENDED, how.sentence, how.ending, seen.node, how.left)


def _absent(name: JobName) -> str:
    return f"absent {name}"


def _cleaning(name: JobName) -> str:
    return f"cleaning {name}"


def _over(name: JobName) -> str:
    return f"over {name}"
