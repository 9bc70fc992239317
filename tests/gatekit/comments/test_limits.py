"""A text that is too long is cut at a line, with what it left open closed and a sentence that says so."""

import pytest

from gatekit.comments.limits import fit, fits, length

SAYS = "Cut."


@pytest.mark.parametrize(("text", "units"), [("", 0), ("abc", 3), ("中", 1), ("\N{ROCKET}", 2)])
def test_length_is_counted_in_utf_16(text: str, units: int) -> None:
    assert length(text) == units == len(text.encode("utf-16-le")) // 2


@pytest.mark.parametrize(("text", "limit", "held"), [("abc", 3, True), ("abcd", 3, False), ("\N{ROCKET}", 1, False)])
def test_fits(text: str, limit: int, held: bool) -> None:
    assert fits(text, limit) is held


def test_a_text_that_fits_is_not_touched() -> None:
    assert fit("a\nb", 3, SAYS) == "a\nb"


def test_as_many_lines_stay_as_fit() -> None:
    text = "\n".join("line" for _ in range(10))
    assert fit(text, 20, SAYS) == "line\nline\nline\n\nCut."
    assert fit(text, 14, SAYS) == "line\n\nCut."
    assert fit(text, 15, SAYS) == "line\nline\n\nCut."


@pytest.mark.parametrize("limit", range(60, 140))
def test_folds_and_logs_are_closed(limit: int) -> None:
    text = (
        "<details>\n<summary>s</summary>\n\n```text\n"
        + "\n".join(["</details> in a log"] * 8)
        + "\n```\n\n</details>\nend"
    )
    made = fit(text, limit, SAYS)
    assert length(made) <= limit
    lines = made.split("\n")
    assert lines.count("<details>") == lines.count("</details>")
    assert made.count("```") % 2 == 0
    assert made.endswith(f"\n\n{SAYS}")
