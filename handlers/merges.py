"""A pull request was merged, or is in a merge queue: what is reused for the commit that lands."""

import asyncio
from dataclasses import replace

from gatekit.bench.repo.settings import Mode, RepoSettings
from gatekit.comments import replies
from gatekit.comments.audit import gate_notes, merge_note
from gatekit.comments.check_runs import merge_report
from gatekit.domain.errors import Refusal
from gatekit.domain.sweep import Cause, Sweep, SweepState
from gatekit.plan.plan import plan
from gatekit.sweep.labels import nothing_to_gate
from gatekit.use.merge import Landing, Merge, MergeOutcome, outcome_of
from handlers.events import GroupAsked
from handlers.ports.bundle import Ports
from handlers.ports.github import Parting, Pull
from handlers.ports.memory import NewSweep
from handlers.reads import settings_of, sources_of
from handlers.show import show
from handlers.start import born, go_on, spared
from handlers.use import UseFacts, decide, said_on


async def on_group_asked(event: GroupAsked, do: Ports) -> None:
    """The answer on the group's head: does a run stand for the pull request that ends it? Nothing is gated yet."""
    pull = await do.pulls.pull(event.pr)
    settings = await settings_of(pull, do)
    decision = await decide(UseFacts(pull, settings, await said_on(pull, do)), do)
    outcome = outcome_of((), decision, settings.reuse.merge_without_use)
    outcome = MergeOutcome.AT_MERGE if outcome is MergeOutcome.RERUN else outcome
    await do.checks.put(pull.ref.repo, merge_report(Merge(pull.ref, event.head, outcome, decision), group=True))


async def on_merged(pull: Pull, do: Ports) -> None:
    """One answer for one merge, however often it is told: what was decided first stands, and is shown again."""
    merge = await do.uses.kept_merge(pull.ref)
    if merge is None:
        merge = await _decided(pull, await settings_of(pull, do), do)
        await _drop_begun(merge, do)
        await do.uses.keep_merge(merge, merge_note(merge))
    if merge.sweep is not None:
        await go_on(await do.sweeps.get(merge.sweep), do)
    await do.checks.put(pull.ref.repo, merge_report(merge))


async def _drop_begun(merge: Merge, do: Ports) -> None:
    """An earlier try may have begun to gate the merge, and died before that was the answer; now another one is."""
    begun = await do.sweeps.newest(merge.pr)
    if begun is None or begun.id == merge.sweep or begun.state is not SweepState.RUNNING:
        return
    if begun.cause is Cause.MERGE:
        await do.sweeps.end(begun.id, SweepState.CANCELLED, replies.merge_answered(merge.merge))
        do.scheduler.wake()
        await show(merge.pr, do)


async def _decided(pull: Pull, settings: RepoSettings, do: Ports) -> Merge:
    landing = await do.pulls.landing(pull)
    pulls = tuple(sorted({pull.ref.number, *await do.pulls.pulls_of(pull.ref.repo, landing.merge)}))
    decision = await decide(UseFacts(pull, settings, await said_on(pull, do), landing.commits), do)
    outcome = outcome_of(pulls, decision, settings.reuse.merge_without_use)
    several = pulls if outcome is MergeOutcome.SEVERAL else ()
    merge = Merge(pull.ref, landing.merge, outcome, decision, several, merged_by=pull.merged_by)
    left_out = nothing_to_gate(pull.labels, settings.labels)
    if outcome is not MergeOutcome.RERUN or left_out:
        return replace(merge, left_out=left_out if outcome is MergeOutcome.RERUN else ())
    try:
        sweep = await _gated(pull, landing, settings, do)
    except Refusal as no:
        return replace(merge, outcome=MergeOutcome.UNPLANNED, problem=str(no))
    return merge if sweep is None else replace(merge, sweep=sweep.id)


async def _gated(pull: Pull, landing: Landing, settings: RepoSettings, do: Ports) -> Sweep | None:
    """The sweep of the merge commit, held against the branch before. None: it changes nothing that is gated."""
    standing = await do.sweeps.answering(pull.ref, landing.merge)
    if standing is not None:
        return standing
    parting = Parting(landing.before, landing.before, landing.commits)
    landed = replace(pull, head=landing.merge)
    sources = await sources_of(landed, parting, settings, do)
    gate_plan = await asyncio.to_thread(plan, sources, do.site.clusters, do.site.node_digest)
    if not gate_plan.points:
        return None
    sweep = await do.sweeps.create(
        NewSweep(
            pr=pull.ref,
            head=landing.merge,
            label="",
            sender=pull.merged_by,
            cause=Cause.MERGE,
            enforce=settings.mode is Mode.ENFORCE,
            supersedes=replies.merged_as(landing.merge),
            plan=gate_plan,
            choices=await spared(landed, parting, gate_plan, do),
        ),
        gate_notes,
    )
    await born(sweep, do)
    return sweep
