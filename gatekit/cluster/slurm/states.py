"""SLURM's words for the state of a job, 22.05 to 25.05, and what follows from each. The list is closed.

The words and flags stand in SLURM's page "Job State Codes"; squeue and sacct print one of them per job.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from gatekit.domain.ending import Ending


class Standing(StrEnum):
    WAITING = "waiting"
    RUNNING = "running"  # it holds nodes, whatever it does there
    ENDED = "ended"  # nothing more will happen to a job that is never requeued
    UNKNOWN = "unknown"  # not ended


@dataclass(frozen=True, slots=True)
class Word:
    """`ending` and `sentence` hold where the job left nothing that says more."""

    standing: Standing
    ending: Ending = Ending.UNKNOWN
    sentence: str = ""


_WAITING = Word(Standing.WAITING)
_RUNNING = Word(Standing.RUNNING)


def _held(sentence: str) -> Word:
    return Word(Standing.WAITING, sentence=sentence)


def _blames_cluster(sentence: str) -> Word:
    return Word(Standing.ENDED, Ending.INFRASTRUCTURE, sentence)


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
    "STOPPED": Word(Standing.RUNNING, sentence="it is stopped, and keeps its nodes"),
    "SUSPENDED": Word(Standing.RUNNING, sentence="it is suspended"),
    "UPDATE_DB": _RUNNING,
    "COMPLETED": _blames_cluster("the job ended well for SLURM, but left no result: look at the shared file system"),
    "FAILED": _blames_cluster("the job could not be launched, or was killed: look at its node and at slurmd's log"),
    "TIMEOUT": Word(Standing.ENDED, Ending.BUDGET, "the time limit ended the job: raise time_limit_minutes"),
    "DEADLINE": Word(Standing.ENDED, Ending.BUDGET, "the job's deadline passed"),
    "OUT_OF_MEMORY": Word(Standing.ENDED, Ending.MEMORY, "the job needed more memory than it was given"),
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
    return WORDS.get(word, Word(Standing.UNKNOWN, sentence=f"SLURM calls it {word[:40]!r}, which we do not know"))


def waits_for(reason: str) -> str:
    """What an operator should read beside a pending job: what to do where it waits in vain, else SLURM's reason."""
    plain = reason.strip()
    return _HELD.get(plain.strip("()"), "" if plain in ("", "None") else f"waits: {plain[:120]}")
