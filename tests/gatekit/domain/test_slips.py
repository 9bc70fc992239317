"""Two names that differ in one spot."""

import pytest

from gatekit.domain.text import slip


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("roles", "rols", True),
        ("roles", "roless", True),
        ("roles", "orles", True),
        ("roles", "rules", True),
        ("roles", "tales", True),
        ("roles", "holds", False),
        ("roles", "ro", False),
        ("roles", "rolesss", False),
        ("agg", "ag", False),
        ("é" * 5, "é" * 6, True),
    ],
)
def test_names_that_may_be_slips_of_each_other(one: str, other: str, same: bool) -> None:
    assert slip(one, other) is slip(other, one) is same
