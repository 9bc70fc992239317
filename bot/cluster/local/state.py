"""One attempt's folder on this machine, partly written by a pull request's processes, and what its job is doing."""

import contextlib
import json
import os
import shutil
import stat
import tempfile
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from bot.cluster.executor import JobState, JobStatus
from bot.cluster.local.processes import Process
from bot.node.processes import mark_of
from gatekit.cluster.job import job_json, refuse_foreign, submitter_of
from gatekit.cluster.result import split_workers
from gatekit.domain.errors import BadInput
from gatekit.domain.job import Job, Material

JOB, CLAIM, RESULT, JOB_LOG = "job.json", "claim.json", "result.json", "job.log"
TAIL_BYTES = 64 << 10  # of a log
RESULT_BYTES = 1 << 20
JOB_BYTES = 4 << 20
SCRAPE_BYTES = 16 << 20
SLICES_BYTES = 64 << 20

_PLAIN = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class ProcessClaim:
    """Which process took the attempt; `started` in clock ticks since boot."""

    pid: int
    started: int


@dataclass(frozen=True, slots=True)
class RunFolderFacts:
    """What lies in a run folder at one moment."""

    job: bool
    claimed: bool
    claim: ProcessClaim | None  # None though claimed: it cannot be read, or is being written
    result: bool


@dataclass(frozen=True, slots=True)
class RunFolder:
    path: Path

    def place_job(self, job: Job) -> None:
        """Makes the folder with its job.json, whole or not at all. Refusal where a foreign one is there."""
        self.path.mkdir(parents=True, exist_ok=True)
        if self.has(JOB):
            refuse_foreign(self.text(JOB, JOB_BYTES) or "", job)
            return
        with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=self.path, prefix=".job.", delete=False) as file:
            file.write(job_json(job))
            file.flush()
            os.fsync(file.fileno())
        os.replace(file.name, self.path / JOB)

    def has(self, name: str) -> bool:
        return os.path.lexists(self.path / name)

    def facts(self) -> RunFolderFacts:
        return RunFolderFacts(self.has(JOB), self.has(CLAIM), self.claim(), self.has(RESULT))

    def claim(self) -> ProcessClaim | None:
        """None: not claimed, or the claim cannot be read."""
        try:
            data = json.loads(self.text(CLAIM, 4096) or "")
            return ProcessClaim(int(data["pid"]), int(data["started"]))
        except (ValueError, TypeError, KeyError):
            return None

    def text(self, name: str, limit: int) -> str | None:
        """A file as text. None: it is not there, no plain file, or longer than `limit` bytes, so none that we wrote."""
        with self._opened(name) as (file, size):
            return None if file is None or size > limit else _read(file, limit)

    def tail(self, name: str) -> str | None:
        """The last TAIL_BYTES of a log, from the beginning of a line."""
        with self._opened(name) as (file, size):
            if file is None:
                return None
            os.lseek(file, max(0, size - TAIL_BYTES), os.SEEK_SET)
            text = _read(file, TAIL_BYTES)
            return text if size <= TAIL_BYTES else text.partition("\n")[2]

    @property
    def mark(self) -> str:
        """What every process of the job carries, on this machine nobody else."""
        return mark_of(self.path)

    @property
    def scratch(self) -> Path:
        """Home and temporary files of the job: not in this folder, and short, since sockets lie in it (107 bytes)."""
        return Path(tempfile.gettempdir()) / f"gk-{self.mark.rpartition('.')[2]}"

    def make_scratch(self) -> None:
        """Raises PermissionError where somebody else has put something in its place."""
        self.scratch.mkdir(mode=0o700, exist_ok=True)
        found = self.scratch.lstat()
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid():
            raise PermissionError(f"{self.scratch} is not ours: remove it")

    def remove_scratch(self) -> None:
        shutil.rmtree(self.scratch, ignore_errors=True)

    def is_of(self, submitter: str) -> bool:
        """Whether it is this bot's, or not there at all."""
        if not os.path.lexists(self.path):
            return True
        return not self.path.is_symlink() and submitter_of(self.text(JOB, JOB_BYTES) or "") == submitter

    def remove(self) -> bool:
        """With all that lies in it. Renamed first: what could not be removed as a whole is known by its name."""
        gone = self.path.with_name(f".gone-{self.path.name}")
        shutil.rmtree(gone, ignore_errors=True)
        with contextlib.suppress(FileNotFoundError):
            self.path.rename(gone)
        shutil.rmtree(gone, ignore_errors=True)
        return not os.path.lexists(gone)

    @contextlib.contextmanager
    def _opened(self, name: str) -> Iterator[tuple[int | None, int]]:
        """The descriptor and size of a plain file straight in this folder; None where there is none."""
        with contextlib.ExitStack() as stack:
            try:
                folder = os.open(self.path, _PLAIN | os.O_DIRECTORY)
                stack.callback(os.close, folder)
                file = os.open(name, _PLAIN, dir_fd=folder)
                stack.callback(os.close, file)
            except OSError:
                yield None, 0
                return
            facts = os.fstat(file)
            yield (file, facts.st_size) if stat.S_ISREG(facts.st_mode) else (None, 0)


def material(folder: RunFolder) -> Material:
    """Everything that a judge may want to see of one attempt, as text."""
    return Material(
        result=folder.text(RESULT, RESULT_BYTES),
        before=_scrapes(folder, "before.prom"),
        after=_scrapes(folder, "after.prom"),
        slices=folder.text("slices.jsonl", SLICES_BYTES),
        engine_log=folder.tail("engine.log"),
        job_log=folder.tail(JOB_LOG),
    )


def _scrapes(folder: RunFolder, name: str) -> Mapping[str, str]:
    """A file that is not in order gives no scrape at all: then counters are missing, and nobody judges."""
    try:
        return split_workers(folder.text(name, SCRAPE_BYTES) or "")
    except BadInput:
        return {}


def _read(file: int, limit: int) -> str:
    """At most `limit` bytes, even where the file grows meanwhile."""
    parts, left = [], limit
    while left > 0 and (part := os.read(file, min(left, 1 << 20))):
        parts.append(part)
        left -= len(part)
    return b"".join(parts).decode("utf-8", "replace")


def node_of(claim: ProcessClaim | None, living: Collection[Process]) -> Process | None:
    """The node program among the living processes of its job."""
    return next((p for p in living if claim is not None and (p.pid, p.started) == (claim.pid, claim.started)), None)


def state_of(facts: RunFolderFacts, living: Collection[Process]) -> JobStatus:
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


def unless_moved(absent: JobStatus, before: RunFolderFacts, after: RunFolderFacts) -> JobStatus:
    """A short job can begin after its folder was looked at, and be over before its processes are."""
    return absent if before == after else JobStatus(JobState.UNKNOWN, "it moved while it was looked at")
