"""What the `/use` commands of a pull request come to: read anew, decided once, shown."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from gatekit.bench.repo.settings import RepoSettings
from gatekit.comments.audit import use_note
from gatekit.comments.check_runs import standing_report, withdrawn_report
from gatekit.comments.slots import Slot
from gatekit.comments.use import render_use
from gatekit.domain.errors import BadInput
from gatekit.domain.ids import Repo
from gatekit.domain.reuse import Commits
from gatekit.sweep.labels import blocks_reuse
from gatekit.use.conversation import commanding, spoken, to_be_asked
from gatekit.use.decision import Chosen, Decision, No, Rejected, RunAnswer, Spoken, believed, reactions, unheard
from gatekit.use.eligibility import WantedRun, judge_artifacts, judge_sweep, judge_workflow_run
from gatekit.use.workflow_runs import Artifact, to_read
from handlers.errors import NotThere
from handlers.ports.bundle import Ports, ReadPorts
from handlers.ports.github import Pull, WorkflowRuns


async def with_rows(answer: RunAnswer, listed: Sequence[Artifact], repo: Repo, runs: WorkflowRuns) -> RunAnswer:
    """The answer by their names, once one of them was read that holds a result row. Anything odd makes it a no."""
    if isinstance(answer, Rejected):
        return answer
    found = to_read(listed)
    try:
        for artifact in found:
            if await runs.rows(repo, artifact):
                return answer
    except BadInput as odd:
        return Rejected(No.NOT_USABLE, answer.run, str(odd))
    except NotThere:
        return Rejected(No.EXPIRED, answer.run)
    return Rejected(No.NO_ROWS, answer.run, ", ".join(one.name for one in found))


LOOKED_AT = 30  # runs whose artifacts are asked for where no run was named


async def settle_use(pull: Pull, settings: RepoSettings, do: Ports) -> Decision | None:
    """The decision by the commands that stand on the pull request now; it is kept, and shown where there is one.

    Doing it again changes nothing. Raises LookupFailed where something could not be found out.
    """
    said = await said_on(pull, do)
    before = await do.uses.kept(pull.ref)
    decision = await decide(UseFacts(pull, settings, said), do)
    await _show_on_head(pull, before, decision, do)
    await do.uses.keep(pull.ref, decision, None if decision is None else use_note(decision))
    await do.conversation.react(pull.ref, reactions(said, decision))
    if said or before is not None:
        await do.comments.upsert(pull.ref, Slot.USE, render_use(decision, unheard(said, decision)))
    return decision


async def _show_on_head(pull: Pull, before: Decision | None, now: Decision | None, do: Ports) -> None:
    """A head that no sweep answers for: its check run says which run does, and where that one does not any more, so."""
    if await do.sweeps.answering(pull.ref, pull.head) is not None:
        return
    if now is not None and now.chosen is not None:
        await do.checks.put(pull.ref.repo, standing_report(pull.head, now))
    elif before is not None and before.chosen is not None and before.head == pull.head:
        await do.checks.put(pull.ref.repo, withdrawn_report(pull.head))


async def said_on(pull: Pull, do: ReadPorts) -> tuple[Spoken, ...]:
    said = await asyncio.to_thread(commanding, await do.conversation.comments(pull.ref))
    ask = sorted(to_be_asked(said))
    found = await asyncio.gather(*(do.pulls.permission(pull.ref.repo, login) for login in ask))
    may_write = {login: permission.may_write for login, permission in zip(ask, found, strict=True)}
    return spoken(said, await do.uses.edits(pull.ref), may_write)


@dataclass(frozen=True, slots=True)
class UseFacts:
    """What commands are held against. `commits`: the pull request's; None: those that it has now."""

    pull: Pull
    settings: RepoSettings
    said: tuple[Spoken, ...]
    commits: Commits | None = None


async def decide(asked: UseFacts, do: ReadPorts) -> Decision | None:
    """None: no command counts."""
    pull, settings = asked.pull, asked.settings
    commands = believed(asked.said)
    if not commands:
        return None
    blocking = blocks_reuse(pull.labels, settings.labels)
    run = commands[0].run
    if blocking:
        return Decision(commands[0], Rejected(No.BLOCKED, run, ", ".join(blocking)), pull.head)
    commits = asked.commits or await _commits(pull, do)
    workflow = settings.reuse.workflow
    if run is None:
        return Decision(commands[0], await _newest(pull, commits, workflow, do), pull.head)
    wanted = WantedRun(pull.ref.repo, workflow, commits, named=True)
    return Decision(commands[0], await _this(pull, run, wanted, do), pull.head)


async def _this(pull: Pull, run: int, wanted: WantedRun, do: ReadPorts) -> RunAnswer:
    """A number is a sweep's of this repository where there is one, else that of a workflow run."""
    sweep = await do.sweeps.find(run)
    if sweep is not None and sweep.pr.repo == pull.ref.repo:
        return judge_sweep(sweep, run, pull.ref, wanted.commits)
    found = await do.runs.run(pull.ref.repo, run)
    if found is None:
        return Rejected(No.NOT_FOUND, run)
    return await _with_results(judge_workflow_run(found, wanted), wanted, do)


async def _newest(pull: Pull, commits: Commits, workflow: str, do: ReadPorts) -> RunAnswer:
    """The newest workflow run that will do, else the newest sweep."""
    wanted = WantedRun(pull.ref.repo, workflow, commits, named=False)
    runs = await do.runs.completed(pull.ref.repo, workflow, pull.head_ref)
    answers = [answer for run in runs if isinstance(answer := judge_workflow_run(run, wanted), Chosen)]
    for answer in answers[:LOOKED_AT]:
        found = await _with_results(answer, wanted, do)
        if isinstance(found, Chosen):
            return found
    for sweep in await do.sweeps.history(pull.ref):
        own = judge_sweep(sweep, sweep.id, pull.ref, commits)
        if isinstance(own, Chosen):
            return own
    return Rejected(No.NONE_ELIGIBLE, None)


async def _with_results(answer: RunAnswer, wanted: WantedRun, do: ReadPorts) -> RunAnswer:
    if isinstance(answer, Rejected):
        return answer
    listed = await do.runs.artifacts(wanted.repo, answer.run)
    return await with_rows(judge_artifacts(answer, listed), listed, wanted.repo, do.runs)


async def _commits(pull: Pull, do: ReadPorts) -> Commits:
    parting = await do.pulls.parting(pull.ref.repo, pull.base_ref, pull.head)
    return parting.commits if parting.commits.complete else await do.pulls.commits(pull.ref.repo, parting, pull.head)
