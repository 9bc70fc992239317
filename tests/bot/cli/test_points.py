"""`gatekit points`: every AgentX row of a checkout."""

import json
from pathlib import Path

import pytest

from bot.cli import points
from tests.shared import shared
from tests.worlds.bench.small_bench import CONFIG, config, row
from tests.worlds.bot.commands import run_command

AMD = "configs/amd-master.yaml"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "configs").mkdir()
    (tmp_path / CONFIG).write_text(config(row("[4, 8]"), row("[1]", spec="none")))
    (tmp_path / AMD).write_text(config(row("[2]"), key="glow-amd"))
    return tmp_path


def test_rows_come_in_file_order_one_a_line_or_one_field_a_line(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(points, "points", "--tree", tree) == 0
    lines = capsys.readouterr().out
    assert [json.loads(line.rstrip(","))["conc"] for line in lines.splitlines()[1:-1]] == [4, 8, 1, 2]
    assert run_command(points, "points", "--tree", tree, "--json") == 0
    assert json.loads(capsys.readouterr().out) == json.loads(lines)


def test_one_config_of_several(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(points, "points", "--tree", tree, "--config", AMD, "--json") == 0
    assert [made["exp-name"] for made in json.loads(capsys.readouterr().out)] == ["glow_tp8_conc2_kvnone_spec-mtp"]


def test_a_config_below_the_folder_that_holds_them(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tree / "inferencex-e2e").mkdir()
    (tree / "configs").rename(tree / "inferencex-e2e" / "configs")
    for named in (AMD, f"inferencex-e2e/{AMD}"):
        assert run_command(points, "points", "--tree", tree, "--config", named) == 0
        assert len(json.loads(capsys.readouterr().out)) == 1


def test_a_config_without_agentx(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tree / AMD).write_text("a: {image: x}\n")
    assert run_command(points, "points", "--tree", tree, "--config", AMD) == 0
    assert json.loads(capsys.readouterr().out) == []


@pytest.mark.parametrize(
    ("options", "status", "said"),
    [
        (("--tree", "no-such-folder"), 2, "no-such-folder is no folder; correct the path"),
        (("--tree", "{tree}", "--config", "configs/gone.yaml"), 1, "configs/gone.yaml: no such file"),
        (("--tree", "{tree}", "--config", "broken.yaml"), 1, "broken.yaml:3: lacks `runner`; add it"),
    ],
)
def test_what_cannot_be_read(
    tree: Path, options: tuple[str, ...], status: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tree / "broken.yaml").write_text("a:\n  image: 1\n  scenarios: {agentic-coding: [{search-space: [{}]}]}\n")
    assert run_command(points, "points", *(option.format(tree=tree) for option in options)) == status
    assert said in capsys.readouterr().err


def test_the_real_rows_are_those_of_the_original_generator(capsys: pytest.CaptureFixture[str]) -> None:
    folder = shared("data/inferencex")
    assert run_command(points, "points", "--tree", folder, "--config", AMD, "--json") == 0
    expected = json.loads((folder / "expected_points_amd.json").read_text())
    assert json.loads(capsys.readouterr().out) == expected
