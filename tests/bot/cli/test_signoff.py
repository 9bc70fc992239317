"""`gatekit signoff check`: a dry run from files alone."""

import json
import re
from pathlib import Path

import pytest

from bot.cli import signoff
from bot.cli.signoff_file import FactsFile, read_facts_file
from gatekit.bench.repo.snapshot import Snapshot
from gatekit.domain.errors import BadInput
from tests.worlds.bench.small_bench import CONFIG, KEY, text
from tests.worlds.bot.commands import run_command
from tests.worlds.signoff.checklist import ITEMS, form, open_box, page
from tests.worlds.signoff.signed import HEAD, OWNERS, PAGE, SAID, URL, trees

GOOD = form(details=f"- recipe: {URL}\n{SAID}", signed="ann")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "list.md").write_text(page())
    (tmp_path / "body.md").write_text(GOOD)
    return tmp_path


def check(folder: Path, *more: object) -> int:
    return run_command(
        signoff, "signoff", "check", "--body", folder / "body.md", "--template", folder / "list.md", *more
    )


def checked(folder: Path, capsys: pytest.CaptureFixture[str], *more: object) -> tuple[int, dict[str, object]]:
    status = check(folder, *more, "--json")
    found = json.loads(capsys.readouterr().out)
    assert isinstance(found, dict)
    return status, found


def outcomes(found: dict[str, object]) -> dict[int, str]:
    checks = found["checks"]
    assert isinstance(checks, list)
    return {each["n"]: each["outcome"] for each in checks}


