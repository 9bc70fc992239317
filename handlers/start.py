"""From a wish for a sweep to a stored plan that stands on the PR: which gates need a job, which never get one."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

from gatekit.bench.repo.settings import Mode, RepoSettings
from gatekit.comments import replies
from gatekit.comments.audit import gate_notes
from gatekit.comments.slots import Slot
from gatekit.domain.errors import Refusal
from gatekit.domain.gates import GatePlan
from gatekit.domain.ids import GateKey, Login, Sha
from gatekit.domain.reuse import Choice, Commits
from gatekit.domain.sweep import Cause, Sweep, SweepState, under_way
from gatekit.measure.judge import judge_again
from gatekit.plan.plan import plan
from gatekit.sweep.labels import nothing_to_gate
from gatekit.sweep.reuse import ReuseFacts, choose
from gatekit.sweep.scheduling import never_start
from handlers.ports.bundle import Ports
from handlers.ports.github import Parting, Pull
from handlers.ports.memory import NewSweep
from handlers.reads import sources_of
from handlers.show import show, show_earlier


async def spared(pull: Pull, parting: Parting, plan: GatePlan, do: Ports) -> Mapping[GateKey, Choice]:
    """A choice for each gate of the plan. Asks GitHub only where a commit that matters is not among those it named."""
    newest = await do.sweeps.newest(pull.ref)
    if newest is None:
        return {}
    golden = {gate.key: gate.golden for gate in plan.gates}
    measured = await do.sweeps.measured(pull.ref, golden)
    running = [one for one in under_way(newest) if one.key in golden]
    heads = frozenset(head for one in measured for head in one.heads) | {head for one in running for head in one.heads}
    known = ReuseFacts(
        measurements=[judge_again(one, golden[one.key]) for one in measured],
        under_way=running,
        commits=await _commits(pull, parting, heads, do),
        before=(newest.id, newest.plan),
        anew=newest.retired and newest.head == pull.head,
    )
    return choose(plan, known)


async def _commits(pull: Pull, parting: Parting, heads: frozenset[Sha], do: Ports) -> Commits:
    """The head itself is in the pull request, whatever a list says."""
    known = Commits(parting.commits.known | {pull.head}, parting.commits.complete)
    if any(known.holds(head) is None for head in heads):
        more = await do.pulls.commits(pull.ref.repo, parting, pull.head)
        return Commits(more.known | {pull.head}, more.complete)
    return known


async def pass_over(sweep: Sweep, do: Ports) -> Sweep:
    """The sweep, once it is stored which of its gates will not be started. Doing it again changes nothing."""
    if sweep.state is not SweepState.RUNNING:
        return sweep
    never = never_start(sweep, {runner: cluster.name for runner, cluster in do.site.clusters.items()})
    return await do.sweeps.passed_over(sweep.id, never) if never else sweep


@dataclass(frozen=True, slots=True)
class Wish:
    """Who wants a sweep, by which label. `pushed`: they pushed the head to a branch just now."""

    label: str
    sender: Login
    cause: Cause
    pushed: bool = False


async def start(pull: Pull, settings: RepoSettings, wish: Wish, do: Ports) -> None:
    """Plans the PR's head, unless a sweep answers for it already; then its comment is brought up to date.

    A refusal stands on the PR as a reply, and no gate of an older head is left running.
    """
    sweep = await do.sweeps.answering(pull.ref, pull.head)
    if sweep is None:
        sweep = await _planned(pull, settings, wish, do)
        if sweep is None:
            return
        await born(sweep, do)
    await do.comments.amend(pull.ref, Slot.REPLY, replies.settled(sweep.id))  # an earlier "no" is out of date
    await go_on(sweep, do)


async def born(sweep: Sweep, do: Ports) -> None:
    """Shows a sweep that was stored a moment ago. One that takes no job at all is over before it is shown."""
    await _over(sweep, do)
    await show(sweep.pr, do, first=True)


async def go_on(sweep: Sweep, do: Ports) -> None:
    """From wherever a process left the PR's newest sweep: shows it, lets it run, ends it where nothing is left to run.

    Doing it again changes nothing.
    """
    await _over(await pass_over(sweep, do), do)
    if sweep.id in await do.sweeps.unshown(sweep.pr):
        await show(sweep.pr, do)
    if not sweep.announced:
        await do.sweeps.announced(sweep.id)
    do.scheduler.wake()
    await show_earlier(sweep, do)


async def _over(sweep: Sweep, do: Ports) -> None:
    if sweep.finished and sweep.state is SweepState.RUNNING:
        await do.sweeps.end(sweep.id, SweepState.DONE, replies.all_gates_ended())


async def _planned(pull: Pull, settings: RepoSettings, wish: Wish, do: Ports) -> Sweep | None:
    """The stored sweep; None where it was refused, and the refusal stands on the PR."""
    no = refused(pull, settings, wish, await _may(pull, wish, do))
    if no is not None:
        await drop_older(pull, do)
        await do.comments.upsert(pull.ref, Slot.REPLY, no)
        return None
    try:
        parting = await do.pulls.parting(pull.ref.repo, pull.base_ref, pull.head)
        sources = await sources_of(pull, parting, settings, do)
        gate_plan = await asyncio.to_thread(plan, sources, do.site.clusters, do.site.node_digest)
    except Refusal as refusal:
        await drop_older(pull, do)
        await do.comments.upsert(pull.ref, Slot.REPLY, replies.cannot_plan(pull.head, refusal.sentences))
        return None
    choices = await spared(pull, parting, gate_plan, do)
    kind = next(one for one in settings.labels.primary if one.name == wish.label)
    return await do.sweeps.create(
        NewSweep(
            pr=pull.ref,
            head=pull.head,
            label=wish.label,
            sender=wish.sender,
            cause=wish.cause,
            enforce=settings.mode is Mode.ENFORCE,
            supersedes=await _because(pull, wish, do),
            plan=gate_plan,
            canary=kind.canary,
            fail_fast=kind.fail_fast,
            choices=choices,
        ),
        gate_notes,
    )


async def _because(pull: Pull, wish: Wish, do: Ports) -> str:
    """What a sweep is told that still runs: it is of an older head, or of this one and is to be measured anew."""
    newest = await do.sweeps.newest(pull.ref)
    if newest is not None and newest.head == pull.head:
        return replies.label_off_and_on(wish.label)
    return replies.superseded_by(pull.head)


def refused(pull: Pull, settings: RepoSettings, wish: Wish, may: bool) -> str | None:
    """Why this wish is refused, as a reply; None where it is granted. `may`: has the sender write access?"""
    if not may:
        say = replies.no_write_access if wish.cause is Cause.LABEL else replies.may_not_reopen
        return say(wish.sender, wish.label)
    if pull.from_fork:  # approval of single heads is not there yet, whatever the settings say
        return replies.fork_refused()
    blocking = nothing_to_gate(pull.labels, settings.labels)
    return replies.nothing_to_gate(blocking) if blocking else None


async def _may(pull: Pull, wish: Wish, do: Ports) -> bool:
    """Whoever pushed to a branch of this repository has write access; whoever set a label or reopened may have less."""
    if wish.pushed and not pull.from_fork:
        return True
    return (await do.pulls.permission(pull.ref.repo, wish.sender)).may_write


async def drop_older(pull: Pull, do: Ports) -> None:
    """Nobody waits for the gates of a head that is not the PR's any more."""
    newest = await do.sweeps.newest(pull.ref)
    if newest is not None and newest.state is SweepState.RUNNING and newest.head != pull.head:
        await do.sweeps.end(newest.id, SweepState.SUPERSEDED, replies.superseded_by(pull.head))
        do.scheduler.wake()
        await show(pull.ref, do)
