"""app.yml asks for exactly what the code uses, and says why."""

import re
from pathlib import Path

import pytest
import yaml

from bot.deliveries.translate import EVENTS, Nothing, translate
from bot.doctor.rights import needed
from bot.github.operations import OPERATIONS, Level

TEXT = (Path(__file__).parent.parent / "app.yml").read_text(encoding="utf-8")
MANIFEST = yaml.safe_load(TEXT)
SOME_EVENTS = (
    "check_run",
    "check_suite",
    "issue_comment",
    "issues",
    "label",
    "pull_request",
    "pull_request_review",
    "push",
)


def test_the_permissions_are_those_of_the_operations_each_at_its_highest_level() -> None:
    highest: dict[str, str] = {}
    for level in (Level.READ, Level.WRITE):
        highest |= {
            operation.permission: level.value
            for operation in OPERATIONS
            if operation.permission is not None and operation.level is level
        }
    heard = {"merge_queues": "read"}  # for the event merge_group alone
    assert MANIFEST["default_permissions"] == highest | heard == needed().permissions


def test_the_events_are_those_that_are_translated() -> None:
    assert set(MANIFEST["default_events"]) == EVENTS == needed().events
    assert len(MANIFEST["default_events"]) == len(EVENTS)


@pytest.mark.parametrize("event", sorted({*SOME_EVENTS, *EVENTS}))
def test_an_event_that_is_not_in_the_manifest_is_not_translated(event: str) -> None:
    unknown = translate(event, {}) == Nothing(f"no handler for {event}")
    assert unknown == (event not in MANIFEST["default_events"])


def test_each_line_says_why() -> None:
    block = TEXT[TEXT.index("default_permissions:") :].splitlines()
    entries = [line for line in block if re.match(r"\s", line)]
    assert len(entries) == len(MANIFEST["default_permissions"]) + len(MANIFEST["default_events"])
    for line in entries:
        assert len(line.partition("#")[2].split()) >= 3, line


def test_the_contents_of_a_repository_are_never_written() -> None:
    assert MANIFEST["default_permissions"]["contents"] == "read"
    assert MANIFEST["public"] is False
