"""The local executor: a job exists once, outlives the bot, and is gone with all its processes when it is said to be."""

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from bot.cluster.executor import ClusterUnreachable, Executor, JobState
from bot.cluster.local import processes
from bot.cluster.local import state as run_folder
from bot.cluster.local.executor import LocalExecutor, LocalPatience
from bot.cluster.local.processes import Process
from bot.cluster.local.state import ProcessClaim, RunFolder, RunFolderFacts, state_of, unless_moved
from gatekit.cluster.job import job_json
from gatekit.domain.errors import Refusal
from gatekit.domain.ids import JobName
from gatekit.domain.job import EngineStart, Job, Replay
from tests.worlds.bot.until import PATIENCE, until
from tests.worlds.cluster import stub_node

NAME, OTHER = JobName("gk-12-localtest-1"), JobName("gk-12-localtest-2")
NODE = Path(stub_node.__file__)


def job(*words: str, name: JobName = NAME) -> Job:
    engine = EngineStart("vllm", words, (), (), "/health", "/metrics", 60, 0.0)
    replay = Replay(
        "/prompts", None, "coding", 1, "first", "/v1/completions", "server", 8, False, 1, {}, None, None, 60
    )
    return Job(1, name, "f" * 64, 1, "toy", "toy", engine, replay, ("aiperf",), None, 1.0)


