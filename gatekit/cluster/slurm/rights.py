"""What an account may do, as `sacctmgr --parsable2` prints it: associations and QOS with their limits."""

from dataclasses import dataclass

from gatekit.cluster.slurm.site import minutes

_ASSOCIATION, _QOS = 9, 6  # columns


@dataclass(frozen=True, slots=True)
class Limits:
    """None: no limit. `jobs`: that run at a time; `submitted`: that wait or run; both of one user, or of the whole
    account."""

    name: str  # where they come from, for an operator
    jobs: int | None = None
    submitted: int | None = None
    minutes: float | None = None  # of one job


@dataclass(frozen=True, slots=True)
class Association:
    """That a user may charge an account, on one partition or, where that is empty, on all."""

    cluster: str
    account: str
    partition: str
    qos: str  # where a job names none
    limits: Limits


def parse_associations(text: str) -> tuple[Association, ...]:
    """Of a user. Columns: Cluster, Account, Partition, DefaultQOS, MaxJobs, MaxSubmitJobs, MaxWall, GrpJobs,
    GrpSubmitJobs. Raises ValueError for a limit that is none.
    """
    rows = (line.strip().split("|") for line in text.split("\n"))
    return tuple(
        Association(
            cluster=row[0],
            account=row[1],
            partition=row[2],
            qos=row[3],
            limits=Limits(f"account {row[1]}", _least(row[4], row[7]), _least(row[5], row[8]), minutes(row[6])),
        )
        for row in rows
        if len(row) == _ASSOCIATION
    )


def parse_qos(text: str) -> tuple[Limits, ...]:
    """Columns: Name, MaxWall, MaxJobsPerUser, MaxSubmitJobsPerUser, GrpJobs, GrpSubmitJobs. Raises ValueError too."""
    rows = (line.strip().split("|") for line in text.split("\n"))
    return tuple(
        Limits(f"QOS {row[0]}", _least(row[2], row[4]), _least(row[3], row[5]), minutes(row[1]))
        for row in rows
        if len(row) == _QOS
    )


def _least(*texts: str) -> int | None:
    return min((int(text) for text in texts if text.isdigit()), default=None)
