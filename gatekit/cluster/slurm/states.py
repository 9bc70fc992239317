"""SLURM's words for the state of a job, as squeue and sacct print them. The list of states is closed."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from gatekit.domain.ids import JobName
from gatekit.domain.sweep import Ending


class JobStanding(StrEnum):
    WAITING = "waiting"
    RUNNING = "running"  # it holds nodes, whatever it does there
    ENDED = "ended"  # nothing more will happen to a job that is never requeued
    UNKNOWN = "unknown"  # not ended


@dataclass(frozen=True, slots=True)
class Word:
    """`ending` and `sentence` hold where the job left nothing that says more."""

    standing: JobStanding
    ending: Ending = Ending.UNKNOWN
    sentence: str = ""


_WAITING = Word(JobStanding.WAITING)
_RUNNING = Word(JobStanding.RUNNING)


def _held(sentence: str) -> Word:
    return Word(JobStanding.WAITING, sentence=sentence)


def _blames_cluster(sentence: str) -> Word:
    return Word(JobStanding.ENDED, Ending.INFRASTRUCTURE, sentence)


WORDS: Mapping[str, Word] = {
    "PENDING": _WAITING,
    "CONFIGURING": _WAITING,
    "POWER_UP_NODE": _WAITING,
    "EXPEDITING": _WAITING,
    "REQUEUED": _WAITING,
    "REQUEUE_FED": _WAITING,
    "REQUEUE_HOLD": _held("it was requeued and is held: release it, or cancel the gate"),
    "RESV_DEL_HOLD": _held("its reservation was deleted, so it is held: release it, or cancel the gate"),
    "SPECIAL_EXIT": _held("it was requeued in a special state: release it, or cancel the gate"),
    "LAUNCH_FAILED": _held("a node could not launch it: look at the prolog and at slurmd's log"),
    "RECONFIG_FAIL": _held("a node could not be configured for it: look at slurmctld's log"),
    "RUNNING": _RUNNING,
    "COMPLETING": _RUNNING,
    "RESIZING": _RUNNING,
    "SIGNALING": _RUNNING,
    "STAGE_OUT": _RUNNING,
    "STOPPED": Word(JobStanding.RUNNING, sentence="it is stopped, and keeps its nodes"),
    "SUSPENDED": Word(JobStanding.RUNNING, sentence="it is suspended"),
    "UPDATE_DB": _RUNNING,
    "COMPLETED": _blames_cluster("the job ended well for SLURM, but left no result: look at the shared file system"),
    "FAILED": _blames_cluster("the job could not be launched, or was killed: look at its node and at slurmd's log"),
    "TIMEOUT": Word(JobStanding.ENDED, Ending.BUDGET, "the time limit ended the job: raise time_limit_minutes"),
    "DEADLINE": Word(JobStanding.ENDED, Ending.BUDGET, "the job's deadline passed"),
    "OUT_OF_MEMORY": Word(JobStanding.ENDED, Ending.MEMORY, "the job needed more memory than it was given"),
    "CANCELLED": _blames_cluster(
        "the job was cancelled on the cluster, and not by the bot: ask who did it, and look for a failed prolog"
    ),
    "NODE_FAIL": _blames_cluster("a node of the job failed"),
    "PREEMPTED": _blames_cluster("a job of higher priority took the nodes"),
    "BOOT_FAIL": _blames_cluster("a node of the job did not boot"),
    "REVOKED": _blames_cluster("another cluster of the federation took the job: pin the bot's jobs to one cluster"),
}

# Reasons of a pending job that do not pass by waiting.
_HELD: Mapping[str, str] = {
    "JobHeldAdmin": "an administrator holds it: release it, or cancel the gate",
    "JobHeldUser": "it is held: release it, or cancel the gate",
    "launch failed requeued held": "a node could not launch it: mend the node, release the job, or cancel the gate",
    "BadConstraints": "no node can ever satisfy it: mend the cluster's entry in the clusters file",
    "PartitionTimeLimit": "the partition's time limit is shorter than time_limit_minutes: mend the clusters file",
    "PartitionNodeLimit": "the partition has too few nodes for it: mend the clusters file",
    "AccountNotAllowed": "its partition does not take its account: mend the clusters file",
    "AssocMaxWallDurationPerJobLimit": "its account allows less time than time_limit_minutes: mend the clusters file",
    "QOSMaxWallDurationPerJobLimit": "its QOS allows less time than time_limit_minutes: mend the clusters file",
    "DependencyNeverSatisfied": "it waits for a job that will never end well: cancel the gate",
}


def first_word(text: str) -> str:
    """The state in a cell of squeue or sacct: `CANCELLED by 1001` and `CANCELLED+` are CANCELLED."""
    return (text.split() or [""])[0].rstrip("+")


def read_word(text: str) -> Word:
    """A word that is not on the list is unknown, and unknown is not ended."""
    word = first_word(text)
    return WORDS.get(word, Word(JobStanding.UNKNOWN, sentence=f"SLURM calls it {word[:40]!r}, which we do not know"))


def waits_for(reason: str) -> str:
    """What an operator should read beside a pending job: what to do where it waits in vain, else SLURM's reason."""
    plain = reason.strip()
    return _HELD.get(plain.strip("()"), "" if plain in ("", "None") else f"waits: {plain[:120]}")


