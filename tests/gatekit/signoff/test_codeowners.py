"""CODEOWNERS: which patterns match which paths, which line decides, and which lines are not valid."""

import json

import pytest

from gatekit.domain.errors import BadInput
from gatekit.signoff.codeowners import MAX_BYTES, InvalidLine, Owner, OwnerKind, parse_codeowners, read_owner
from tests.shared import shared


def owners(text: str, path: str) -> list[str]:
    rule = parse_codeowners(text.encode()).rule_of(path)
    return [] if rule is None else [owner.text for owner in rule.owners]


@pytest.mark.parametrize(
    ("pattern", "path", "matches"),
    [
        ("*", "a.md", True),
        ("*", ".hidden", True),
        ("*", "a/b/c.txt", True),
        ("*.py", "x.py", True),
        ("*.py", "a/b/x.py", True),
        ("*.py", "x.pyc", False),
        ("*.py", "x.py/y", True),
        ("/out/logs/", "out/logs/x", True),
        ("/out/logs/", "out/logs/a/b", True),
        ("/out/logs/", "out/logs", False),
        ("/out/logs/", "sub/out/logs/x", False),
        ("docs/*", "docs/a.md", True),
        ("docs/*", "docs/sub/a.md", False),
        ("docs/*", "sub/docs/a.md", False),
        ("docs/*", "docs/my file.md", True),
        ("apps/", "apps/x", True),
        ("apps/", "src/apps/x", True),
        ("apps/", "apps", False),
        ("apps/", "src/myapps/x", False),
        ("apps/", "my apps/x", False),
        ("/apps/web", "apps/web/a/b.js", True),
        ("/apps/web", "apps/web", True),
        ("/apps/web", "apps/web-tools/x", False),
        ("**/logs", "a/logs/x", True),
        ("**/logs", "a/b/c/logs", True),
        ("**/logs", "logs/x", True),
        ("foo", "bar/foo/baz", True),
        ("foo", "foo.txt", False),
        ("foo", "my foo", False),
        ("/foo", "bar/foo", False),
        ("foo/bar", "baz/foo/bar", False),
        ("foo/bar", "foo/bar/baz", True),
        ("foo/bar/", "foo/bar", False),
        ("foo/*/baz", "foo/bar/baz/qux", True),
        ("foo/*/baz", "foo/baz", False),
        ("foo/*.txt", "foo/bar/baz.txt", False),
        ("f?o", "foo", True),
        ("f?o", "f/o", False),
        ("f?o", "fo", False),
        ("f*", "bar/foo/baz", True),
        ("/f*", "bar/foo", False),
        ("foo/**/bar", "foo/bar", True),
        ("foo/**/bar", "foo/a/b/bar/c", True),
        ("foo/**/bar", "a/foo/bar", False),
        ("foo/bar/**", "foo/bar/baz/qux", True),
        ("foo/bar/**", "foo/bar", False),
        ("foo/**/", "foo/bar", True),
        ("**", "a/b", True),
        ("/**", "a", True),
        ("/*", "a.md", True),
        ("/*", "src/a.py", False),
        ("/*/", "src/a.py", True),
        ("/*/", "a.py", False),
        ("f\\*o", "f*o", True),
        ("f\\*o", "foo", False),
        ("f\\?o", "f?o", True),
        ("a\\\\b", "a\\b", True),
        ("configs/", "Configs/x", False),
        ("/README.md", "readme.md", False),
        ("docs/my\\ file.md", "docs/my file.md", True),
        ("/docs/**/*.md", "docs/a b/c.md", True),
        ("/foo\\ ?.txt", "foo 1.txt", True),
        ("*a*b*", "xaxxbx", True),
        ("*a*b*", "xbxxax", False),
        ("???", "abc", True),
        ("???", "ab", False),
        ("@a", "@a", True),
    ],
)
def test_pattern(pattern: str, path: str, matches: bool) -> None:
    assert owners(f"{pattern} @x\n", path) == (["@x"] if matches else [])


