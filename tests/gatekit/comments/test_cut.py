import pytest

from gatekit.comments.limits import closings


@pytest.mark.parametrize(
    ("lines", "closed_by"),
    [
        (["plain"], []),
        (["```", "code"], ["```"]),
        (["```", "code", "```"], []),
        (["````", "```", "still code"], ["````"]),
        (["~~~text", "```"], ["~~~"]),
        (["<details><summary>log</summary>", "```", "<details>"], ["```", "</details>"]),
        (["<details>", "</details>", "</details>"], []),
    ],
)
def test_nothing_stays_open_after_a_cut(lines: list[str], closed_by: list[str]) -> None:
    assert closings(lines) == closed_by
