"""When a pull request needs a sign-off. What could not be read never exempts."""

from dataclasses import replace

import pytest

from gatekit.domain.errors import Unknown
from gatekit.signoff.codeowners import parse_codeowners
from gatekit.signoff.resource import Access
from gatekit.signoff.scope import ChangedFile, Need, Ownership, all_files, owners_of, paths_of, scope, to_be_asked

ADMIN, WRITER = Access("admin", "admin"), Access("write", "write")
RULES = """* @Org/core
/both/ @Org/core @writer
/admin/ @boss
/mixed/ @boss @writer
/team/ @Org/other @boss
/twin/ @other/core
/mail/ someone@example.com
/role/ @special
/half/ @half
/free/
"""
ACCESS = {
    "@boss": ADMIN,
    "@writer": WRITER,
    "@special": Access("admin", "release-manager"),
    "@half": Access("write", "admin"),
}


def facts(*paths: str) -> Ownership:
    files = tuple(ChangedFile(path) for path in paths)
    return Ownership(files, parse_codeowners(RULES.encode()), (), ACCESS, "org/Core")


@pytest.mark.parametrize(
    ("paths", "need", "owners"),
    [
        (["a.md"], Need.NOT_NEEDED, []),
        (["both/a"], Need.REQUIRED, ["@writer"]),  # the core team beside an owner exempts nobody
        (["admin/a"], Need.NOT_NEEDED, []),
        (["mixed/a"], Need.REQUIRED, ["@writer"]),
        (["team/a"], Need.REQUIRED, ["@Org/other"]),
        (["twin/a"], Need.REQUIRED, ["@other/core"]),
        (["mail/a"], Need.REQUIRED, ["someone@example.com"]),
        (["role/a"], Need.REQUIRED, ["@special"]),
        (["half/a"], Need.REQUIRED, ["@half"]),
        (["free/a"], Need.NOT_NEEDED, []),
        (["a.md", "admin/a", "both/a", "mixed/a"], Need.REQUIRED, ["@writer"]),
        ([], Need.NOT_NEEDED, []),
    ],
)
def test_owners_who_make_a_sign_off_necessary(paths: list[str], need: Need, owners: list[str]) -> None:
    found = scope(facts(*paths))
    assert (found.need, [owner.text for owner in found.owners], found.whys) == (need, owners, ())


def test_a_renamed_file_has_the_owners_of_both_its_names() -> None:
    for file in (ChangedFile("a", "both/a"), ChangedFile("both/a", "a"), ChangedFile("both/a", removed=True)):
        assert scope(replace(facts(), files=(file,))).need is Need.REQUIRED


UNKNOWN = Unknown("GitHub did not answer")


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"files": UNKNOWN}, "GitHub did not answer"),
        ({"rules": UNKNOWN}, "GitHub did not answer"),
        ({"complaints": UNKNOWN}, "GitHub did not answer"),
        ({"complaints": ("Unknown owner on line 3",)}, "Unknown owner on line 3"),
        ({"access": {}}, "the access of @boss is not known: the access was not asked for"),
        ({"access": {"@boss": UNKNOWN}}, "the access of @boss is not known: GitHub did not answer"),
        (
            {"rules": parse_codeowners(b"* @boss\n!x\n")},
            "line 2 of CODEOWNERS is not valid (`!` does not take a path out here; write a later line without owners)",
        ),
    ],
)
def test_what_is_not_known_exempts_nobody(changes: dict[str, object], why: str) -> None:
    assert scope(facts("admin/a")).need is Need.NOT_NEEDED
    found = scope(replace(facts("admin/a"), **changes))
    assert (found.need, found.whys) == (Need.UNKNOWN, (why,))


def test_one_known_owner_is_enough_whatever_else_is_not_known() -> None:
    found = scope(replace(facts("both/a", "admin/a"), access={"@writer": WRITER}, complaints=UNKNOWN))
    assert found.need is Need.REQUIRED
    assert len(found.whys) == 2


@pytest.mark.parametrize(
    ("paths", "count", "whole"),
    [
        (["a", "b"], 2, True),
        (["a", "a"], 1, True),  # a file that became a link: removed and added
        (["a"], 2, False),
        (["a", "b"], 1, False),
        ([str(number) for number in range(3_000)], 3_001, False),
        ([], 0, True),
    ],
)
def test_the_list_of_files_must_be_whole(paths: list[str], count: int, whole: bool) -> None:
    rows = [ChangedFile(path) for path in paths]
    found = all_files(rows, count)
    assert found == (
        tuple(rows) if whole else Unknown(f"the list of changed files has {len(set(paths)):,} of {count:,}")
    )


def test_every_name_of_every_file_once() -> None:
    assert paths_of([ChangedFile("b", "a"), ChangedFile("a"), ChangedFile("c")]) == ("b", "a", "c")


@pytest.mark.parametrize(
    ("paths", "asked"),
    [
        (["mixed/a"], ["@boss", "@writer"]),
        (["both/a"], ["@writer"]),  # the core team decides nothing
        (["team/a"], []),  # another team asks for one, whatever the users may do
        (["mail/a", "admin/a"], []),
        (["free/a"], []),
    ],
)
def test_users_are_asked_for_only_where_they_decide(paths: list[str], asked: list[str]) -> None:
    owned = facts(*paths)
    assert isinstance(owned.files, tuple)
    assert not isinstance(owned.rules, Unknown)
    found = to_be_asked(owners_of(owned.files, owned.rules), owned.core_team)
    assert [owner.text for owner in found] == asked
