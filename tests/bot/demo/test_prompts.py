"""The demo's prompts are what the replayer's reader takes, and what their digest says."""

import hashlib
import json

from bot.demo import prompts


def rows() -> list[dict]:
    return [json.loads(line) for line in prompts.FILE.read_text(encoding="utf-8").splitlines()]


def test_the_digest_is_the_one_that_is_stated() -> None:
    assert hashlib.sha256(prompts.FILE.read_bytes()).hexdigest() == prompts.SHA256


def test_every_row_has_the_shape_of_a_prepared_prompt() -> None:
    for row in rows():
        assert list(row) == ["question_id", "category", "sub_category", "messages"]
        assert len(row["question_id"]) == 32
        assert all(turn["role"] == "user" and turn["content"].strip() for turn in row["messages"])
        turns = "\n".join(turn["content"] for turn in row["messages"])
        assert row["question_id"] == hashlib.sha256(turns.encode()).hexdigest()[:32]


def test_the_category_is_counted_and_others_stand_between() -> None:
    categories = [row["category"] for row in rows()]
    assert categories.count(prompts.CATEGORY) == prompts.COUNT
    assert len(set(categories[: categories.index("math")])) > 1  # a reader that ignores the category would be seen
    assert sum(len(row["messages"]) > 1 for row in rows() if row["category"] == prompts.CATEGORY) >= 2
