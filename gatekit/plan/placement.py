"""Whether a cluster may and can run a candidate."""

import re
from collections.abc import Mapping

from gatekit.cluster.policy import Cluster, breaches
from gatekit.domain.gates import LONGEST, PlanWarning, Reason, Unusable, WarningCode
from gatekit.domain.text import shown
from gatekit.engines.registry import ENGINES, Registry
from gatekit.plan.candidate import Candidate
from gatekit.serving.overreach import Overreach

COMMAND = "command"

_LEFT_OPEN = re.compile(r"@(?:dram|fabric)\.[a-z0-9-]*")


def place(
    candidate: Candidate, clusters: Mapping[str, Cluster], engines: Registry = ENGINES
) -> tuple[PlanWarning, ...]:
    """What of its recipe a candidate goes without on the cluster that serves it.

    Raises Unusable where no cluster serves the point's runner, cannot start it, or does not allow it.
    """
    runner, launch = candidate.point.runner, candidate.launch
    cluster = clusters.get(runner)
    if cluster is None:
        served = ", ".join(sorted(clusters)) or "none"
        raise Unusable(Reason.NO_CLUSTER, f"no cluster serves {runner}; the operator's clusters serve {served}")
    if launch.engine not in cluster.engines:
        raise Unusable(
            Reason.NO_CLUSTER,
            f"the cluster {cluster.name} does not say how to start {launch.engine}; the operator can add it",
        )
    alone = cluster.launcher == COMMAND
    obstacle = _obstacle(candidate) if alone else None
    if obstacle is not None:
        raise Unusable(Reason.NO_CLUSTER, f"the cluster {cluster.name} starts one engine on one node, and {obstacle}")
    asked = candidate.overreach if alone else ()
    beyond = [f"{one.place}: {one.kind.value}" for one in asked if one.kind is not Overreach.SCRIPT]
    found = (*breaches(cluster.policy, launch, candidate.role, engines), *beyond)
    if found:
        raise Unusable(Reason.POLICY, "; ".join(f"{candidate.recipe}: {breach}" for breach in found))
    left_out = tuple(_left_out(candidate, one.place) for one in asked)
    return (*left_out, _installed(candidate, cluster)) if alone and not cluster.container else left_out


def _left_out(candidate: Candidate, place: str) -> PlanWarning:
    said = shown(f"{place} of the recipe is left out: {Overreach.SCRIPT.value}", LONGEST)
    return PlanWarning(candidate.point.config_key, WarningCode.SCRIPT_LEFT_OUT, said)


def _installed(candidate: Candidate, cluster: Cluster) -> PlanWarning:
    said = (
        f"its image is not used: the cluster {cluster.name} runs the {candidate.launch.engine} that is installed there"
    )
    return PlanWarning(candidate.point.config_key, WarningCode.IMAGE_NOT_USED, said)


def _obstacle(candidate: Candidate) -> str | None:
    """Why one command on one node cannot serve this; None where it can."""
    launch = candidate.launch
    if len(candidate.deployment.roles) > 1:
        names = " and ".join(sorted(role[0] for role in candidate.deployment.roles))
        return f"the recipe has {names} roles"
    if launch.nodes > 1:
        return f"the recipe needs {launch.nodes} nodes"
    if launch.workers > 1:
        return f"the recipe has {launch.workers} workers"
    values = [(name, str(value)) for name, value in launch.args] + list(launch.env)
    left_open = [(name, found[0]) for name, value in values if (found := _LEFT_OPEN.search(value)) is not None]
    if not left_open:
        return None
    name, reference = left_open[0]
    return f"{name} takes {reference}, which neither the row nor the runners file of the base says"
