"""What a bot is made of."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from bot.clock import SystemClock
from bot.cluster.node_program import NodeProgram
from bot.deliveries import dispatcher
from bot.github.limits import Limits
from bot.scheduler.scheduler import RunningCluster
from bot.settings import AppIdentity, Settings
from gatekit.goldens.lookup import Curve
from handlers.ports.bundle import Clock, Ports


@dataclass(frozen=True, slots=True)
class Parts:
    """Read from the operator's settings, or brought by a world to test in."""

    settings: Settings
    identity: AppIdentity
    clusters: tuple[RunningCluster, ...]
    curves: Mapping[str, Curve]
    node: NodeProgram
    limits: Limits = field(default_factory=Limits)
    wrap: Callable[[Ports], Ports] = lambda ports: ports  # a world may stand between handlers and the outside
    lease_seconds: float = 15.0
    clock: Clock = field(default_factory=SystemClock)  # of sweeps and gates
    show_seconds: float = 10.0  # between two writes of what a running sweep came to, on one pull request
    retry_delays: tuple[float, ...] = dispatcher.Options().delays
    recipe_pages: str | None = None  # a server that stands in for the sites of published recipes