@pytest.mark.parametrize(
    ("text", "path", "found"),
    [
        ("* @a\n*.js @b\n", "app.js", ["@b"]),
        ("*.js @b\n* @a\n", "app.js", ["@a"]),
        ("/apps/ @o\n/apps/web\n", "apps/web/x.js", []),
        ("/apps/ @o\n/apps/web\n", "apps/main/x.js", ["@o"]),
        ("/apps/ @o\n", "README.md", []),
        ("*.js @b #a comment\n", "a.js", ["@b"]),
        ("*.js @b # ask @c first\n", "a.js", ["@b"]),
        ("*.js @b\n*.js @c\n", "a.js", ["@c"]),
        ("*.js @b @C\n", "a.js", ["@b", "@C"]),
        ("*.go someone@example.com\n", "a.go", ["someone@example.com"]),
        ("*.txt @Org/some-team\n", "a.txt", ["@Org/some-team"]),
        ("* @a\n/src/ nobody\n", "src/x.py", ["@a"]),
        ("* @a\n/src/ @b nobody\n", "src/x.py", ["@a"]),
        ("* @a\n[ab].txt @b\n", "a.txt", ["@a"]),
        ("* @a\nfoo[bar @b\n", "foo/x", ["@a"]),
        ("* @a\n!/docs/ @b\n", "docs/x", ["@a"]),
        ("* @a\n\\#x.md @b\n", "#x.md", ["@a"]),
        ("* @a\n#x.md @b\n", "#x.md", ["@a"]),
        ("* @a\ndocs/my file.md @b\n", "docs/my", ["@a"]),
        ("*\t@a  \t@b\r\n", "x", ["@a", "@b"]),
        ("* @a\n\n   # a comment\n/x/ @b", "x/y", ["@b"]),
        ("", "x", []),
    ],
)
def test_the_last_line_that_matches_and_is_valid_decides(text: str, path: str, found: list[str]) -> None:
    assert owners(text, path) == found


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("!docs/ @a", "`!` does not take a path out here; write a later line without owners"),
        ("src/[a-z]*/ @a", "`[ ]` stands for no range here; write one line for each name, or `?` or `*`"),
        ("a] @a", "`[ ]` stands for no range here; write one line for each name, or `?` or `*`"),
        ("\\#a.md @a", "`#` begins a comment, and a backslash does not change that; write `?` in its place"),
        ("a#b @a", "`#` begins a comment, and a backslash does not change that; write `?` in its place"),
        ("/ @a", "`/` alone matches nothing; write `*` for every file, or `/*` for those of the root"),
        ("a//b @a", "has an empty name between two slashes, which no path has; write one slash"),
        ("a**b @a", "GitHub does not say what `**` means inside a name; put it between slashes, or write `*`"),
        ("a/***/b @a", "GitHub does not say what `**` means inside a name; put it between slashes, or write `*`"),
        ("a\x07 @a", "holds a control character; take it out"),
        ("a\\", "ends with a lone backslash; take it out, or write `\\ ` for a blank"),
        (
            "docs/my file.md @a",
            "`file.md` is no @user, @organisation/team or e-mail address; a blank inside a path is written `\\ `",
        ),
        (
            "a.md @a#note",
            "`@a#note` is no @user, @organisation/team or e-mail address; put a blank before a comment",
        ),
        (
            "\ufeff* @a",
            "begins with a byte-order mark, and GitHub does not say what it makes of one; save without it",
        ),
    ],
)
def test_a_line_that_is_not_valid_is_listed_with_why_and_skipped(line: str, why: str) -> None:
    found = parse_codeowners(f"{line}\r\n* @b\n".encode())
    shown = "".join(sign if sign.isprintable() else "�" for sign in line)
    assert found.invalid == (InvalidLine(1, shown, why),)
    assert [rule.line for rule in found.rules] == [2]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"* @a\n\xff @b\n", "CODEOWNERS:2: is no UTF-8; save the file as UTF-8"),
        (b"#" * MAX_BYTES, "CODEOWNERS: has 3,145,728 bytes, and GitHub loads only what is under 3,145,728"),
    ],
)
def test_a_file_that_github_would_not_load_is_refused(data: bytes, said: str) -> None:
    with pytest.raises(BadInput) as refused:
        parse_codeowners(data)
    assert str(refused.value).startswith(said)


@pytest.mark.parametrize(
    ("text", "owner"),
    [
        ("@Ann-B", Owner(OwnerKind.USER, "@ann-b", "@Ann-B")),
        ("@org/Team.one", Owner(OwnerKind.TEAM, "@org/team.one", "@org/Team.one")),
        ("A@b.example", Owner(OwnerKind.EMAIL, "a@b.example", "A@b.example")),
        ("ann", None),
        ("@", None),
        ("@org/", None),
        ("@org/team/more", None),
    ],
)
def test_owner(text: str, owner: Owner | None) -> None:
    found = read_owner(text)
    assert found == owner
    assert found is None or owner is None or found.text == owner.text


def test_owners_are_the_same_in_any_case() -> None:
    assert len(parse_codeowners(b"a @Ann\nb @ann @ORG/t\nc @org/T\n").owners) == 2


def test_the_given_cases() -> None:
    cases = json.loads(shared("data/codeowners_cases.json").read_text())
    patterns = [
        (f"{case['pattern']} @x\n", case["path"], ["@x"] if case["matches"] else []) for case in cases["patterns"]
    ]
    files = [(case["text"], case["path"], case["owners"]) for case in cases["files"]]
    assert len(patterns) + len(files) == 67
    wrong = [case for case in (*patterns, *files) if owners(case[0], case[1]) != case[2]]
    assert wrong == []


def test_the_owners_of_a_real_file() -> None:
    text = shared("data/inferencex/.github/CODEOWNERS").read_text()
    assert owners(text, "configs/amd-master.yaml") == [f"@owner-{number}" for number in range(1, 6)]
    assert owners(text, "inferencex-e2e/configs/amd-master.yaml") == ["@InferenceX/core"]
    assert owners(text, "docs/MODELS.md") == ["@owner-6", "@owner-2", "@InferenceX/core"]
    assert parse_codeowners(text.encode()).invalid == ()
