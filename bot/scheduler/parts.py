"""What rounds over the clusters are made of."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta

from bot.cluster.executor import Executor
from bot.store.folders import FolderStore
from bot.store.jobs import JobStore
from bot.store.materials import MaterialStore
from bot.store.pauses import PauseStore
from bot.store.sweeps import SweepStore
from gatekit.cluster.policy import Cluster
from handlers.events import Event
from handlers.ports.bundle import Clock


@dataclass(frozen=True, slots=True)
class RunningCluster:
    cluster: Cluster
    executor: Executor
    max_jobs: int  # submitted and not ended
    keep: timedelta = timedelta(days=7)  # how long a run folder stays, once its gate is settled


@dataclass(frozen=True, slots=True)
class Stores:
    sweeps: SweepStore
    jobs: JobStore
    materials: MaterialStore
    pauses: PauseStore
    folders: FolderStore


@dataclass(frozen=True, slots=True)
class Surroundings:
    stores: Stores
    clusters: Mapping[str, str]  # the cluster's name, by the runner that it serves
    post: Callable[[Event], None]
    changed: Callable[[], None]  # something is to be shown
    clock: Clock
