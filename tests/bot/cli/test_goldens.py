"""`gatekit goldens`: check, list, show, lookup."""

import json
from pathlib import Path

import pytest

from bot.cli import goldens
from tests.worlds.bench.small_bench import CURVE, text
from tests.worlds.bot.commands import run_command


@pytest.mark.parametrize(
    ("options", "found"),
    [
        (("dsv4", "mtp", 2), {"curve": "dsv4_mtp", "al": 2.27, "thinking": "on", "k": 2}),
        (("dsv4", "mtp", 2, "--thinking", "off"), {"curve": "dsv4_mtp", "al": 2.61, "thinking": "off", "k": 2}),
        (
            ("minimaxm3", "eagle3", 3, "--draft-model", "Inferact/MiniMax-M3-EAGLE3-GQA"),
            {"curve": "minimaxm3_eagle3_gqa", "al": 2.78, "thinking": "on", "k": 3},
        ),
        (
            ("kimik3", "dspark", 2, "--draft-sample-method", "greedy"),
            {"curve": "kimik3_dspark", "al": 2.45, "thinking": "on", "k": 2},
        ),
        (("qwen3.8next", "mtp", 3), {"curve": "qwen3.8next_mtp", "al": 2.32, "thinking": "on", "k": 3}),
    ],
)
def test_lookup(options: tuple[object, ...], found: dict[str, object], capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(goldens, "goldens", "lookup", *options, "--json") == 0
    assert json.loads(capsys.readouterr().out) == found
    assert run_command(goldens, "goldens", "lookup", *options) == 0
    assert capsys.readouterr().out.startswith(f"{found['al']:.2f}  {found['curve']}")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("lookup", "dsv4", "mtp", "9"), "has no K=9"),
        (("lookup", "glm5.2", "mtp", "3", "--thinking", "off"), "no value for thinking off"),
        (("lookup", "nobody", "mtp", "3"), "no golden curve nobody_mtp"),
        (("lookup", "kimik3", "dspark", "3"), "draft_sample_method"),
        (("show", "nobody"), "There is no golden curve nobody"),
    ],
)
def test_what_is_not_there_is_a_no_with_its_reason(
    options: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_command(goldens, "goldens", *options, "--json") == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert said in captured.err


def test_list_and_show(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(goldens, "goldens", "list") == 0
    assert "glm5.2_mtp  on: K=1–8\n" in capsys.readouterr().out
    assert run_command(goldens, "goldens", "list", "--json") == 0
    listed = json.loads(capsys.readouterr().out)
    assert listed["dsv41flash_dspark"]["collection"] is False
    assert run_command(goldens, "goldens", "show", "qwen3.5_mtp", "--json") == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["curves"]["off"]["3"] == 3.33
    assert shown["collection"]["sampling"]["on"]["template_kwargs"] == {"enable_thinking": True}


def test_check_says_which_line_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(goldens, "goldens", "check") == 0
    assert "14 curves" in capsys.readouterr().out
    (tmp_path / "glow_mtp.yaml").write_text(text(CURVE).replace("3: 2.60", "3: 4.60"))
    assert run_command(goldens, "goldens", "check", "--goldens", tmp_path) == 1
    assert capsys.readouterr().err.startswith(f"{tmp_path}/glow_mtp.yaml:23: K=3 has AL 4.6")


def test_an_empty_folder_and_no_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(goldens, "goldens", "check", "--goldens", tmp_path) == 1
    assert run_command(goldens, "goldens", "check", "--goldens", tmp_path / "gone") == 2
    assert "is no folder" in capsys.readouterr().err


def test_check_reads_on_after_a_curve_that_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a_mtp.yaml").write_text(text(CURVE))
    assert run_command(goldens, "goldens", "check", "--goldens", tmp_path) == 0
    assert capsys.readouterr().out == "1 curve, in order\n"
    (tmp_path / "b_mtp.yaml").write_text("")
    (tmp_path / "c_mtp.yaml").write_text(text(CURVE).replace("3: 2.60", "3: 4.60"))
    assert run_command(goldens, "goldens", "check", "--goldens", tmp_path) == 1
    said = capsys.readouterr()
    assert said.out == ""
    first, second = said.err.splitlines()
    assert first.startswith(f"{tmp_path}/b_mtp.yaml:1: the file is empty")
    assert second.startswith(f"{tmp_path}/c_mtp.yaml:23: K=3 has AL 4.6")
    assert run_command(goldens, "goldens", "check", "--goldens", tmp_path, "--json") == 1
    assert json.loads(capsys.readouterr().out) == {"curves": 1, "wrong": [first, second]}
