"""Random histories of pull requests: what people, the scheduler and a cluster do to the bot's memory. No HTTP.

What is decided is the bot's own (`spared`, `judge_sweep`, the stores); beside it stands a record of what really
happened, against which every decision is held.
"""

import hashlib
from collections import defaultdict
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any, cast

from bot.store.database import Database
from bot.store.jobs import JobStore
from bot.store.measurements import MaterialStore
from bot.store.sweeps import SweepStore
from gatekit.comments.audit import gate_notes
from gatekit.domain.gates import Gate, GatePlan
from gatekit.domain.ids import GateKey, JobName, Login, PrRef, Repo, Sha, SweepId
from gatekit.domain.job import Material
from gatekit.domain.reuse import Commits
from gatekit.domain.sweep import Cause, ClusterReport, GateRow, GateState, JobOrigin, SweepState
from gatekit.domain.verdict import CurveOutcome, Judged, NotMeasured, Unmeasured
from gatekit.use.decision import Chosen
from gatekit.use.eligibility import judge_sweep
from handlers.ports.bundle import Ports
from handlers.ports.github import Parting, Pull
from handlers.ports.memory import NewSweep
from handlers.start import spared
from tests.worlds.bench.plans import gate
from tests.worlds.bot.stories import judged

REPO = Repo("acme", "bench")
BASE = Sha("0" * 40)
GATES = 3
OPEN = (GateState.SUBMITTING, GateState.RUNNING)
MEASURED = judged(CurveOutcome.ON_CURVE, 2.5, 2.5)
FAILED = NotMeasured(Unmeasured.ENGINE_FAILED, "The engine did not start.")


@dataclass(frozen=True)
class Commit:
    sha: Sha
    content: tuple[int, ...]  # the version of each gate's recipe


@dataclass
class Record:
    """A job that came to a measurement."""

    sweep: SweepId
    heads: set[Sha]
    intact: bool = True


@dataclass
class PullRequest:
    ref: PrRef
    commits: list[Commit]
    label: bool = False
    use: int | None = None
    in_part: bool = False  # GitHub lists its commits in more than one answer
    unlisted: bool = False  # and never says that those were all

    @property
    def head(self) -> Commit:
        return self.commits[-1]

    @property
    def shas(self) -> frozenset[Sha]:
        return frozenset(commit.sha for commit in self.commits)

    @property
    def listed(self) -> Commits:
        return Commits(self.shas, not self.unlisted)

    @property
    def gates(self) -> tuple[Gate, ...]:
        """The same content has the same keys on every pull request."""
        return tuple(gate(f"{n} {v}", config_key=f"tiny-{n}") for n, v in enumerate(self.head.content))


@dataclass
class Clock:
    moment: datetime = datetime(2026, 11, 30, tzinfo=UTC)

    def now(self) -> datetime:
        self.moment += timedelta(seconds=1)
        return self.moment