def test_the_form_is_checked_from_two_files(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, found = checked(folder, capsys)
    assert (status, found["outcome"], found["trigger"]) == (0, "INCOMPLETE", "verify")
    assert found["items"] == [
        {
            "n": label,
            "text": said.replace("`", "").replace("[cookbook](https://docs.sglang.io/cookbook)", "cookbook"),
            "state": "ticked",
            "matched": True,
        }
        for label, said in ITEMS.items()
    ]
    assert outcomes(found) == {
        number: {4: "WARN", 5: "PASS", 14: "WARN", 15: "WARN"}.get(number, "UNDECIDED") for number in range(16)
    }


@pytest.mark.parametrize(
    ("body", "status", "trigger", "states"),
    [
        (
            form({"2": "", "4": f"[] {ITEMS['4']}", **open_box("8")}),
            1,
            "verify",
            {"2": "missing", "4": "malformed", "8": "open"},
        ),
        (form(open_box("8"), "- nothing is benchmarked in this change"), 0, "verify", {"8": "explained"}),
        (form(open_box("8", "N/A, documents only")), 0, "verify", {"8": "n/a"}),
        (f"```\n{GOOD}\n```", 1, "hint", dict.fromkeys(ITEMS, "missing")),
        (GOOD.lower(), 1, "hint", {}),
        ("LGTM", 1, "silent", dict.fromkeys(ITEMS, "missing")),
    ],
)
def test_what_the_form_is_told(
    folder: Path, capsys: pytest.CaptureFixture[str], body: str, status: int, trigger: str, states: dict[str, str]
) -> None:
    (folder / "body.md").write_text(body)
    code, found = checked(folder, capsys)
    assert (code, found["trigger"]) == (status, trigger)
    items = found["items"]
    assert isinstance(items, list)
    assert {each["n"]: each["state"] for each in items if each["state"] != "ticked"} == states
    assert {each["n"] for each in items if not each["matched"]} == {
        label for label, state in states.items() if state == "missing"
    }


def test_the_text_names_what_to_mend_first(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "body.md").write_text(form({"2": ""}, "- write here what the boxes ask for"))
    assert check(folder) == 1
    lines = capsys.readouterr().out.split("\n")
    assert lines[:2] == ["REJECTED", "  item 2: missing  (The code quality is at least what it was.)"]
    assert lines[2:5] == [
        "  check 5 (latest template, nothing missing): FAIL - not in the sign-off: 2 (code quality)",
        "  check 3 (production recipe linked, merged, complete): UNDECIDED - 3a: no recipe is linked; look whether "
        "serving of vLLM or SGLang is changed (it is not in the facts file)",
        "  checks 0, 1, 2, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15: these files do not tell; give what is known with "
        "--facts",
    ]
    (folder / "body.md").write_text(GOOD.lower())
    check(folder)
    assert "This was not verified as a sign-off: the phrase is written in other letters" in capsys.readouterr().out
    (folder / "body.md").write_text("LGTM")
    check(folder)
    assert "Nobody would take it for a sign-off (no phrase)" in capsys.readouterr().out


def written(folder: Path, name: str, tree: Snapshot) -> None:
    for path, data in tree.files.items():
        (folder / name / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / name / path).write_bytes(data)


def facts(folder: Path) -> dict[str, object]:
    sources = trees()
    written(folder, "head", sources.head)
    written(folder, "base", sources.base)
    (folder / "base" / "infx" / "evals").mkdir(parents=True)
    (folder / "base" / "infx" / "evals" / "thresholds.yaml").write_text("default: {gsm8k: 0.9}\n")
    (folder / "CODEOWNERS").write_text(text(OWNERS))
    return {
        "repo": "acme/bench",
        "number": 7,
        "author": "ann",
        "opened_by": "zed",
        "head": HEAD,
        "today": "2026-10-06",
        "edited": "2026-10-05T12:00:00Z",
        "head_tree": "head",
        "base_tree": "base",
        "files": [CONFIG, {"path": "configs/b", "previous": "configs/a"}],
        "codeowners": "CODEOWNERS",
        "templates": [{"file": "list.md", "sha": "2" * 40, "at": "2026-10-01T00:00:00Z"}],
        "commits": {"shas": [HEAD]},
        "runs": [{"id": 70, "head": HEAD, "lanes": [{"name": "agentic / x", "conclusion": "success"}]}],
        "points": {"70": [{"series": "a", "seconds": at, "rate": at} for at in range(1, 6)]},
        "reuse": {"run": 70, "head": HEAD, "by": "max"},
        "linked": {URL: {"status": 200, "text": PAGE}},
        "description": {"text": f"Adds to {KEY}", "edited": "2026-10-05T12:00:00Z"},
        "drafts": {"example/glow": {"precision": "bf16"}},
    }


def test_with_the_facts_every_check_is_decided(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = facts(folder)
    (folder / "facts.json").write_text(json.dumps(given))
    status, found = checked(folder, capsys, "--facts", folder / "facts.json")
    assert outcomes(found) == {
        **dict.fromkeys(range(16), "PASS"),
        2: "N/A",
        12: "N/A",
        11: "FAIL",  # the curves that come with gatekit have none for this model
    }
    assert (status, found["outcome"]) == (1, "REJECTED")


@pytest.mark.parametrize(
    ("changes", "number", "outcome"),
    [
        ({"author": "eve"}, 0, "UNDECIDED"),
        ({"author": "eve", "teams": {"@acme/gpu": False}}, 0, "FAIL"),
        ({"author": "eve", "teams": {"@Acme/GPU": True}}, 0, "PASS"),
        ({"runs": []}, 1, "FAIL"),
        ({"runs": [{"id": 70, "head": HEAD}]}, 1, "UNDECIDED"),
        ({"commits": {"shas": [], "complete": False}}, 1, "UNDECIDED"),
        ({"linked": {URL: {"merged": False, "state": "open"}}}, 3, "FAIL"),
        ({"reuse": "none"}, 4, "WARN"),
        ({"templates": []}, 5, "UNDECIDED"),
        ({"drafts": {}}, 13, "UNDECIDED"),
        ({"head_tree": None}, 8, "UNDECIDED"),
        ({"description": {"text": "with A_FLAG=1", "edited": "2026-10-05T12:00:00Z"}}, 15, "WARN"),
    ],
)
def test_each_fact_reaches_its_check(
    folder: Path, capsys: pytest.CaptureFixture[str], changes: dict[str, object], number: int, outcome: str
) -> None:
    (folder / "facts.json").write_text(json.dumps({**facts(folder), **changes}))
    _, found = checked(folder, capsys, "--facts", folder / "facts.json")
    assert outcomes(found)[number] == outcome


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ("{", "the file is no valid JSON"),
        ('{"numbr": 1}', "numbr is no key that is known here: take it out, or mend its name"),
        ('{"head": "x"}', "head must look like ^[0-9a-f]{40}$"),
        ('{"runs": [{"id": "x"}]}', "runs.0.id must be a whole number"),
        ('{"codeowners": "none"}', "none: cannot be read (No such file or directory): give a CODEOWNERS file"),
        ('{"linked": {"u": {}}}', "linked.u: must say either `merged` of a pull request or `status` of a page"),
        ('{"head_tree": "none", "base_tree": "none"}', "none: is no folder; give the root of a checkout"),
    ],
)
def test_a_facts_file_that_is_wrong_is_refused(folder: Path, data: str, said: str) -> None:
    (folder / "facts.json").write_text(data)
    with pytest.raises(BadInput) as refused:
        check(folder, "--facts", folder / "facts.json")
    assert said in str(refused.value)


def test_a_page_that_is_no_template_is_refused(folder: Path) -> None:
    (folder / "list.md").write_text("# Nothing\n")
    with pytest.raises(BadInput, match="has no section `## Template`"):
        check(folder)


def test_the_facts_that_are_shown_are_all_there_are() -> None:
    page = (Path(__file__).parents[3] / "docs" / "signoff.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r"^```json\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    read = read_facts_file(Path("facts.json"), shown.encode())
    assert read.model_fields_set == set(FactsFile.model_fields)
