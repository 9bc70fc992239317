import pytest

from gatekit.comments.cut import SENTENCE, closings, cut

LONG = "\n".join(f"line {number}" for number in range(100))


@pytest.mark.parametrize(
    ("body", "limit", "kept"),
    [
        ("short", 5, "short"),
        (LONG, len(LONG), LONG),
        (LONG, 100, f"line 0\nline 1\nline 2\nline 3\n\n{SENTENCE}"),
        ("x" * 200, 100, "x" * (100 - len(SENTENCE) - 2) + f"\n\n{SENTENCE}"),
        ("x" * 200, 10, SENTENCE[:10]),
    ],
)
def test_a_body_that_is_too_long_ends_at_a_line_and_says_so(body: str, limit: int, kept: str) -> None:
    assert cut(body, limit) == kept
    assert len(kept) <= limit


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


def test_a_cut_inside_a_folded_log_closes_both() -> None:
    body = "<details>\n\n```\n" + "log\n" * 100 + "```\n</details>"
    assert cut(body, 200).endswith(f"log\n```\n</details>\n\n{SENTENCE}")
