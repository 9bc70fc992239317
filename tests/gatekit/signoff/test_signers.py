"""Who can sign for which files, and how few people it takes."""

import pytest

from gatekit.domain.errors import Unknown
from gatekit.domain.ids import Login
from gatekit.signoff.codeowners import parse_codeowners
from gatekit.signoff.signers import Covered, Signer, covered, groups, smallest_set, teams_that_decide, to_sign

RULES = parse_codeowners(
    b"""* @org/core
/amd.yaml @ann @bob
/nv.yaml @nick @Bob @org/nv
/models.md @nick @ann
/team/ @org/nv
/mail/ a@example.com
/free/
"""
)
UNREAD = Unknown("the App may not see the team")


@pytest.mark.parametrize(
    ("path", "login", "teams", "found"),
    [
        ("amd.yaml", "ann", {}, Covered.YES),
        ("amd.yaml", "ANN", {}, Covered.YES),
        ("amd.yaml", "nick", {}, Covered.NO),
        ("nv.yaml", "bob", {"@org/nv": UNREAD}, Covered.YES),
        ("nv.yaml", "ann", {"@org/nv": True}, Covered.YES),
        ("nv.yaml", "ann", {"@org/nv": False}, Covered.NO),
        ("nv.yaml", "ann", {"@org/nv": UNREAD}, Covered.UNKNOWN),
        ("nv.yaml", "ann", {}, Covered.UNKNOWN),
        ("team/x", "ann", {"@org/nv": True}, Covered.YES),
        ("mail/x", "ann", {"@org/nv": True}, Covered.UNKNOWN),
        ("x.py", "nick", {}, Covered.YES),  # it falls to `*`: whoever owns something
        ("x.py", "zoe", {"@org/nv": True, "@org/core": False}, Covered.YES),
        ("x.py", "zoe", {"@org/nv": False, "@org/core": False}, Covered.UNKNOWN),  # there is an e-mail address
        ("x.py", "zoe", {"@org/nv": False}, Covered.UNKNOWN),
    ],
)
def test_who_covers_a_path(path: str, login: str, teams: dict[str, bool | Unknown], found: Covered) -> None:
    (group,) = groups([path], RULES)
    assert covered(group, Signer(Login(login), teams), RULES) is found


def test_nobody_is_an_owner_of_what_falls_to_everybody_without_being_named() -> None:
    rules = parse_codeowners(b"* @org/core\n/x @ann\n")
    (group,) = groups(["y"], rules)
    assert group.anybody
    assert covered(group, Signer(Login("zoe"), {"@org/core": False}), rules) is Covered.NO


def test_files_of_the_same_owners_are_one_group() -> None:
    found = groups(["a.py", "amd.yaml", "free/x", "team/x", "team/y", "b.py"], RULES)
    assert [(group.paths, group.line, group.anybody) for group in found] == [
        (("a.py", "b.py"), 1, True),
        (("amd.yaml",), 2, False),
        (("team/x", "team/y"), 5, False),
    ]


@pytest.mark.parametrize(
    ("paths", "without", "chosen"),
    [
        (["amd.yaml"], None, ["@ann"]),
        (["amd.yaml"], "ann", ["@bob"]),
        (["amd.yaml", "nv.yaml"], None, ["@bob"]),
        (["amd.yaml", "nv.yaml"], "Bob", ["@ann", "@nick"]),
        (["amd.yaml", "models.md", "a.py"], None, ["@ann"]),
        (["amd.yaml", "nv.yaml", "models.md"], None, ["@ann", "@bob"]),
        (["team/x", "amd.yaml"], None, ["@ann", "@org/nv"]),
        (["mail/x", "amd.yaml"], None, ["@ann"]),
        (["mail/x"], None, []),
        (["a.py"], None, ["@org/core"]),
        (["free/x"], None, []),
    ],
)
def test_the_fewest_who_can_sign_for_all(paths: list[str], without: str | None, chosen: list[str]) -> None:
    found = smallest_set(groups(paths, RULES), None if without is None else Login(without))
    assert [owner.text for owner in found] == chosen


def test_hundreds_of_groups_take_no_time() -> None:
    text = "".join(f"/f{number} @u{number} @v{number % 7} @w{number % 11}\n" for number in range(400))
    rules = parse_codeowners(text.encode())
    chosen = smallest_set(groups([f"f{number}" for number in range(400)], rules))
    assert {owner.text for owner in chosen} == {f"@v{number}" for number in range(7)}


@pytest.mark.parametrize(
    ("paths", "login", "teams"),
    [
        (["nv.yaml"], "ann", ["@org/nv"]),
        (["nv.yaml"], "Nick", []),  # the name is there
        (["amd.yaml"], "zoe", []),  # no team can help
        (["nv.yaml", "team/x", "x.py"], "nick", ["@org/nv"]),
        (["x.py"], "zoe", ["@org/core", "@org/nv"]),  # whoever owns anything
        (["x.py"], "ann", []),
        (["free/a"], "zoe", ["@org/core", "@org/nv"]),
    ],
)
def test_only_teams_that_decide_are_worth_asking_for(paths: list[str], login: str, teams: list[str]) -> None:
    found = teams_that_decide(to_sign(paths, RULES), Login(login), RULES)
    assert [owner.text for owner in found] == teams


def test_where_no_file_has_an_owner_whoever_owns_anything_may_sign() -> None:
    (group,) = to_sign(["free/a"], RULES)
    assert (group.owners, group.paths, group.anybody) == ((), ("free/a",), True)
