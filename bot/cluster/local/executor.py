"""The `local` executor: gates as processes on the bot's own machine. Good for a demo and for tests.

A pull request's engine then runs here, under the bot's own user: hence `allow_local`. A job's processes get an
environment that is built from nothing, outlive the bot, and carry their run folder's mark, by which they are found
again: another bot of the same user may give the same names to its jobs.
"""

import asyncio
import os
import signal
import sys
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from bot.cluster.executor import ClusterUnreachable, JobState, JobStatus, Tidied
from bot.cluster.local import processes, state
from bot.cluster.local.processes import Process
from bot.cluster.local.state import ProcessClaim, RunFolder, node_of, state_of, unless_moved
from bot.node.processes import MARKER
from gatekit.domain.errors import Refusal
from gatekit.domain.ids import JobName, is_job_name
from gatekit.domain.job import Job, Material

PATH = "/usr/local/bin:/usr/bin:/bin"
LOOK_SECONDS = 0.1  # between two looks at processes that shall end
EXIT_SECONDS = 1.0  # from the result to the end of the node program

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class LocalPatience:
    """Seconds. The node program needs up to 16 to end an engine that does not want to."""

    term: float = 20.0
    kill: float = 5.0


class LocalExecutor:
    """Fills the Executor protocol. `node` is the node program, one file; `root` holds `runs/<job name>/`."""

    def __init__(self, root: Path, node: Path, *, allow_local: bool, patience: LocalPatience | None = None) -> None:
        if not allow_local:
            raise Refusal(
                "the local executor runs the processes of pull requests on this machine: set GATEKIT_ALLOW_LOCAL=1 "
                "where that is wanted, or give the cluster another executor"
            )
        self._runs = root.resolve() / "runs"  # one folder has one mark, however the operator writes it
        self._node = node.absolute()
        self._patience = patience or LocalPatience()
        self._children: set[int] = set()  # that we started and must bury

    async def submit(self, job: Job, avoid: Collection[str] = ()) -> None:
        del avoid  # there is one machine
        name = JobName(job.job)
        await self._here(lambda: self._submit(name, job))

    async def states(self, names: Collection[JobName]) -> Mapping[JobName, JobStatus]:
        return await self._here(lambda: self._states(names))

    async def material(self, name: JobName) -> Material:
        return await self._here(lambda: state.material(self._folder(name)))

    async def cancel(self, names: Collection[JobName]) -> frozenset[JobName]:
        """First the node program is asked, since it cleans up best; then whatever is left is killed."""
        gone = await asyncio.gather(*(self._end(name) for name in names))
        return frozenset(name for name, ended in zip(names, gone, strict=True) if ended)

    async def tidy(self, names: Collection[JobName], submitter: str) -> Mapping[JobName, Tidied]:
        return await self._here(lambda: {name: self._tidied(name, submitter) for name in names})

    async def close(self) -> None:
        """Jobs go on: they belong to their run folder, not to us."""
        self._bury()

    def _folder(self, name: JobName) -> RunFolder:
        if not is_job_name(name):
            raise ValueError(f"{name!r} is no job name")
        return RunFolder(self._runs / name)

    def _families(self, names: Collection[JobName]) -> Mapping[JobName, frozenset[Process]]:
        marks = {name: self._folder(name).mark for name in names}
        found = processes.families(marks.values())
        return {name: found[mark] for name, mark in marks.items()}

    def _family(self, name: JobName) -> frozenset[Process]:
        return self._families([name])[name]

    def _submit(self, name: JobName, job: Job) -> None:
        folder = self._folder(name)
        folder.place_job(job)
        if folder.has(state.RESULT) or folder.has(state.CLAIM) or self._family(name):
            return
        self._start(name, folder)

    def _start(self, name: JobName, folder: RunFolder) -> None:
        """Two starts are no harm: the second finds the first one's claim and ends."""
        folder.make_scratch()
        scratch = str(folder.scratch)
        env = {"PATH": PATH, "LANG": "C.UTF-8", "HOME": scratch, "TMPDIR": scratch, MARKER: folder.mark}
        log = os.open(
            folder.path / state.JOB_LOG,
            os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC,
            0o644,
        )
        try:
            files = [
                (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
                (os.POSIX_SPAWN_DUP2, log, 1),
                (os.POSIX_SPAWN_DUP2, log, 2),
            ]
            argv = [sys.executable, "-I", str(self._node), str(folder.path)]
            python_ignores = [signal.SIGPIPE, signal.SIGXFSZ]
            child = os.posix_spawn(argv[0], argv, env, file_actions=files, setsid=True, setsigdef=python_ignores)
        finally:
            os.close(log)
        self._children.add(child)

    def _states(self, names: Collection[JobName]) -> Mapping[JobName, JobStatus]:
        self._bury()
        facts = {name: self._folder(name).facts() for name in names}  # first: a job may end between the two looks
        families = self._families(names)
        statuses = {name: state_of(facts[name], families[name]) for name in names}
        for name, status in statuses.items():
            if status.state is JobState.ABSENT:
                statuses[name] = unless_moved(status, facts[name], self._folder(name).facts())
        for name, status in statuses.items():
            if status.state is JobState.ENDED:
                self._tidy(name, facts[name].claim, families[name])
        return statuses

    def _tidy(self, name: JobName, claim: ProcessClaim | None, family: frozenset[Process]) -> None:
        """A node program that ends well leaves its home behind; one that was killed, its engine too."""
        node = node_of(claim, family)
        if node is not None and not processes.ends_within(node, EXIT_SECONDS):
            return
        self._bury()
        for process in family - {node}:
            processes.send(process, signal.SIGKILL)
        self._folder(name).remove_scratch()

    async def _end(self, name: JobName) -> bool:
        known: set[Process] = set()  # once seen, a process counts until it is gone, whatever it became since
        for number, seconds in ((signal.SIGTERM, self._patience.term), (signal.SIGKILL, self._patience.kill)):
            told: set[Process] = set()
            until = asyncio.get_running_loop().time() + seconds
            while asyncio.get_running_loop().time() < until:
                living = await self._here(lambda: self._living(name, known))
                if not living:
                    await self._here(self._folder(name).remove_scratch)
                    return True
                known.update(living)
                node = node_of(self._folder(name).claim(), living)
                whom = {node} if node and number is signal.SIGTERM else living
                for process in whom - told:
                    processes.send(process, number)
                told |= whom
                await asyncio.sleep(LOOK_SECONDS)
        return False

    def _tidied(self, name: JobName, submitter: str) -> Tidied:
        folder = self._folder(name)
        if not folder.is_of(submitter):
            return Tidied.FOREIGN
        if self._family(name):
            return Tidied.KEPT
        folder.remove_scratch()
        return Tidied.GONE if folder.remove() else Tidied.KEPT

    def _living(self, name: JobName, known: set[Process]) -> frozenset[Process]:
        self._bury()
        return self._family(name) | {process for process in known if processes.is_living(process)}

    def _bury(self) -> None:
        """A child that ended stays a zombie until its parent asks."""
        for child in tuple(self._children):
            try:
                ended = os.waitpid(child, os.WNOHANG)[0] == child
            except ChildProcessError:
                ended = True
            if ended:
                self._children.discard(child)

    async def _here(self, work: Callable[[], T]) -> T:
        try:
            return await asyncio.to_thread(work)
        except OSError as error:
            raise ClusterUnreachable(f"this machine did not let us: {error}") from error
