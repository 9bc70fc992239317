from string import Formatter

import pytest

from bot.github.operations import CONTENTS, LIST_CHECKS, OPERATIONS, PERMISSION, Level, Operation


def test_every_operation_stands_once() -> None:
    assert len({(operation.method, operation.path) for operation in OPERATIONS}) == len(OPERATIONS)


def test_contents_are_only_read() -> None:
    assert {operation.level for operation in OPERATIONS if operation.permission == "contents"} == {Level.READ}


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: f"{operation.method} {operation.path}")
def test_the_level_fits_the_method(operation: Operation) -> None:
    assert (operation.level is Level.WRITE) == (operation.method != "GET")
    assert operation.why
    places = [name for _, name, _, _ in Formatter().parse(operation.path) if name]
    assert places or operation.permission is None  # only the App itself is spoken of without naming a thing


@pytest.mark.parametrize(
    ("operation", "last", "path"),
    [
        (CONTENTS, {"path": ".github/gate kit?#.yml"}, "/repos/o/r/contents/.github/gate%20kit%3F%23.yml"),
        (PERMISSION, {"username": "renovate[bot]"}, "/repos/o/r/collaborators/renovate%5Bbot%5D/permission"),
        (LIST_CHECKS, {"ref": "a/../b"}, "/repos/o/r/commits/a%2F..%2Fb/check-runs"),
    ],
)
def test_a_value_cannot_leave_its_place_in_the_path(operation: Operation, last: dict[str, str], path: str) -> None:
    assert operation.url({"owner": "o", "repo": "r", **last}) == path
