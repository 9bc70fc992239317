"""What rounds over the clusters are made of."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from bot.store.jobs import FolderStore, JobStore
from bot.store.measurements import MaterialStore
from bot.store.pauses import PauseStore
from bot.store.sweeps import SweepStore
from handlers.events import Event
from handlers.ports.bundle import Clock


@dataclass(frozen=True, slots=True)
class Stores:
    sweeps: SweepStore
    jobs: JobStore
    materials: MaterialStore
    pauses: PauseStore
    folders: FolderStore


@dataclass(frozen=True, slots=True)
class SchedulerContext:
    stores: Stores
    clusters: Mapping[str, str]  # the cluster's name, by the runner that it serves
    post: Callable[[Event], None]
    changed: Callable[[], None]  # something is to be shown
    clock: Clock
