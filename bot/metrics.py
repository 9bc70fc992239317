"""Our own numbers, for Prometheus."""

import time
from collections.abc import Callable, Mapping

from prometheus_client import CollectorRegistry, Counter, Gauge

from bot.github.house import Seen


class Metrics:
    """One registry per bot. Names start with `gatekit_`."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
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

    def github(self, seen: Seen) -> None:
        status = "none" if seen.status is None else str(seen.status)
        self._requests.labels(seen.operation, status).inc()
        if seen.remaining is not None and seen.installation is not None:
            self._remaining.labels(str(seen.installation)).set(seen.remaining)

    def stored(self, gates: Mapping[str, int], deliveries: Mapping[str, int]) -> None:
        for state, count in gates.items():
            self._gates.labels(state).set(count)
        for state, count in deliveries.items():
            self._deliveries.labels(state).set(count)

    def process(self, backlog: int, lease: bool) -> None:
        self._backlog.set(backlog)
        self._lease.set(lease)


class Reach:
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