# Job id, state, reason, working folder, as remote.sh asks for them; the name last, for it alone may hold a bar.
_SQUEUE_COLUMNS = 5


@dataclass(frozen=True, slots=True)
class QueueRow:
    id: int
    state: str
    reason: str
    folder: str
    name: str


def parse_queue(text: str) -> tuple[QueueRow, ...]:
    """Every row that has the form. Others belong to jobs whose names hold line breaks, and none of ours does."""
    rows = (line.split("|", _SQUEUE_COLUMNS - 1) for line in text.split("\n"))
    return tuple(
        QueueRow(int(cells[0]), *(cell.strip() for cell in cells[1:]))
        for cells in rows
        if len(cells) == _SQUEUE_COLUMNS and _is_id(cells[0].strip())
    )


def row_of(rows: tuple[QueueRow, ...], id: int, name: JobName) -> QueueRow | None:
    """The job's row. The id alone names nobody: after a crash of the controller it is given out again."""
    return next((row for row in rows if row.id == id and row.name == name), None)


def active_rows(rows: tuple[QueueRow, ...], name: JobName, folder: str) -> tuple[QueueRow, ...]:
    """Jobs of this name and run folder that wait, run, or do what we do not understand, whatever their ids."""
    return tuple(
        row
        for row in rows
        if row.name == name and row.folder == folder and read_word(row.state).standing is not JobStanding.ENDED
    )


def _is_id(text: str) -> bool:
    return text.isascii() and text.isdigit()


# Job id, state, exit code, as remote.sh asks for them; the name last, for it alone may hold a bar.
_SACCT_COLUMNS = 4


@dataclass(frozen=True, slots=True)
class AccountRow:
    id: int
    state: str  # e.g. "CANCELLED by 1001"
    exit_code: str  # as it stands; codes above 127 are not what the script said
    name: str


def parse_accounting(text: str) -> tuple[AccountRow, ...]:
    """Every row that has the form; steps (`12.batch`) have none."""
    rows = (line.split("|", _SACCT_COLUMNS - 1) for line in text.split("\n"))
    return tuple(
        AccountRow(int(cells[0]), cells[1].strip(), cells[2].strip(), cells[3].strip())
        for cells in rows
        if len(cells) == _SACCT_COLUMNS and cells[0].isascii() and cells[0].isdigit()
    )


def ended_row(rows: tuple[AccountRow, ...], id: int, name: JobName) -> AccountRow | None:
    """The last row in which this very job has ended.

    Rows that have not ended say nothing: they come late, and those of a job that the controller lost stay for ever.
    """
    own = [row for row in rows if row.id == id and row.name == name]
    ended = [row for row in own if read_word(row.state).standing is JobStanding.ENDED]
    return ended[-1] if ended else None
