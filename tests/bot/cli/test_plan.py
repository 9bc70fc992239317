"""`gatekit plan`: the plan of a checkout as text and as JSON."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from bot.cli import plan
from gatekit.bench.repo.snapshot import Snapshot
from gatekit.domain.gates import Reason
from tests.shared import shared
from tests.worlds.bench.small_bench import CURVE, KEY, bench, config, entry, recipe, row, text
from tests.worlds.bot.commands import run_command

ROOT = Path(__file__).parents[3]
FORCED = recipe().replace('":3}', '":3,"rejection_sample_method":"synthetic","synthetic_acceptance_length":2.49}')


def written(snapshot: Snapshot, folder: Path) -> Path:
    for path, content in snapshot.files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
    return folder


@pytest.fixture
def goldens(tmp_path: Path) -> Path:
    folder = tmp_path / "goldens"
    folder.mkdir()
    (folder / "glow_mtp.yaml").write_text(text(CURVE))
    return folder


@pytest.fixture
def base(tmp_path: Path) -> Path:
    return written(bench(config(row("[4]"))), tmp_path / "base")


@pytest.fixture
def head(tmp_path: Path) -> Path:
    """Adds a concurrency and forced acceptance with an entry, and another config without one."""
    configs = config(row("[4, 8]"), row("[1]", named="")) + config(row("[64]"), key="other-key")
    return written(bench(configs, {"glow.yaml": FORCED}, changelog=entry()), tmp_path / "head")


def test_the_json_of_a_plan(base: Path, head: Path, goldens: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(plan, "plan", "--tree", head, "--base-tree", base, "--goldens", goldens, "--json") == 0
    made = json.loads(capsys.readouterr().out)
    (gate,) = made.pop("gates")
    assert len(gate.pop("key")) == 64
    assert gate == {
        "title": "glow fp8 h100 vllm tp8 mtp K=3",
        "config_key": KEY,
        "framework": "vllm",
        "engine": "vllm",
        "cluster": "cluster:h100",
        "nodes": 1,
        "gpus": 8,
        "recipe": "benchmarks/multi_node/srt-slurm-recipes/glow.yaml",
        "drafting": {"method": "mtp", "k": 3, "draft_model": None, "draft_sample_method": None, "thinking": "on"},
        "golden": {"curve": "glow_mtp", "al": 2.6},
        "concurrencies": [4, 8],
        "representative": 8,
        "stripped": [
            "roles.agg.args.speculative-config.rejection_sample_method = synthetic",
            "roles.agg.args.speculative-config.synthetic_acceptance_length = 2.49",
        ],
    }
    (unresolved,) = made.pop("unresolved")
    detail = unresolved.pop("detail")
    assert unresolved == {
        "config_key": KEY,
        "framework": "vllm",
        "concurrency": 1,
        "reason": Reason.RECIPE_UNREADABLE.value,
    }
    assert "layout.scripts" in detail
    assert made == {
        "points": 3,
        "head": None,
        "uncovered": ["other-key"],
        "estimate": {"gates": 1, "gpus": 8, "gpu_hours": None},
        "warnings": [
            {
                "config_key": KEY,
                "code": "forced-al-differs",
                "detail": "the recipe forces 2.49, golden AL for K=3 is 2.6",
            }
        ],
    }


def test_the_text_of_a_plan(base: Path, head: Path, goldens: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(plan, "plan", "--tree", head, "--base-tree", base, "--goldens", goldens) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "3 speculative points: 1 gate, 1 unresolved; 8 GPUs if all gates ran at once"
    assert "glow fp8 h100 vllm tp8 mtp K=3" in lines
    assert any(line.startswith(f"  {KEY} at 1: recipe-unreadable: ") for line in lines)
    assert "  other-key" in lines


def test_settings_that_a_recipe_has_twice(tmp_path: Path, goldens: Path, capsys: pytest.CaptureFixture[str]) -> None:
    twice = recipe().replace("max-num-seqs: 8", "max-num-seqs: 8\n      max-num-seqs: 64")
    tree = written(bench(recipes={"glow.yaml": twice}), tmp_path / "tree")
    said = "glow.yaml:13: has `roles.agg.args.max-num-seqs` twice, and the last one counts; keep one of them"
    assert run_command(plan, "plan", "--tree", tree, "--all", "--goldens", goldens, "--json") == 0
    (shown,) = json.loads(capsys.readouterr().out)["repeats"]
    assert shown.endswith(said)
    assert run_command(plan, "plan", "--tree", tree, "--all", "--goldens", goldens) == 0
    assert capsys.readouterr().out.endswith(f"{said}\n")


def test_every_config_key_with_the_parts_of_each_key(
    head: Path, goldens: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_command(plan, "plan", "--tree", head, "--all", "--goldens", goldens, "--explain-key", "--json") == 0
    made = json.loads(capsys.readouterr().out)
    assert [gate["concurrencies"] for gate in made["gates"]] == [[4, 8, 64]]
    assert made["gates"][0]["key_parts"]["image"] == "vllm/vllm-openai:v0.21.0"


def test_the_parts_of_a_key_are_printed_as_values(
    head: Path, goldens: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_command(plan, "plan", "--tree", head, "--all", "--goldens", goldens, "--explain-key") == 0
    parts = [line for line in capsys.readouterr().out.splitlines() if line.startswith("  key: ")]
    assert "  key: launch.engine = vllm" in parts
    assert "  key: drafting.draft_model = none" in parts
    assert "  key: collection.ignore_eos = false" in parts
    assert not any(strange in line for line in parts for strange in ("EngineName", "None", "False"))


def test_the_repositorys_own_curves_and_settings_are_the_bases(
    base: Path, head: Path, goldens: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for tree, al in ((base, "3.50"), (head, "1.01")):
        (tree / ".github").mkdir()
        (tree / ".github" / "gatekit.yml").write_text("layout: {goldens: curves}\n")
        (tree / "curves").mkdir()
        curve = (goldens / "glow_mtp.yaml").read_text().replace("2.60", al)
        (tree / "curves" / "glow_mtp.yaml").write_text(curve)
    assert run_command(plan, "plan", "--tree", head, "--base-tree", base, "--json") == 0
    assert json.loads(capsys.readouterr().out)["gates"][0]["golden"]["al"] == 3.5


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--all",), "give the checkout with --tree DIR"),
        (("--tree", "."), "--base-tree DIR"),
        (("--tree", "no-such-folder", "--all"), "no-such-folder is no folder"),
        (("--tree", ".", "--all", "--strict"), "give --base-tree instead of --all"),
        (("--repo", "acme/bench"), "give --repo OWNER/NAME and --pr NUMBER together"),
        (("--pr", "7"), "give --repo OWNER/NAME and --pr NUMBER together"),
        (("--repo", "acme/bench", "--pr", "7", "--tree", "."), "or --tree, but not both"),
        (("--repo", "acme/bench", "--pr", "7", "--all"), "or --tree, but not both"),
        (("--repo", "acme/bench", "--pr", "7", "--goldens", "no-such-folder"), "no-such-folder is no folder"),
    ],
)
def test_wrong_usage_is_one_line_that_says_what_to_change(
    options: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_command(plan, "plan", *options) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--repo", "acme"), "'acme' is no repository: write OWNER/NAME"),
        (("--repo", "acme/bench/x"), "is no repository"),
        (("--repo", "acme/../x"), "is no repository"),
        (("--pr", "0"), "is no whole number from 1"),
        (("--pr", "seven"), "is no whole number from 1"),
    ],
)
def test_what_names_no_pull_request_is_wrong_usage(
    options: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        run_command(plan, "plan", *options)
    assert ended.value.code == 2
    assert said in capsys.readouterr().err


def test_strict_says_what_else_is_wrong_beside_the_plan(
    base: Path, head: Path, goldens: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("plan", "--tree", head, "--base-tree", base, "--goldens", goldens, "--strict")
    where, problem = "perf-changelog.yaml:4", "needs one empty line before it; leave exactly that"
    assert run_command(plan, *words) == 1
    said = capsys.readouterr()
    assert (said.err, said.out.split("\n")[0]) == ("", f"{where}: {problem}")
    assert "3 speculative points: 1 gate, 1 unresolved" in said.out
    assert run_command(plan, *words, "--json") == 1
    made = json.loads(capsys.readouterr().out)
    assert (made["violations"], len(made["gates"])) == ([{"where": where, "problem": problem}], 1)


def test_strict_says_all_that_is_wrong_where_nothing_can_be_planned(
    base: Path, head: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = head / "perf-changelog.yaml"
    log.write_text(log.read_text().replace(f"[{KEY}]", "[gone]").replace("[gone]", f"[{KEY}]", 1) + "\n")
    assert run_command(plan, "plan", "--tree", head, "--base-tree", base, "--strict", "--json") == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert [line.split(";")[0] for line in said.err.splitlines()] == [
        "perf-changelog.yaml:4: needs one empty line before it",
        "perf-changelog.yaml:7: is an empty line at the end of the file",
        "perf-changelog.yaml:4: names `gone`, but the config key is in no master config",
    ]


def test_strict_has_nothing_to_say_of_a_good_changelog(
    base: Path, head: Path, goldens: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = head / "perf-changelog.yaml"
    log.write_text(entry() + "\n" + entry())
    words = ("plan", "--tree", head, "--base-tree", base, "--goldens", goldens, "--json")
    assert run_command(plan, *words, "--strict") == 0
    strict = json.loads(capsys.readouterr().out)
    assert run_command(plan, *words) == 0
    assert strict == {**json.loads(capsys.readouterr().out), "violations": []}


@pytest.mark.parametrize("option", ["--tree", "--base-tree", "--goldens"])
def test_an_empty_text_is_no_folder(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        run_command(plan, "plan", option, "")
    assert ended.value.code == 2
    assert "an empty text names no folder" in capsys.readouterr().err


def test_a_folder_where_a_config_should_be_is_said_to_be_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = tmp_path / "configs" / "nvidia-master.yaml"
    place.mkdir(parents=True)
    (place / "x").touch()
    (tmp_path / ".github").mkdir()
    (tmp_path / ".github" / "gatekit.yml").write_text("layout: {configs: [configs/nvidia-master.yaml]}\n")
    assert run_command(plan, "plan", "--tree", tmp_path, "--all") == 1
    assert capsys.readouterr().err == "configs/nvidia-master.yaml: is a folder; put a file there\n"


def test_a_tree_that_cannot_be_planned_is_a_no(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tree = written(bench("- a list\n"), tmp_path / "tree")
    assert run_command(plan, "plan", "--tree", tree, "--all") == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("configs/nvidia-master.yaml")


def test_the_whole_august_tree_from_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(plan, "plan", "--tree", shared("data/inferencex"), "--all", "--json") == 0
    made = json.loads(capsys.readouterr().out)
    placed = sum(len(gate["concurrencies"]) for gate in made["gates"]) + len(made["unresolved"])
    assert placed == made["points"] == 710
    assert {point["reason"] for point in made["unresolved"]} <= {reason.value for reason in Reason}


def in_a_process_of_its_own(seed: str, *argv: object) -> bytes:
    """What the command prints where Python orders its sets by another seed."""
    program = "import sys; from bot.cli.main import main; sys.exit(main(sys.argv[1:]))"
    words = [sys.executable, "-c", program, *map(str, argv)]
    env = {**os.environ, "PYTHONHASHSEED": seed}
    return subprocess.run(words, cwd=ROOT, env=env, capture_output=True, check=True).stdout


@pytest.mark.parametrize("real", [False, True])
def test_two_runs_print_the_same_bytes(head: Path, goldens: Path, real: bool) -> None:
    tree = shared("data/inferencex") if real else head
    curves = () if real else ("--goldens", goldens)
    one, two = (in_a_process_of_its_own(seed, "plan", "--tree", tree, "--all", "--json", *curves) for seed in "12")
    assert one == two
    assert b'"key": "' in one
