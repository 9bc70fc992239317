"""Two halves of the tests, and one status."""

import pytest

from scripts.suite import together


@pytest.mark.parametrize(
    ("statuses", "status"), [((0, 0), 0), ((0, 5), 0), ((1, 0), 1), ((0, 2), 1), ((0, -9), 1), ((-2, 0), 1)]
)
def test_a_half_that_failed_or_was_killed_fails_the_whole(statuses: tuple[int, int], status: int) -> None:
    assert together(*statuses) == status
