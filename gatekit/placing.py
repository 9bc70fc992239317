"""Whether a cluster may and can run a candidate."""

import re
from collections.abc import Mapping

from gatekit.candidate import Candidate
from gatekit.gates import Reason
from gatekit.policy import Cluster, breaches
from gatekit.unusable import Unusable

COMMAND = "command"

_FILLED_IN = re.compile(r"@(dram|fabric)\.")  # srt-slurm puts the site's value there


def place(candidate: Candidate, clusters: Mapping[str, Cluster]) -> None:
    """Raises Unusable where no cluster serves the point's runner, cannot start it, or does not allow it."""
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
    obstacle = _obstacle(candidate) if cluster.launcher == COMMAND else None
    if obstacle is not None:
        raise Unusable(Reason.NO_CLUSTER, f"the cluster {cluster.name} starts one engine on one node, and {obstacle}")
    found = breaches(cluster.policy, launch, candidate.role)
    if found:
        raise Unusable(Reason.POLICY, "; ".join(f"{candidate.recipe}: {breach}" for breach in found))


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
    open_places = [name for name, value in values if _FILLED_IN.search(value)]
    return f"{open_places[0]} waits for srt-slurm to fill it in" if open_places else None
