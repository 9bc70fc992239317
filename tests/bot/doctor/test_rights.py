from collections.abc import Mapping

import pytest

from bot.doctor.finding import refused
from bot.doctor.rights import beyond, lacking, needed

ALL = needed().permissions


@pytest.mark.parametrize(
    ("granted", "missing", "extra"),
    [
        (ALL, {}, {}),
        ({}, ALL, {}),
        ({**ALL, "checks": "read"}, {"checks": "write"}, {}),
        ({**ALL, "checks": "admin"}, {}, {"checks": "admin"}),
        ({**ALL, "checks": "everything"}, {"checks": "write"}, {}),  # a level that nobody knows is none
        ({**ALL, "contents": "write"}, {}, {"contents": "write"}),
        ({**ALL, "issues": "read"}, {}, {"issues": "read"}),
    ],
)
def test_a_permission_is_needed_at_its_level(
    granted: Mapping[str, str], missing: Mapping[str, str], extra: Mapping[str, str]
) -> None:
    assert lacking(granted) == missing
    assert beyond(granted) == extra


@pytest.mark.parametrize(
    ("sentence", "detail", "mend"),
    [
        ("GATEKIT_APP_ID is missing: set it.", "GATEKIT_APP_ID is missing", "set it."),
        ("clusters.toml: clusters.a.root is missing: give it", "clusters.toml: clusters.a.root is missing", "give it"),
        ("The file x (no: such; file): set another.", "The file x (no: such; file)", "set another."),
        ("It cannot be read (x: y).", "It cannot be read (x: y).", "look at x"),
        ("x: is no TOML: 'utf-8' can't decode: invalid", "x: is no TOML: 'utf-8' can't decode: invalid", "look at x"),
        ("a:22 cannot be reached: [Errno -2] no name", "a:22 cannot be reached: [Errno -2] no name", "look at x"),
        ("d cannot be used (x): stop it; then set y.", "d cannot be used (x)", "stop it; then set y."),
    ],
)
def test_a_refusal_parts_into_what_is_wrong_and_what_to_do(sentence: str, detail: str, mend: str) -> None:
    found = refused("check", ValueError(sentence), "look at x")
    assert (found.ok, found.detail, found.mend) == (False, detail, mend)
