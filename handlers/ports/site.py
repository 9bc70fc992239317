"""What the operator gave us."""

from collections.abc import Mapping
from dataclasses import dataclass

from gatekit.cluster.policy import Cluster
from gatekit.formats.yaml_document import ReadYaml
from gatekit.goldens.lookup import Curve


@dataclass(frozen=True, slots=True)
class Site:
    """What the operator gave us, read once at start."""

    clusters: Mapping[str, Cluster]  # by the runner that they serve
    curves: Mapping[str, Curve]  # our own golden curves
    node_digest: str  # of the node program: the measuring code
    public_url: str | None
    read: ReadYaml  # may remember what it read before