class World:
    """A root folder with its executor; what runs in it ends with the test."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.executor: Executor = self.another()

    def another(self, term: float = PATIENCE) -> LocalExecutor:
        return LocalExecutor(self.root, NODE, allow_local=True, patience=LocalPatience(term=term, kill=PATIENCE))

    def folder(self, name: JobName = NAME) -> Path:
        return self.root / "runs" / name

    def lines(self, file: str, name: JobName = NAME) -> list[str]:
        path = self.folder(name) / file
        return path.read_text().split() if path.exists() else []

    def family(self, name: JobName = NAME) -> frozenset[Process]:
        mark = RunFolder(self.folder(name)).mark
        return processes.families([mark])[mark]

    async def started(self, *words: str, name: JobName = NAME) -> int:
        """The pid of a stub that sits."""
        await self.executor.submit(job(*words, name=name))
        await until(lambda: bool(self.lines("ready", name)))
        return int(self.lines("ready", name)[0])

    async def state(self, name: JobName = NAME) -> JobState:
        return (await self.executor.states([name]))[name].state


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    world = World(tmp_path)
    yield world
    await world.another(term=0.1).cancel([NAME, OTHER])
    for name in (NAME, OTHER):
        RunFolder(world.folder(name)).remove_scratch()


def test_it_is_off_unless_it_is_allowed(tmp_path: Path) -> None:
    with pytest.raises(Refusal, match="set GATEKIT_ALLOW_LOCAL=1"):
        LocalExecutor(tmp_path, NODE, allow_local=False)


async def test_a_job_gets_an_environment_from_nothing(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GATEKIT_WEBHOOK_SECRET", "do not tell")
    await world.started("sit")
    seen = json.loads((world.folder() / stub_node.ENVIRONMENT).read_text())
    assert set(seen) == {"PATH", "LANG", "HOME", "TMPDIR", "GATEKIT_JOB"}
    assert seen["GATEKIT_JOB"] == RunFolder(world.folder()).mark
    assert not seen["HOME"].startswith(str(world.root))


async def test_a_job_that_is_submitted_many_times_starts_once(world: World) -> None:
    await asyncio.gather(
        *(executor.submit(job("sit")) for executor in (world.executor, world.another(), world.another()))
    )
    await until(lambda: bool(world.lines("ready")))
    await world.another().submit(job("sit"))
    await until(lambda: len(world.family()) == 1)  # those that found the claim have ended
    assert len(world.lines(stub_node.STARTS)) == 1
    assert await world.state() is JobState.RUNNING


async def test_a_crash_between_the_job_file_and_the_start_is_made_good(world: World) -> None:
    RunFolder(world.folder()).place_job(job("sit"))
    assert await world.state() is JobState.ABSENT
    await world.started("sit")
    assert await world.state() is JobState.RUNNING


async def test_what_another_database_left_under_the_same_name_is_no_result_of_ours(world: World) -> None:
    """Every new database counts its sweeps from 1: the same gate then has the same job name."""
    RunFolder(world.folder()).place_job(replace(job("sit"), submitter="an older database"))
    (world.folder() / "result.json").write_text("{}")
    with pytest.raises(Refusal, match="holds the job of another database: give this bot another root"):
        await world.executor.submit(job("sit"))
    assert not world.lines("ready")


async def test_a_job_with_a_result_is_not_started_again(world: World) -> None:
    RunFolder(world.folder()).place_job(job("sit"))
    (world.folder() / "result.json").write_text("{}")
    await world.executor.submit(job("sit"))
    assert await world.state() is JobState.ENDED
    assert not world.lines("ready")
    assert not world.family()


@pytest.mark.parametrize(
    ("word", "state", "detail"),
    [
        ("sit", JobState.RUNNING, "1 processes"),
        ("unclaimed", JobState.PENDING, "starting"),
        ("finish", JobState.ENDED, ""),
        ("die", JobState.ENDED, "the node program ended without a result"),
    ],
)
async def test_states_of_real_processes(world: World, word: str, state: JobState, detail: str) -> None:
    await world.executor.submit(job(word))
    await until(lambda: bool(world.lines("ready")) or not world.family())
    status = (await world.executor.states([NAME, OTHER]))[NAME]
    assert (status.state, status.detail) == (state, detail)
    assert await world.state(OTHER) is JobState.ABSENT


NODE_PROCESS, ENGINE = Process(10, 500, 1, 10), Process(11, 600, 10, 11)
CLAIMED = RunFolderFacts(job=True, claimed=True, claim=ProcessClaim(10, 500), result=False)


@pytest.mark.parametrize(
    ("facts", "living", "state"),
    [
        (CLAIMED, {NODE_PROCESS, ENGINE}, JobState.RUNNING),
        (replace(CLAIMED, result=True), {NODE_PROCESS}, JobState.ENDED),
        (CLAIMED, {ENGINE}, JobState.ENDED),  # the engine outlived the node program
        (CLAIMED, {replace(NODE_PROCESS, started=501)}, JobState.ENDED),  # the pid belongs to somebody else by now
        (replace(CLAIMED, claim=None), {NODE_PROCESS}, JobState.UNKNOWN),  # being written, or broken
        (replace(CLAIMED, claim=None), set(), JobState.ENDED),
        (RunFolderFacts(job=True, claimed=False, claim=None, result=False), {NODE_PROCESS}, JobState.PENDING),
        (RunFolderFacts(job=True, claimed=False, claim=None, result=False), set(), JobState.ABSENT),
        (RunFolderFacts(job=False, claimed=False, claim=None, result=False), set(), JobState.ABSENT),
    ],
)
def test_a_state_follows_from_the_folder_and_the_processes(
    facts: RunFolderFacts, living: set[Process], state: JobState
) -> None:
    assert state_of(facts, living).state is state


@pytest.mark.parametrize(
    ("after", "state"),
    [
        (RunFolderFacts(job=True, claimed=False, claim=None, result=False), JobState.ABSENT),
        (CLAIMED, JobState.UNKNOWN),
        (replace(CLAIMED, result=True), JobState.UNKNOWN),
    ],
)
def test_a_job_that_began_and_ended_between_two_looks_is_not_lost(after: RunFolderFacts, state: JobState) -> None:
    before = RunFolderFacts(job=True, claimed=False, claim=None, result=False)
    assert unless_moved(state_of(before, set()), before, after).state is state


async def test_a_job_outlives_the_bot_that_started_it(world: World) -> None:
    program = (
        "import asyncio, os, sys; from pathlib import Path; from bot.cluster.local.executor import LocalExecutor;"
        "from tests.worlds.cluster.jobs import parse_job; job = parse_job(sys.stdin.read());"
        "asyncio.run(LocalExecutor(Path(sys.argv[1]), Path(sys.argv[2]), allow_local=True).submit(job));"
        "os.kill(os.getpid(), 9)"
    )
    words = [sys.executable, "-c", program, str(world.root), str(NODE)]
    bot = await asyncio.create_subprocess_exec(*words, stdin=asyncio.subprocess.PIPE)
    await bot.communicate(job_json(job("sit")).encode())
    assert bot.returncode == -signal.SIGKILL
    await until(lambda: bool(world.lines("ready")))
    assert await world.state() is JobState.RUNNING


@pytest.mark.parametrize("words", [("sit",), ("sit", "hide"), ("deaf", "hide"), ("unclaimed",), ("unclaimed", "deaf")])
async def test_a_cancelled_job_leaves_nothing(world: World, words: tuple[str, ...]) -> None:
    node = await world.started(*words)
    bystander = await world.started("sit", name=OTHER)
    scratch = RunFolder(world.folder()).scratch
    pids = [node, *map(int, world.lines(stub_node.CHILDREN))]
    assert all(processes.read(pid) for pid in pids)
    assert scratch.exists()
    assert await world.another(term=0.3).cancel([NAME]) == {NAME}
    assert [pid for pid in pids if processes.read(pid)] == []
    assert not scratch.exists()
    assert processes.read(bystander)
    assert await world.executor.cancel([NAME]) == {NAME}  # and again: gone is gone


async def test_equal_names_in_two_roots_are_two_jobs(world: World, tmp_path: Path) -> None:
    """Two bots of one user on one machine: neither sees, counts or ends what the other runs."""
    neighbour = World(tmp_path / "neighbour")
    ours, theirs = await world.started("sit", "hide"), await neighbour.started("sit", "hide")
    pids = [theirs, *map(int, neighbour.lines(stub_node.CHILDREN))]
    assert await world.executor.cancel([NAME]) == {NAME}
    assert processes.read(ours) is None
    assert [pid for pid in pids if processes.read(pid) is None] == []
    assert await neighbour.state() is JobState.RUNNING
    await world.state()  # a look at an ended job clears away what is left of it
    assert await neighbour.state() is JobState.RUNNING
    assert await neighbour.executor.cancel([NAME]) == {NAME}
    assert [pid for pid in pids if processes.read(pid)] == []


async def test_a_root_behind_a_link_is_the_same_root(world: World, tmp_path: Path) -> None:
    await world.started("sit")
    (tmp_path / "link").symlink_to(world.root)
    linked = LocalExecutor(tmp_path / "link", NODE, allow_local=True)
    assert (await linked.states([NAME]))[NAME].state is JobState.RUNNING


async def test_a_process_that_does_not_end_in_time_is_not_called_gone(world: World) -> None:
    await world.started("deaf")
    impatient = LocalExecutor(world.root, NODE, allow_local=True, patience=LocalPatience(term=0.05, kill=0.0))
    assert await impatient.cancel([NAME]) == frozenset()


async def test_what_outlives_a_killed_node_program_is_ended_at_the_next_look(world: World) -> None:
    node = await world.started("sit")
    leftover = await asyncio.create_subprocess_exec(
        "/bin/sleep", "600", env={"GATEKIT_JOB": RunFolder(world.folder()).mark}
    )
    os.kill(node, signal.SIGKILL)
    await until(lambda: processes.read(node) is None)
    assert await world.state() is JobState.ENDED
    assert await leftover.wait() == -signal.SIGKILL
    assert not RunFolder(world.folder()).scratch.exists()


async def test_a_signal_never_hits_a_pid_that_was_used_again() -> None:
    stranger = await asyncio.create_subprocess_exec("/bin/sleep", "600")
    real = processes.read(stranger.pid)
    assert real is not None
    processes.send(replace(real, started=real.started - 1), signal.SIGKILL)
    assert processes.is_living(real)
    processes.send(real, signal.SIGKILL)
    assert await stranger.wait() == -signal.SIGKILL


async def test_material_is_read_within_bounds_and_through_no_link(world: World) -> None:
    folder = world.folder()
    folder.mkdir(parents=True)
    (folder / "result.json").write_text("{}")
    (folder / "before.prom").write_text("# worker agg-0 http://127.0.0.1:1\na 1\n# worker agg-1\na 2\n")
    (folder / "after.prom").symlink_to(folder / "before.prom")
    os.mkfifo(folder / "slices.jsonl")
    (folder / "engine.log").write_text("".join(f"line {number}\n" for number in range(20_000)))
    material = await world.executor.material(NAME)
    assert material.result == "{}"
    assert {name: text.strip() for name, text in material.before.items()} == {"agg-0": "a 1", "agg-1": "a 2"}
    assert material.after == {}
    assert (material.slices, material.job_log) == (None, None)
    assert material.engine_log is not None
    assert len(material.engine_log) <= run_folder.TAIL_BYTES
    assert material.engine_log.startswith("line ")
    assert material.engine_log.endswith("line 19999\n")
    (folder / "result.json").write_text(" " * (run_folder.RESULT_BYTES + 1))
    assert (await world.executor.material(NAME)).result is None


async def test_a_folder_that_is_a_link_shows_nothing(world: World, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "result.json").write_text("{}")
    world.folder().parent.mkdir(parents=True)
    world.folder().symlink_to(tmp_path / "elsewhere")
    assert (await world.executor.material(NAME)).result is None


async def test_a_disk_that_refuses_makes_the_cluster_unreachable(tmp_path: Path) -> None:
    (tmp_path / "runs").write_text("a file where the folder should be")
    executor = LocalExecutor(tmp_path, NODE, allow_local=True)
    with pytest.raises(ClusterUnreachable, match="this machine did not let us"):
        await executor.submit(job("sit"))


async def test_a_name_that_is_none_cannot_leave_the_runs_folder(world: World) -> None:
    with pytest.raises(ValueError, match="is no job name"):
        await world.executor.material(JobName("../../etc"))
