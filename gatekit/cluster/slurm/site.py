"""What SLURM says of itself and of an account: partitions, nodes, settings, limits."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

_NO_LIMIT = frozenset({"", "infinite", "unlimited", "none", "n/a"})
_ALL = "ALL"
_GRES_NOTES = re.compile(r"\([^)]*\)")  # sockets and indices: gpu:h200:8(S:0-1)
_GPUS = re.compile(r"gpu(?::[^:,]*[^:,0-9][^:,]*)?(?::(?P<count>[0-9]+))?")
_NOT_USABLE = ("down", "drain", "drng", "fail", "maint", "boot", "unk", "inval", "futr", "reboot")


@dataclass(frozen=True, slots=True)
class Partition:
    """`accounts`: those that may use it; None: all. `minutes`: the longest job; None: no limit."""

    name: str
    up: bool
    minutes: float | None
    accounts: frozenset[str] | None
    refused: frozenset[str]  # accounts that may not
    qos: str | None = None  # whose limits hold for it too


@dataclass(frozen=True, slots=True)
class Nodes:
    """Nodes of a partition that are alike. `disk`: MB for temporary files, as slurm.conf has it; 0: it does not say."""

    partition: str
    count: int
    state: str
    disk: int
    gpus: int  # on each

    @property
    def usable(self) -> bool:
        return not self.state.endswith("*") and not self.state.startswith(_NOT_USABLE)


def minutes(text: str) -> float | None:
    """`1-00:00:00`, `4:00:00`, `30:00`, `90` and SLURM's words for none. Raises ValueError for anything else."""
    plain = text.strip().lower()
    if plain in _NO_LIMIT:
        return None
    days, dash, clock = plain.rpartition("-")
    cells = [int(cell) for cell in clock.split(":")]
    if dash:
        hours, mins, seconds = (*cells, 0, 0)[:3]
        return (int(days) * 24 + hours) * 60 + mins + seconds / 60
    if len(cells) == 3:
        return cells[0] * 60 + cells[1] + cells[2] / 60
    return cells[0] + (cells[1] / 60 if len(cells) == 2 else 0)


def parse_partitions(text: str) -> Mapping[str, Partition]:
    """Of `scontrol --oneliner show partition`, by name. A partition whose line cannot be read is left out."""
    rows = (dict(word.split("=", 1) for word in line.split() if "=" in word) for line in text.split("\n"))
    found = {}
    for row in rows:
        try:
            found[row["PartitionName"]] = _partition(row)
        except (KeyError, ValueError):
            continue
    return found


def _partition(row: Mapping[str, str]) -> Partition:
    allowed = row.get("AllowAccounts", _ALL)
    return Partition(
        name=row["PartitionName"],
        up=row["State"] == "UP",
        minutes=minutes(row["MaxTime"]),
        accounts=None if allowed == _ALL else _names(allowed),
        refused=_names(row.get("DenyAccounts", "")),
        qos=None if row.get("QoS", "N/A") == "N/A" else row["QoS"],
    )


def parse_nodes(text: str) -> tuple[Nodes, ...]:
    """Of `sinfo --format=%R|%D|%t|%d|%G`."""
    rows = (line.strip().split("|", 4) for line in text.split("\n"))
    return tuple(
        Nodes(row[0], int(row[1]), row[2], int(row[3]), gpus_of(row[4]))
        for row in rows
        if len(row) == 5 and row[1].isdigit() and row[3].isdigit()
    )


def gpus_of(gres: str) -> int:
    """`gpu:h200:8(S:0-1),nvme:2` has 8."""
    plain = _GRES_NOTES.sub("", gres)
    counts = [found["count"] or "1" for one in plain.split(",") if (found := _GPUS.fullmatch(one.strip()))]
    return sum(map(int, counts))


def parse_config(text: str) -> Mapping[str, str]:
    """Of `scontrol show config`; a list such as `Epilog[0]` under its plain name. SLURM's `(null)` is empty."""
    pairs = (line.split("=", 1) for line in text.split("\n") if "=" in line)
    return {key.strip().partition("[")[0]: value.strip().replace("(null)", "") for key, value in pairs}


def _names(text: str) -> frozenset[str]:
    return frozenset(name for name in text.split(",") if name and name != "(null)")


_ASSOCIATION, _QOS = 9, 6  # columns


@dataclass(frozen=True, slots=True)
class AccountLimits:
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
    limits: AccountLimits


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
            limits=AccountLimits(f"account {row[1]}", _least(row[4], row[7]), _least(row[5], row[8]), minutes(row[6])),
        )
        for row in rows
        if len(row) == _ASSOCIATION
    )


def parse_qos(text: str) -> tuple[AccountLimits, ...]:
    """Columns: Name, MaxWall, MaxJobsPerUser, MaxSubmitJobsPerUser, GrpJobs, GrpSubmitJobs. Raises ValueError too."""
    rows = (line.strip().split("|") for line in text.split("\n"))
    return tuple(
        AccountLimits(f"QOS {row[0]}", _least(row[2], row[4]), _least(row[3], row[5]), minutes(row[1]))
        for row in rows
        if len(row) == _QOS
    )


def _least(*texts: str) -> int | None:
    return min((int(text) for text in texts if text.isdigit()), default=None)
