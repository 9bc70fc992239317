"""Every drill on a cluster, with the one outcome that is allowed. `docs/slurm.md` shows the same table."""

from dataclasses import dataclass
from enum import Enum

from bot.cluster.executor import JobState, JobStatus
from bot.scheduler.cluster_loop import said_of
from gatekit.domain.sweep import Ending
from gatekit.domain.verdict import NotMeasured, Unmeasured
from gatekit.sweep.retry import AttemptEnd, Retry, decide
from tests.worlds.slurm.world import Drill

AGAIN = "another attempt"
OWN = "its own"  # verdict, or reason for none
_OWN = NotMeasured(Unmeasured.REPLAY_FAILED, "what its material alone comes to")


@dataclass(frozen=True)
class Allowed:
    """`then`: what becomes of the gate. `says`: a part of the sentence that an operator reads."""

    what: str
    ending: Ending
    then: str
    says: str = ""
    may_be_lost: bool = False  # the cluster may have forgotten the job instead: then another attempt, once
    jobs: int = 1  # in SLURM at most; whatever their number, one runs the attempt

    def check(self, drill: Drill, status: JobStatus) -> None:
        """One job, one run at most, and one ending that leads to one verdict or to another attempt."""
        if status.state is JobState.ABSENT and self.may_be_lost:
            assert comes_to(status) == AGAIN
        else:
            assert (status.state, status.ending) == (JobState.ENDED, self.ending), (self.what, status)
            assert comes_to(status) == self.then, self.what
            assert self.says in status.detail
        assert len({id for id, _ in drill.jobs()}) <= self.jobs, self.what
        assert len(drill.starts) == 1 or (not drill.starts and status.ending is not Ending.REPLAYED), self.what


def comes_to(status: JobStatus) -> str:
    """What the bot makes of a first attempt that ended so."""
    decided = decide(AttemptEnd(1, _OWN, said_of(status)))
    if isinstance(decided, Retry):
        return AGAIN
    return OWN if decided.verdict is _OWN else decided.verdict.why.value


_SLOW = "raise time_limit_minutes"


class Drilled(Enum):
    """In the order in which a job lives."""

    CUT_SUBMITTING = Allowed("SSH is cut while jobs are submitted, at 25 instants", Ending.REPLAYED, OWN)
    MANY_AT_ONCE = Allowed("five bots submit the same attempt at once", Ending.REPLAYED, OWN)
    PROGRAM_KILLED = Allowed("the login node dies before or after sbatch, with no job id on file", Ending.REPLAYED, OWN)
    FROZEN = Allowed("slurmctld is frozen while a job is submitted", Ending.REPLAYED, OWN)
    AWAY = Allowed("slurmctld is stopped while a job is submitted", Ending.REPLAYED, OWN)
    KILLED = Allowed("slurmctld is killed right after a submission", Ending.REPLAYED, OWN, may_be_lost=True)
    TWIN = Allowed("slurmctld makes a second job of one submission", Ending.REPLAYED, OWN, jobs=2)
    REFUSED = Allowed(
        "SLURM refuses the job", Ending.REFUSED, Unmeasured.REFUSED, "SLURM refuses the job: sbatch: error: "
    )
    DISK_FULL_BEFORE = Allowed("the disk is full at the submission, and has room later", Ending.REPLAYED, OWN)
    DISK_FULL_AFTER = Allowed("the disk fills while the job runs", Ending.INFRASTRUCTURE, AGAIN)
    PROLOG = Allowed("a prolog fails", Ending.INFRASTRUCTURE, AGAIN, "look for a failed prolog")
    CUT_POLLING = Allowed("SSH is cut during a poll, at 20 instants", Ending.REPLAYED, OWN)
    SILENT = Allowed("the SSH server falls silent", Ending.REPLAYED, OWN)
    SSHD_RESTARTED = Allowed("sshd and all its sessions end, and it is started again", Ending.REPLAYED, OWN)
    STOPPED = Allowed("slurmctld is stopped while the job runs and ends", Ending.REPLAYED, OWN)
    BOT_AWAY = Allowed("the job ends while the bot is down, and SLURM forgets it", Ending.REPLAYED, OWN)
    NODE = Allowed("the job's node dies", Ending.INFRASTRUCTURE, AGAIN, "a node of the job failed")
    PREEMPTED = Allowed("a job of higher priority takes the node", Ending.INFRASTRUCTURE, AGAIN, "higher priority")
    SOMEBODY = Allowed("somebody else cancels the job", Ending.INFRASTRUCTURE, AGAIN, "and not by the bot")
    BOT = Allowed(
        "the bot cancels it: waiting, running, or just being submitted", Ending.CANCELLED, Unmeasured.CANCELLED
    )
    LIMIT_WARNED = Allowed("the time limit comes near", Ending.BUDGET, Unmeasured.TIME_LIMIT, _SLOW)
    LIMIT = Allowed("the time limit ends the job without a warning", Ending.BUDGET, Unmeasured.TIME_LIMIT, _SLOW)
    MEMORY = Allowed(
        "the job needs too much memory (SLURM's words of it only: cgroups are missing here)",
        Ending.MEMORY, Unmeasured.OUT_OF_MEMORY, "more memory than it was given",
    )  # fmt: skip
    WELL = Allowed("the replay runs to its end", Ending.REPLAYED, OWN, "the replay ran to its end")
    DIED = Allowed("the node program dies", Ending.GATE_FAILED, OWN, "ended with code 5, and left no result")
    GATE_FAILED = Allowed("the gate fails by itself", Ending.GATE_FAILED, OWN, "the gate failed: the engine exited")
    NO_RESULT = Allowed("the result is missing", Ending.INFRASTRUCTURE, AGAIN, "but left no result")
    HALF_RESULT = Allowed("the result is cut short", Ending.INFRASTRUCTURE, AGAIN, "its result cannot be read")
    FOREIGN_RESULT = Allowed(
        "the result is another job's", Ending.INFRASTRUCTURE, AGAIN, "its result belongs to job gk-1-another-1, not to"
    )
    CUT_FETCHING = Allowed("SSH is cut while the result is fetched", Ending.REPLAYED, OWN)


def table() -> str:
    """The table of the document."""
    lines = ["| what happens | how the attempt ends | what becomes of the gate |", "|---|---|---|"]
    for drilled in Drilled:
        one = drilled.value
        lost = ", or the job is lost" if one.may_be_lost else ""
        lines.append(f"| {one.what} | {one.ending.value}{lost} | {_then(one)}{f'; {AGAIN}' if lost else ''} |")
    return "\n".join(lines) + "\n"


def _then(one: Allowed) -> str:
    if one.then == AGAIN:
        return AGAIN
    if one.then == OWN:
        return "judged" if one.ending is Ending.REPLAYED else "not measured, with the gate's own reason"
    return f"not measured: `{one.then}`"
