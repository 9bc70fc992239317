"""A cluster whose jobs end when the test says, or by a law. What it was asked lies in a folder and outlives a bot."""

import json
import tempfile
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import TypeAdapter

from bot.cluster.executor import ClusterUnreachable, JobState, JobStatus, Tidied
from gatekit.cluster.job import job_json
from gatekit.domain.ids import JobName
from gatekit.domain.job import Job, Material
from gatekit.domain.sweep import Ending
from tests.worlds.cluster.attempts import WORKER, Counted, scrape, slices
from tests.worlds.cluster.jobs import parse_job

_MATERIAL: TypeAdapter[Material] = TypeAdapter(Material)
_STATUS: TypeAdapter[JobStatus] = TypeAdapter(JobStatus)
_DRAFT_MODEL, _DRAFT_TOKENS = "--model-draft", "--draft-max"
NOTHING = Material(None, {}, {}, None, None, None)


def unheard(note: str) -> None:
    """Nobody listens."""


@dataclass
class ScriptedCluster:
    """Fills the Executor protocol. `laws`: realized AL by draft model, with which every job ends at once.

    A job starts once; asking for it again changes nothing, as the protocol wants it.
    """

    root: Path
    laws: Mapping[str, float] | None = None
    out_of_reach: bool = False
    stubborn: bool = False  # a cancel does not stop what runs
    hear: Callable[[str], None] = unheard  # what happens, as it happens
    looks: int = 0  # questions for states
    lasts: float = 0.0  # seconds from the start of a job to the end that a law gives it
    refusals: dict[str, Exception] = field(default_factory=dict)  # a word of the engine's command -> what submit raises

    untidy: dict[str, Tidied] = field(default_factory=dict)  # by job: what becomes of a folder that may go

    def __post_init__(self) -> None:
        self.root.mkdir(exist_ok=True)

    # what the bot asks

    async def submit(self, job: Job, avoid: Collection[str] = ()) -> None:
        self._answer()
        self._note("submit", job.job)
        for node in avoid:
            self._note(f"avoid {node} in", job.job)
        for word, error in self.refusals.items():
            if word in " ".join(job.engine.command):
                raise error
        if not (self.root / job.job).exists():
            self._make(job)
            self.hear(f"start {job.job}")

    async def states(self, names: Collection[JobName]) -> Mapping[JobName, JobStatus]:
        self._answer()
        self.looks += 1
        return {name: self._status(name) for name in names}

    async def material(self, name: JobName) -> Material:
        self._answer()
        written = self.root / name / "material.json"
        if written.exists():
            return _MATERIAL.validate_json(written.read_bytes())
        told = (self.root / name / "status.json").exists()  # the cluster ended it: there is no result
        if self.laws is not None and (self.root / name).exists() and not told:
            return self._by_law(name)
        return NOTHING

    async def cancel(self, names: Collection[JobName]) -> frozenset[JobName]:
        self._answer()
        for name in names:
            self._note("cancel", name)
            if (self.root / name).exists() and not self.stubborn:
                (self.root / name / "cancelled").touch()
        return frozenset() if self.stubborn else frozenset(names)

    async def tidy(self, names: Collection[JobName], submitter: str) -> Mapping[JobName, Tidied]:
        self._answer()
        for name in names:
            self._note("tidy", name)
        return {name: self.untidy.get(name, Tidied.GONE) for name in names}

    async def close(self) -> None:
        """Jobs go on."""

    # what the test does

    def finish(self, name: JobName, al: float | None = None) -> None:
        """The job's replay ends well, with this AL; None: with the law's."""
        material = self._by_law(name) if al is None else replayed(self.job(name), al)
        self.leave(name, material)

    def fail(self, name: JobName, reason: str, log: str) -> None:
        """The engine does not start."""
        result = {**result_of(self.job(name)), "outcome": "failed", "reason": reason, "seconds": _seconds(None, None)}
        self.leave(name, Material(json.dumps(result), {}, {}, None, log, ""))

    def leave(self, name: JobName, material: Material) -> None:
        """The job ends and leaves this behind."""
        (self.root / name / "material.json").write_bytes(_MATERIAL.dump_json(material))

    def fail_it(
        self, name: JobName, ending: Ending, said: str = "a node of the job failed", node: str = "node7"
    ) -> None:
        """The cluster ends the job, without a result, and says this of it."""
        status = JobStatus(JobState.ENDED, said, ending, node)
        (self.root / name / "status.json").write_bytes(_STATUS.dump_json(status))

    def litter(self, name: JobName, files: str) -> None:
        """The job has ended, and left these files."""
        status = JobStatus(JobState.ENDED, "the replay ran to its end", Ending.REPLAYED, "node7", files)
        (self.root / name / "status.json").write_bytes(_STATUS.dump_json(status))

    def lose(self, name: JobName) -> None:
        """The cluster forgets the job, and there is no result."""
        (self.root / name / "lost").touch()

    # what the test sees

    def job(self, name: JobName) -> Job:
        return parse_job((self.root / name / "job.json").read_text())

    def drafting(self, name: JobName) -> str:
        """The draft model of a job."""
        return _word_after(self.job(name), _DRAFT_MODEL)

    @property
    def started(self) -> list[str]:
        """In order; each of them once, since a name is one folder."""
        jobs = sorted(self.root.glob("gk-*/job.json"), key=lambda job: job.stat().st_mtime_ns)
        return [job.parent.name for job in jobs]

    @property
    def submitted(self) -> list[str]:
        """Every time that the bot asked for a job, also again."""
        return self._noted("submit")

    @property
    def avoided(self) -> Mapping[str, list[str]]:
        """Nodes on which a job must not run, by job."""
        notes = self.root / "notes"
        words = [line.split(" ") for line in notes.read_text().splitlines() if line.startswith("avoid ")]
        return {job: [node for _, node, _, of in words if of == job] for _, _, _, job in words}

    @property
    def cancelled(self) -> list[str]:
        return self._noted("cancel")

    @property
    def tidied(self) -> list[str]:
        return self._noted("tidy")

    @property
    def running(self) -> list[str]:
        return [name for name in self.started if self._state(JobName(name)) is JobState.RUNNING]

    @property
    def gates_started_twice(self) -> list[str]:
        """Gates (sweep and short key) for which more than one job ran that the cluster neither failed nor lost."""
        failed = ("lost", "status.json", "cancelled")
        kept = [name for name in self.started if not any((self.root / name / mark).exists() for mark in failed)]
        gates = [name.rpartition("-")[0] for name in kept]
        return sorted({gate for gate in gates if gates.count(gate) > 1})

    def _make(self, job: Job) -> None:
        """The job's folder, whole or not at all, wherever the bot dies."""
        new = Path(tempfile.mkdtemp(dir=self.root, prefix="new-"))
        (new / "job.json").write_text(job_json(job))
        new.rename(self.root / job.job)

    def _by_law(self, name: JobName) -> Material:
        assert self.laws is not None
        job = self.job(name)
        return replayed(job, self.laws[self.drafting(name)])

    def _status(self, name: JobName) -> JobStatus:
        said = self.root / name / "status.json"
        return _STATUS.validate_json(said.read_bytes()) if said.exists() else JobStatus(self._state(name))

    def _state(self, name: JobName) -> JobState:
        folder = self.root / name
        if not folder.exists() or (folder / "lost").exists():
            return JobState.ABSENT
        ended = any((folder / mark).exists() for mark in ("material.json", "cancelled", "status.json"))
        return JobState.ENDED if ended or self._over(folder) else JobState.RUNNING

    def _over(self, folder: Path) -> bool:
        """By law; the age of the job's file tells it to every process."""
        return self.laws is not None and time.time() - (folder / "job.json").stat().st_mtime >= self.lasts

    def _answer(self) -> None:
        if self.out_of_reach:
            raise ClusterUnreachable("the cluster does not answer")

    def _note(self, what: str, name: str) -> None:
        with (self.root / "notes").open("a") as notes:
            notes.write(f"{what} {name}\n")
        self.hear(f"{what} {name}")

    def _noted(self, what: str) -> list[str]:
        notes = self.root / "notes"
        lines = notes.read_text().splitlines() if notes.exists() else []
        return [line.partition(" ")[2] for line in lines if line.startswith(f"{what} ")]


