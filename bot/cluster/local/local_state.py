"""What a job on this machine is doing, from its folder and its processes."""

from collections.abc import Collection

from bot.cluster.executor import JobState, JobStatus
from bot.cluster.local.processes import Process
from bot.cluster.local.run_folder import Claim, Facts


def node_of(claim: Claim | None, living: Collection[Process]) -> Process | None:
    """The node program among the living processes of its job."""
    return next((p for p in living if claim is not None and (p.pid, p.started) == (claim.pid, claim.started)), None)


def state_of(facts: Facts, living: Collection[Process]) -> JobStatus:
    """`living` are the processes of the job, looked for after its folder was."""
    if facts.result:
        return JobStatus(JobState.ENDED)
    if facts.claimed and facts.claim is None and living:
        return JobStatus(JobState.UNKNOWN, "the claim cannot be read, and processes of the job live")
    if facts.claimed and node_of(facts.claim, living) is None:
        return JobStatus(JobState.ENDED, "the node program ended without a result")
    if facts.claimed:
        return JobStatus(JobState.RUNNING, f"{len(living)} processes")
    if living:
        return JobStatus(JobState.PENDING, "starting")
    return JobStatus(JobState.ABSENT, "written, but not started" if facts.job else "no such run folder")


def unless_moved(absent: JobStatus, before: Facts, after: Facts) -> JobStatus:
    """A short job can begin after its folder was looked at, and be over before its processes are."""
    return absent if before == after else JobStatus(JobState.UNKNOWN, "it moved while it was looked at")
