"""`gatekit recipe`: the merged recipe, and what real verification takes out of it."""

import json
from pathlib import Path

import pytest
import yaml

from bot.cli import recipe
from tests.shared import shared
from tests.worlds.bot.commands import run_command

VARIANTS = """
base:
  schema: 2
  engine: vllm
  roles:
    agg:
      args:
        max-num-seqs: 8
        speculative-config: '{"method":"mtp","num_speculative_tokens":3,"synthetic_acceptance_length":2.49}'
      env: {SGLANG_SIMULATE_ACC_LEN: '3'}
override_c64:
  roles: {agg: {args: {max-num-seqs: 64}}}
  benchmark: {env: {CONC: '64', THINKING_MODE: 'on'}}
override_c8:
  benchmark: {env: {CONC: '8'}}
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "glow.yaml").write_text(VARIANTS)
    return tmp_path


def test_a_merged_recipe_as_it_is_written(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(recipe, "recipe", "--tree", tree, "glow.yaml:override_c64") == 0
    merged = yaml.safe_load(capsys.readouterr().out)
    assert merged["roles"]["agg"]["args"]["max-num-seqs"] == 64
    assert merged["roles"]["agg"]["env"] == {"SGLANG_SIMULATE_ACC_LEN": "3"}
    assert run_command(recipe, "recipe", "--tree", tree, "glow.yaml", "--concurrency", 8, "--json") == 0
    assert json.loads(capsys.readouterr().out)["recipe"]["roles"]["agg"]["args"]["max-num-seqs"] == 8


def test_real_verification_lists_each_knob(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(recipe, "recipe", "--tree", tree, "glow.yaml:override_c64", "--real") == 0
    said = capsys.readouterr()
    assert yaml.safe_load(said.out)["roles"]["agg"]["env"] == {}
    assert said.err.splitlines() == [
        "taken out: roles.agg.args.speculative-config.synthetic_acceptance_length = 2.49",
        "taken out: roles.agg.env.SGLANG_SIMULATE_ACC_LEN = 3",
        "drafting: method mtp, k 3, draft_model none, draft_sample_method none, thinking on",
    ]


def test_what_cannot_be_taken_out_is_a_no(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = "benchmark: {command: SGLANG_SIMULATE_ACC_LEN=3 bash run.sh, env: {CONC: '8'}}"
    (tree / "glow.yaml").write_text(VARIANTS.replace("benchmark: {env: {CONC: '8'}}", command))
    assert run_command(recipe, "recipe", "--tree", tree, "glow.yaml:override_c8", "--real") == 1
    said = capsys.readouterr()
    assert (said.out, "forced acceptance is still visible in benchmark.command" in said.err) == ("", True)


def test_the_json_of_real_verification(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(recipe, "recipe", "--tree", tree, "glow.yaml:override_c64", "--real", "--json") == 0
    said = json.loads(capsys.readouterr().out)
    assert set(said) == {"recipe", "stripped", "drafting"}
    assert said["stripped"][0] == {
        "path": "roles.agg.args.speculative-config.synthetic_acceptance_length",
        "knob": "synthetic_acceptance_length",
        "value": "2.49",
    }
    assert said["drafting"] == {
        "method": "mtp",
        "k": 3,
        "draft_model": None,
        "draft_sample_method": None,
        "thinking": "on",
    }


def test_a_setting_that_stands_twice_is_said(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tree / "glow.yaml").write_text(VARIANTS.replace("max-num-seqs: 8", "max-num-seqs: 8\n        max-num-seqs: 9"))
    assert run_command(recipe, "recipe", "--tree", tree, "glow.yaml:override_c8") == 0
    said = capsys.readouterr()
    assert yaml.safe_load(said.out)["roles"]["agg"]["args"]["max-num-seqs"] == 9
    assert said.err == (
        "glow.yaml:9: has `base.roles.agg.args.max-num-seqs` twice, and the last one counts; keep one of them\n"
    )


@pytest.mark.parametrize(
    ("options", "status", "said"),
    [
        (("gone.yaml",), 1, "no such file"),
        (("glow.yaml:override_x",), 1, "override_x"),
        (("../glow.yaml",), 1, "no path inside the repository"),
        (("glow.yaml:override_c8", "--engine", "lmdeploy"), 2, "lmdeploy is not supported yet"),
    ],
)
def test_what_there_is_not(
    tree: Path, options: tuple[str, ...], status: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_command(recipe, "recipe", "--tree", tree, *options) == status
    assert said in capsys.readouterr().err


def test_a_tree_that_is_no_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(recipe, "recipe", "--tree", tmp_path / "gone", "glow.yaml") == 2
    assert "is no folder" in capsys.readouterr().err


def test_a_real_recipe_with_forced_acceptance_in_both_roles(capsys: pytest.CaptureFixture[str]) -> None:
    folder = "benchmarks/multi_node/srt-slurm-recipes/vllm/minimax-m3/agentic/gb300-fp4"
    path = f"{folder}/1p3d-tp2-tp2-c48-agentic.yaml"
    assert run_command(recipe, "recipe", "--tree", shared("data/inferencex"), path, "--real", "--json") == 0
    said = json.loads(capsys.readouterr().out)
    assert [knob["path"].split(".")[2] for knob in said["stripped"]] == ["prefill", "prefill", "decode", "decode"]
    assert (said["drafting"]["method"], said["drafting"]["k"]) == ("eagle3", 3)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (
            ["glow.yaml"],
            "has 2 variants; name one of `override_c64`, `override_c8` behind a colon, or give --concurrency",
        ),
        (["glow.yaml", "--concurrency", 7], "has no variant with benchmark.env.CONC 7"),
        (["gone.yaml"], "gone.yaml: no such file; add it, or correct the path in the command"),
    ],
)
def test_what_was_typed_is_mended_where_it_was_typed(
    tree: Path, capsys: pytest.CaptureFixture[str], words: list[object], says: str
) -> None:
    assert run_command(recipe, "recipe", "--tree", tree, *words) == 1
    said = capsys.readouterr().err
    assert says in said
    assert "config" not in said
