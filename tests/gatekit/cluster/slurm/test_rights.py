"""Associations and QOS as sacctmgr prints them."""

import pytest

from gatekit.cluster.slurm.site import AccountLimits, Association, parse_associations, parse_qos


def test_an_association_that_a_real_sacctmgr_printed() -> None:
    (found,) = parse_associations("small|bench|||3|5|00:30:00||\n")
    assert found == Association("small", "bench", "", "", AccountLimits("account bench", 3, 5, 30))


@pytest.mark.parametrize(
    ("row", "wanted"),
    [
        ("c|a|gpu|normal|||||", AccountLimits("account a")),
        ("c|a||||||7|9", AccountLimits("account a", 7, 9)),
        ("c|a|||4|8||7|9", AccountLimits("account a", 4, 8)),
        ("c|a|||9|9||7|8", AccountLimits("account a", 7, 8)),
        ("c|a|||||1-00:00:00||", AccountLimits("account a", minutes=1440)),
    ],
)
def test_the_stricter_of_two_limits_counts_and_an_empty_one_is_none(row: str, wanted: AccountLimits) -> None:
    (found,) = parse_associations(row)
    assert found.limits == wanted


@pytest.mark.parametrize("text", ["", " Adding Account(s)", "c|a|b", "sacctmgr: error: x|y"])
def test_lines_that_are_no_association(text: str) -> None:
    assert parse_associations(text) == ()


def test_a_limit_that_cannot_be_read_is_not_taken_for_none() -> None:
    with pytest.raises(ValueError, match="invalid literal"):
        parse_associations("c|a|||||sometimes||")
    with pytest.raises(ValueError, match="invalid literal"):
        parse_qos("normal|sometimes||||")


def test_qos() -> None:
    assert parse_qos("normal|||||\nshort|00:30:00|2|4||3\n") == (
        AccountLimits("QOS normal"),
        AccountLimits("QOS short", 2, 3, 30),
    )
