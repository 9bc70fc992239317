"""The one Protocol that every kind of cluster fills."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import Protocol

from gatekit.cluster.policy import Cluster
from gatekit.domain.ids import JobName
from gatekit.domain.job import Job, Material
from gatekit.domain.sweep import Ending


class ClusterUnreachable(Exception):
    """The cluster did not answer. Nothing may be concluded about its jobs."""


class JobState(StrEnum):
    PENDING = "pending"
    RUNNING = "running"
    ENDED = "ended"  # a result was written, or it is certain that none will come
    ABSENT = "absent"  # the cluster answered that it knows no such job, and there is no result
    UNKNOWN = "unknown"  # a word or a silence that we do not understand: not ended


@dataclass(frozen=True, slots=True)
class JobStatus:
    state: JobState
    detail: str = ""  # one line for an operator, e.g. "replaying 12 of 20"
    ending: Ending | None = None  # of a job that ended or is absent, where the cluster can tell; `detail` says why
    node: str | None = None  # where the job ran
    leftovers: str = ""  # what it left on its node: files with their owners, processes that could not be ended


class Tidied(StrEnum):
    """What became of a run folder that may go."""

    GONE = "gone"  # also where there was none
    FOREIGN = "foreign"  # it is not of this bot: it stays
    KEPT = "kept"  # a job of it is left, or it could not be removed


class Executor(Protocol):
    """Every method may raise ClusterUnreachable; each may be called again after a crash at any point."""

    async def submit(self, job: Job, avoid: Collection[str] = ()) -> None:
        """Makes the job exist exactly once, whatever was tried before under the same `job.job`.

        `avoid`: nodes on which it shall not run, where the cluster has more than one.
        """

    async def states(self, names: Collection[JobName]) -> Mapping[JobName, JobStatus]:
        """One query for all of them; every name is in the answer."""

    async def material(self, name: JobName) -> Material: ...

    async def cancel(self, names: Collection[JobName]) -> frozenset[JobName]:
        """Stops the jobs and returns those that are verified gone: with every process of theirs, or with the words in
        `leftovers` that name what nobody but the operator can end.
        """

    async def tidy(self, names: Collection[JobName], submitter: str) -> Mapping[JobName, Tidied]:
        """Removes the run folders of attempts that are over, with all that they wrote.

        `submitter`: whose jobs they must hold. A name that is not in the answer was not looked at.
        """

    async def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class RunningCluster:
    cluster: Cluster
    executor: Executor
    max_jobs: int  # submitted and not ended
    keep: timedelta = timedelta(days=7)  # how long a run folder stays, once its gate is settled
