"""How long a cluster is left in peace: rarely asked while its jobs wait in the queue, often when one should end."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

CALM = 8  # times the shortest pause: the longest


@dataclass(frozen=True, slots=True)
class Watched:
    """A job that has not ended. `age`: seconds for which it has been seen to run; None: it waits in the queue."""

    age: float | None
    sure: bool = True  # False: the cluster has not said yet, or said something that we do not understand


def pause(jobs: Iterable[Watched], ran: Sequence[float], shortest: float) -> float:
    """Seconds until the next look. `ran`: how many seconds earlier jobs of this cluster ran.

    Half of what is left until a job should end; the shortest pause where that is not known, or is over. No job is asked
    about later than a quarter of a usual run after it began.
    """
    longest = shortest * CALM
    usual = median(ran) if ran else None
    return min((_pause(job, usual, shortest, longest) for job in jobs), default=longest)


def _pause(job: Watched, usual: float | None, shortest: float, longest: float) -> float:
    if not job.sure or (usual is None and job.age is not None):
        return shortest
    if usual is None:
        return longest
    wanted = usual / 4 if job.age is None else (usual - job.age) / 2
    return max(shortest, min(wanted, longest))