@dataclass
class Histories:
    """Fills, as far as `spared` asks, the ports of handlers."""

    db: Database
    pulls: "Histories" = field(init=False)
    prs: list[PullRequest] = field(init=False)
    alive: set[JobName] = field(default_factory=set)
    started: list[JobName] = field(default_factory=list)
    records: dict[tuple[PrRef, GateKey], list[Record]] = field(default_factory=lambda: defaultdict(list))
    answered: dict[tuple[SweepId, GateKey], set[Sha]] = field(default_factory=dict)  # heads that a job answered for
    commits_made: int = 0

    def __post_init__(self) -> None:
        self.pulls = self
        self.sweeps, self.jobs, self.materials = SweepStore(self.db, Clock()), JobStore(self.db), MaterialStore(self.db)
        self.prs = [PullRequest(PrRef(REPO, n), [self.commit((0,) * GATES)]) for n in (1, 2)]

    def commit(self, content: tuple[int, ...]) -> Commit:
        self.commits_made += 1
        return Commit(Sha(hashlib.sha1(str(self.commits_made).encode()).hexdigest()), content)

    async def commits(self, repo: Repo, parting: Parting, head: Sha) -> Commits:
        (pr,) = [one for one in self.prs if one.head.sha == head]
        return pr.listed

    # what people do

    async def push(self, pr: PullRequest, changed: int | None) -> None:
        content = tuple(v + (n == changed) for n, v in enumerate(pr.head.content))
        pr.commits.append(self.commit(content))
        await self._moved(pr)

    async def force(self, pr: PullRequest, kept: int, rebased: bool) -> None:
        """Back to an earlier commit, and where it is a rebase, the rest again under new names."""
        rest = pr.commits[kept:] if rebased else []
        pr.commits = pr.commits[: max(kept, 0 if rest else 1)] + [self.commit(one.content) for one in rest]
        await self._moved(pr)

    async def stack(self, pr: PullRequest, on: int) -> None:
        """It is built on another pull request's commits, and has them all."""
        pr.commits = [*self.prs[on].commits, self.commit(self.prs[on].head.content)]
        await self._moved(pr)

    async def switch(self, pr: PullRequest) -> None:
        """The label comes or goes."""
        pr.label = not pr.label
        if pr.label:
            await self._start(pr)
            return
        for sweep in await self.sweeps.history(pr.ref):
            if sweep.state is SweepState.RUNNING:
                await self.sweeps.end(sweep.id, SweepState.CANCELLED, "the label was removed")
        await self.sweeps.retire(pr.ref)

    async def list_in_part(self, pr: PullRequest, unlisted: bool) -> None:
        pr.in_part, pr.unlisted = True, unlisted

    async def use(self, pr: PullRequest, number: int) -> None:
        """Somebody names a sweep, of whatever pull request."""
        pr.use = number if await self._stands(pr, number) else None

    async def _moved(self, pr: PullRequest) -> None:
        if pr.use is not None and await self._stands(pr, pr.use):
            for sweep in await self.sweeps.history(pr.ref):
                if sweep.state is SweepState.RUNNING and sweep.head != pr.head.sha:
                    await self.sweeps.end(sweep.id, SweepState.SUPERSEDED, "the head moved")
        elif pr.label:
            await self._start(pr)

    async def _stands(self, pr: PullRequest, number: int) -> bool:
        sweep = await self.sweeps.find(number)
        if not isinstance(judge_sweep(sweep, number, pr.ref, pr.listed), Chosen):
            return False
        assert sweep is not None
        assert (sweep.pr, sweep.state is SweepState.RUNNING) == (pr.ref, False)
        assert sweep.head in pr.shas
        assert any(one.heads & pr.shas for row in sweep.rows for one in self.records[pr.ref, row.gate.key])
        return True

    async def _start(self, pr: PullRequest) -> None:
        if await self.sweeps.answering(pr.ref, pr.head.sha) is not None:
            return
        history = await self.sweeps.history(pr.ref)
        plan = GatePlan(pr.head.sha, GATES, pr.gates, (), (), (), "n" * 64)
        choices = await spared(self._pull(pr), self._parting(pr), plan, cast("Ports", self))
        sweep = await self.sweeps.create(self._wish(pr, plan, choices), gate_notes)
        anew = bool(history) and history[0].retired and history[0].head == pr.head.sha
        for row in sweep.rows:
            self._hold(pr, row, anew)
            job = (row.source.sweep or sweep.id, row.gate.key)
            self.answered.setdefault(job, set()).add(sweep.head)
            for record in self.records[pr.ref, row.gate.key]:
                if record.sweep == job[0]:
                    record.heads.add(sweep.head)
        await self.sweeps.announced(sweep.id)

    def _wish(self, pr: PullRequest, plan: GatePlan, choices: Any) -> NewSweep:
        return NewSweep(
            pr=pr.ref,
            head=pr.head.sha,
            label="full",
            sender=Login("maria"),
            cause=Cause.LABEL,
            enforce=False,
            supersedes="the head moved",
            plan=plan,
            choices=choices,
        )

    def _pull(self, pr: PullRequest) -> Pull:
        return Pull(pr.ref, True, False, False, "", Login("pat"), pr.head.sha, REPO, "main", "main", frozenset())

    def _parting(self, pr: PullRequest) -> Parting:
        some = frozenset(commit.sha for commit in pr.commits[: len(pr.commits) // 2])
        return Parting(BASE, BASE, Commits(some, complete=False) if pr.in_part or pr.unlisted else pr.listed)

    def _hold(self, pr: PullRequest, row: GateRow, anew: bool) -> None:
        """A gate that takes no job of its own took one that it may take; one that does has to."""
        source, key = row.source, row.gate.key
        assert row.gate in pr.gates
        match source.origin:
            case JobOrigin.REUSED:
                assert not anew
                assert source.head in pr.shas
                assert source.sweep in [one.sweep for one in self._usable(pr, key) if source.head in one.heads]
                assert isinstance(row.verdict, Judged)
            case JobOrigin.ADOPTED:
                assert not anew
                assert source.sweep is not None
                assert self.answered[source.sweep, key] & pr.shas
                assert not self._usable(pr, key)
            case JobOrigin.STARTED:
                assert anew or not self._usable(pr, key)

    def _usable(self, pr: PullRequest, key: GateKey) -> list[Record]:
        """Measurements of the key on this pull request, with a head that is in it now, and their raw material."""
        return [one for one in self.records[pr.ref, key] if one.intact and one.heads & pr.shas]

    # what the scheduler and the cluster do

    async def submit(self, count: int) -> None:
        waiting = [
            one for one in await self.jobs.open() if one.state is GateState.WAITING and one.gone | (not one.attempt)
        ]
        for one in waiting[:count]:
            assert await self.jobs.move(one, GateState.SUBMITTING)
            begun = replace(one, state=GateState.SUBMITTING, attempt=one.attempt + 1)
            assert begun.job not in self.started
            self.started.append(begun.job)
            self.alive.add(begun.job)
            if count % 2:  # else the answer of the cluster is still on its way
                assert await self.jobs.move(begun, GateState.RUNNING)

    async def finish(self, count: int) -> None:
        for one in [one for one in await self.jobs.open() if one.state in OPEN][:count]:
            self.alive.discard(one.job)
            await self.jobs.ended(one, ClusterReport())

    async def judge(self, measured: bool) -> None:
        for one in [one for one in await self.jobs.open() if one.state is GateState.ENDED]:
            if measured:
                await self.materials.put(one.job, Material("{}", {}, {}, None, None, None))
            await self.sweeps.judged(one.sweep, one.key, MEASURED if measured else FAILED, ())
            if measured:
                job = (one.job_sweep or one.sweep, one.key)
                self.records[one.pr, one.key].append(Record(job[0], set(self.answered[job])))

    async def retry(self, count: int) -> None:
        for one in [one for one in await self.jobs.open() if one.state is GateState.ENDED][:count]:
            await self.sweeps.retry(one.sweep, one.key, (), datetime(2026, 11, 30, tzinfo=UTC))

    async def end_sweeps(self, pr: PullRequest) -> None:
        for sweep in await self.sweeps.history(pr.ref):
            if sweep.finished and sweep.state is SweepState.RUNNING:
                await self.sweeps.end(sweep.id, SweepState.DONE, "every gate has ended")

    async def lose(self, pr: PullRequest) -> None:
        """Somebody empties the table of raw material."""
        await self.db.write(lambda conn: conn.execute("DELETE FROM materials"))
        for records in self.records.values():
            for record in records:
                record.intact = False

    async def run(self, measured: bool) -> None:
        """Every open gate, from wherever it is to its verdict."""
        await self.submit(1 + 2 * GATES)
        await self.finish(2 * GATES)
        await self.judge(measured)
        for pr in self.prs:
            await self.end_sweeps(pr)

    async def cancel(self) -> None:
        over = await self.jobs.to_cancel()
        self.alive -= {one.job for one in over}
        await self.jobs.gone(over)

    # what must be true after every step

    async def hold(self) -> None:
        await self.cancel()
        opened = await self.jobs.open()
        assert self.alive == {one.job for one in opened if one.state in OPEN}
        needed = [(one.pr, one.key) for one in opened]
        assert len(set(needed)) == len(needed)