def replayed(job: Job, al: float) -> Material:
    """What a replay leaves behind in which the engine accepted as many draft tokens as `al` says."""
    k = int(_word_after(job, _DRAFT_TOKENS))
    drafts, parts = 2000, 20
    ends = [_counted(drafts * n // parts, k, al, wobble=3 * (n % 2)) for n in range(parts)]
    after = _counted(drafts, k, al)
    tokens = after.values()["vllm:generation_tokens"]
    result = {**result_of(job), "requests": _requests(job, tokens)}
    return Material(
        result=json.dumps(result),
        before={WORKER: _llama(scrape(Counted(0, (0,) * k)))},
        after={WORKER: _llama(scrape(after))},
        slices=_llama(slices(tuple(ends[1:]))),
        engine_log="main: server is listening\n",
        job_log="replayed\n",
    )


def result_of(job: Job) -> dict[str, object]:
    """result.json of a replay in which all went well, as far as the job says."""
    return {
        "schema": 1,
        "job": job.job,
        "gate": job.gate,
        "attempt": job.attempt,
        "outcome": "replayed",
        "reason": None,
        "requests": _requests(job, None),
        "prompts_sha256": job.replay.prompts_sha256,
        "replay": json.loads(job_json(job))["replay"],
        "workers": [{"role": "agg", "metrics": "http://127.0.0.1:8000/metrics"}],
        "engine": {"name": job.engine.name, "version": "b1", "command": list(job.engine.command)},
        "aiperf": "0.13.0",
        "seconds": _seconds(3.5, 62.0),
    }


def _requests(job: Job, tokens: int | None) -> dict[str, object]:
    count = job.replay.count
    return {"expected": count, "ok": count, "failed": 0, "output_tokens": tokens, "thinking_marked": None}


def _seconds(start: float | None, replay: float | None) -> dict[str, float | None]:
    return {"start": start, "replay": replay}


def _counted(drafts: int, k: int, al: float, wobble: int = 0) -> Counted:
    accepted = round((al - 1) * drafts) + (wobble if 1 < al < k else 0)
    positions = tuple(accepted // k + (n < accepted % k) for n in range(k))
    return Counted(drafts, positions, draft_tokens=k * drafts)


def _llama(text: str) -> str:
    """The same counters under the names of the other engine."""
    return text.replace("vllm:generation_tokens", "llamacpp:tokens_predicted").replace("vllm:", "llamacpp:")


def _word_after(job: Job, flag: str) -> str:
    command = job.engine.command
    return command[command.index(flag) + 1].rpartition("/")[2]
