"""Our own numbers, for Prometheus."""

import time
from collections.abc import Callable, Collection, Mapping

from prometheus_client import CollectorRegistry, Counter, Gauge, ProcessCollector

from bot.github.channel import RequestSeen
from bot.store.deliveries import DeliveryState
from gatekit.domain.sweep import GateState, Pause, Pausing


class Metrics:
    """One registry per bot. Names start with `gatekit_`; beside them `process_*`, as every client has them."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        self._requests = Counter(
            "gatekit_github_requests", "Requests sent to GitHub", ["operation", "status"], registry=self.registry
        )
        self._remaining = Gauge(
            "gatekit_github_remaining", "Requests left of the hour's limit", ["installation"], registry=self.registry
        )
        self._gates = Gauge("gatekit_gates", "Gates by state", ["state"], registry=self.registry)
        self._deliveries = Gauge("gatekit_deliveries", "Stored deliveries by state", ["state"], registry=self.registry)
        self._backlog = Gauge("gatekit_backlog", "Events that wait or run in this process", registry=self.registry)
        self._lease = Gauge("gatekit_lease", "1 while this is the active process", registry=self.registry)
        self._github = Gauge(
            "gatekit_github_out_of_reach_seconds", "Since GitHub answered no more; 0: it does", registry=self.registry
        )
        self._clusters = Gauge(
            "gatekit_cluster_out_of_reach_seconds",
            "Since the cluster answered no more; 0: it does, or was not asked",
            ["cluster"],
            registry=self.registry,
        )
        self._paused = Gauge(
            "gatekit_cluster_paused",
            "1 while the cluster takes no gates, and why",
            ["cluster", "why"],
            registry=self.registry,
        )
        self._disk = Gauge("gatekit_free_disk_bytes", "Free where the database is", registry=self.registry)

    def github(self, seen: RequestSeen) -> None:
        status = "none" if seen.status is None else str(seen.status)
        self._requests.labels(seen.operation, status).inc()
        if seen.remaining is not None and seen.installation is not None:
            self._remaining.labels(str(seen.installation)).set(seen.remaining)

    def stored(self, gates: Mapping[str, int], deliveries: Mapping[str, int]) -> None:
        """A state that no row is in counts zero; it may have had some before."""
        for gate_state in GateState:
            self._gates.labels(gate_state.value).set(gates.get(gate_state.value, 0))
        for delivery_state in DeliveryState:
            self._deliveries.labels(delivery_state.value).set(deliveries.get(delivery_state.value, 0))

    def process(self, backlog: int, lease: bool) -> None:
        self._backlog.set(backlog)
        self._lease.set(lease)

    def outside(self, github_seconds: float, cluster_seconds: Mapping[str, float], free_disk_bytes: int) -> None:
        """How long GitHub and each cluster have been out of reach, and what is left of the disk."""
        self._github.set(github_seconds)
        for cluster, seconds in cluster_seconds.items():
            self._clusters.labels(cluster).set(seconds)
        self._disk.set(free_disk_bytes)

    def paused(self, clusters: Collection[str], standing: Collection[Pause]) -> None:
        """Of each cluster, for each reason that there is."""
        now = {(pause.cluster, pause.why) for pause in standing}
        for cluster in clusters:
            for why in Pausing:
                self._paused.labels(cluster, why.value).set((cluster, why) in now)


class ReachMeter:
    """How long something has been out of reach. It is in reach until a try fails."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._since: float | None = None

    def answered(self) -> None:
        self._since = None

    def failed(self) -> None:
        if self._since is None:
            self._since = self._now()

    @property
    def seconds(self) -> float:
        """Since the first of the tries that failed; 0: the last one was answered."""
        return 0.0 if self._since is None else self._now() - self._since
