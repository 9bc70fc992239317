"""How far an event walks: the numbers may fall, not rise. `python -m tests.worlds.bot.trace` names each file."""

from pathlib import Path

import pytest

from tests.worlds.bot.trace import STORIES, sign_off_again, traced

MOST_FILES = {"label": 133, "use": 75, "signoff": 149}  # four fifths of what it was before there were rooms
MOST_MARKDOWN_PASSES = 3


@pytest.mark.parametrize("name", STORIES)
async def test_an_event_walks_through_no_more_files_than_it_did(name: str, tmp_path: Path) -> None:
    found = (await traced(STORIES[name], tmp_path)).files
    assert len(found) <= MOST_FILES[name], "\n".join(sorted(found))


async def test_a_sign_off_that_is_edited_and_redelivered_is_read_no_more_often_than_it_was(tmp_path: Path) -> None:
    assert (await traced(sign_off_again, tmp_path)).markdown_passes <= MOST_MARKDOWN_PASSES
