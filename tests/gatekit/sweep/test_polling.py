"""How long a cluster is left in peace."""

import pytest

from gatekit.sweep.scheduling import Watched, pause

QUEUED, NEW, UNSURE = Watched(None), Watched(0.0), Watched(None, sure=False)
USUAL = (600.0, 590.0, 4000.0)  # its median counts


@pytest.mark.parametrize(
    ("jobs", "ran", "seconds"),
    [
        ([], (), 120.0),
        ([QUEUED, QUEUED], (), 120.0),
        ([QUEUED], USUAL, 120.0),
        ([QUEUED], (100.0,), 25.0),  # a job of that length must not run and end unseen
        ([UNSURE], USUAL, 15.0),
        ([NEW], (), 15.0),  # how long it runs is not known
        ([NEW], USUAL, 120.0),
        ([Watched(400.0)], USUAL, 100.0),
        ([Watched(560.0)], USUAL, 20.0),
        ([Watched(590.0)], USUAL, 15.0),
        ([Watched(9000.0)], USUAL, 15.0),
        ([QUEUED, NEW, Watched(400.0)], USUAL, 100.0),  # the first that may end decides
    ],
)
def test_the_pause(jobs: list[Watched], ran: tuple[float, ...], seconds: float) -> None:
    assert pause(jobs, ran, 15.0) == seconds
