"""Which gates of a plan need no job of their own: facts from our memory and the pull request's commits."""

from collections.abc import Mapping

from gatekit.domain.gates import GatePlan
from gatekit.domain.ids import GateKey, Sha
from gatekit.domain.reuse import Choice, Commits
from gatekit.domain.sweep import under_way
from gatekit.measure.judge import judge_again
from gatekit.sweep.reuse import Known, choose
from handlers.ports.bundle import Parting, Ports, Pull


async def spared(pull: Pull, parting: Parting, plan: GatePlan, do: Ports) -> Mapping[GateKey, Choice]:
    """A choice for each gate of the plan. Asks GitHub only where a commit that matters is not among those it named."""
    newest = await do.sweeps.newest(pull.ref)
    if newest is None:
        return {}
    golden = {gate.key: gate.golden for gate in plan.gates}
    measured = await do.sweeps.measured(pull.ref, golden)
    running = [one for one in under_way(newest) if one.key in golden]
    heads = frozenset(head for one in measured for head in one.heads) | {head for one in running for head in one.heads}
    known = Known(
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
