"""Scores and points of the green run: read from its artifacts, within limits, where a check asks for them."""

import json
from pathlib import Path

import pytest

from bot.demo.github.faults import Answer
from bot.demo.github.reviews import Job
from bot.demo.github.workflows import ActionsRun, RunArtifact, packed
from tests.worlds.bench.small_bench import CHANGELOG, CONFIG, config, entry
from tests.worlds.bench.small_bench import row as bench_row
from tests.worlds.bot.bot_world import BotWorld
from tests.worlds.github.actions import RUN, a_run, say
from tests.worlds.signoff.signing import about, propose, row
from tests.worlds.signoff.signing_bench import BODY, CHANGE, LANES, OLD, benching

IMAGE = "vllm/vllm-openai:v0.21.0"
FIXED = "    fixed-seq-len:\n    - {isl: 8192, osl: 1024, search-space: [{tp: 8, conc-list: [16]}]}\n"
EVALUATED = {
    CONFIG: (config(bench_row("[4, 8]")) + FIXED).encode(),
    CHANGELOG: f"{OLD}{entry()}".encode(),
}
EVAL_LANES = (*LANES, Job("single-node 8k1k / p1 | glow"), Job("eval / p1 | glow"))


def artifact(name: str, *rows: object, expired: bool = False, number: int = 0) -> RunArtifact:
    return RunArtifact(900 + number, name, expired, packed({"agg.json": json.dumps(list(rows))}))


def agentic(number: int) -> dict[str, object]:
    return {
        **{"infmax_model_prefix": "glow", "hw": "h100", "framework": "vllm", "precision": "fp8"},
        "request_metrics": {
            "latency": {"e2el": {"p90": float(number)}},
            "throughput": {"per_gpu": {"total_tput_tps": 100.0 * number}},
        },
    }


def score(value: float | None, **changes: object) -> dict[str, object]:
    row = {"model_prefix": "glow", "hw": "H100", "framework": "vllm", "precision": "fp8", "task": "gsm8k"}
    return {**row, "em_strict": value, "score": value, "score_name": "em_strict", "image": IMAGE, **changes}


def ran(world: BotWorld, *artifacts: RunArtifact, jobs: tuple[Job, ...] = LANES) -> ActionsRun:
    run = a_run(world, jobs=jobs)
    run.artifacts = artifacts
    return run


async def checked(world: BotWorld, number: int) -> str:
    return row(about(world, await say(world, BODY, by="ann")), number)


def downloads(world: BotWorld, number: int) -> int:
    return sum(call.path.endswith(f"/actions/artifacts/{number}/zip") for call in world.github.calls)


@pytest.mark.parametrize(
    ("artifacts", "said"),
    [
        ([artifact("results_bmk", *map(agentic, range(1, 6)))], "PASS"),
        ([artifact("results_bmk", *map(agentic, range(1, 5)))], "WARN — glow agentic h100 vllm fp8 has 4 points"),
        ([artifact(f"bmk_agentic_{n}", agentic(n), number=n) for n in range(1, 6)], "PASS"),
        ([artifact("results_bmk", {**agentic(1), "request_metrics": {}})], "WARN — glow agentic h100 vllm fp8 has a"),
        ([artifact("results_bmk", {"notes": "no point"})], f"WARN — run `{RUN}` has no points"),
        ([artifact("logs", agentic(1))], f"WARN — look yourself: run `{RUN}: it has no artifact results_bmk`"),
        (
            [artifact("results_bmk", agentic(1), expired=True)],
            f"WARN — look yourself: run `{RUN}: its artifact results_bmk` has expired",
        ),
        (
            [artifact(f"bmk_agentic_{n}", agentic(n), number=n) for n in range(1, 40)],
            f"WARN — look yourself: run `{RUN}`: its 39 points stand in an artifact each, and 24",
        ),
        (
            [RunArtifact(901, "results_bmk", data=b"PK no zip at all, not even nearly one")],
            f"WARN — look yourself: run `{RUN}`: `results_bmk`: is no zip archive",
        ),
    ],
)
async def test_points_on_the_front_of_each_curve(tmp_path: Path, artifacts: list[RunArtifact], said: str) -> None:
    async with benching(tmp_path) as (world, _):
        ran(world, *artifacts)
        text = await checked(world, 14)
        assert text.replace("`", "").startswith(said.replace("`", ""))


@pytest.mark.parametrize(
    ("artifacts", "said"),
    [
        ([artifact("eval_results_all", score(0.95))], f"PASS — every score of run {RUN} is above its bar"),
        ([artifact("eval_results_all", score(0.85))], "FAIL — glow fp8 h100 vllm, gsm8k: 0.8500 is below 0.9000"),
        ([artifact("eval_results_all", score(None))], "FAIL — glow fp8 h100 vllm, gsm8k: 0 of 1 concurrencies have"),
        (
            [artifact("eval_results_all", score(0.95, image="other:1"))],
            "FAIL — glow fp8 h100 vllm, gsm8k: it ran other:1",
        ),
        ([artifact("eval_results_all", score(0.95, image=None))], "UNDECIDED — glow fp8 h100 vllm, gsm8k: look which"),
        ([artifact("eval_results_all", score(0.95, hw="B200"))], "FAIL — no result for glow-fp8-h100-vllm-agentic"),
        (
            [artifact("results_bmk", agentic(1))],
            f"UNDECIDED — look yourself: run {RUN}: it has no artifact eval_results",
        ),
        (
            [artifact("eval_results_all", score(0.95), expired=True)],
            f"UNDECIDED — look yourself: run {RUN}: its artifact eval_results_all has expired",
        ),
    ],
)
async def test_scores_of_the_evals(tmp_path: Path, artifacts: list[RunArtifact], said: str) -> None:
    async with benching(tmp_path) as (world, _):
        propose(world, "evaluated", EVALUATED)
        ran(world, *artifacts, jobs=EVAL_LANES)
        text = await checked(world, 2)
        assert text.replace("`", "").startswith(said)


async def test_where_no_evals_are_due_none_are_read(tmp_path: Path) -> None:
    async with benching(tmp_path) as (world, _):
        ran(world, artifact("eval_results_all", score(0.1)), artifact("results_bmk", agentic(1), number=1))
        assert (await checked(world, 2)).startswith("N/A")
        assert downloads(world, 900) == 1  # by `/use`, which looks whether there is any row at all


async def test_an_artifact_is_read_once(tmp_path: Path) -> None:
    async with benching(tmp_path) as (world, _):
        ran(world, artifact("results_bmk", *map(agentic, range(1, 6))))
        for _again in range(3):
            assert (await checked(world, 14)).startswith("PASS")
        assert downloads(world, 900) == 2  # by `/use`, and by the first verification


@pytest.mark.parametrize("path", ["/repos/*/actions/artifacts/*", "/repos/*/actions/runs/*/artifacts"])
async def test_artifacts_that_cannot_be_read_are_no_points(tmp_path: Path, path: str) -> None:
    async with benching(tmp_path) as (world, _):
        ran(world, artifact("results_bmk", *map(agentic, range(1, 6))))
        world.github.faults.on("GET", path, Answer(502), times=100)
        assert (await checked(world, 14)).startswith("WARN — look yourself")


async def test_without_a_green_run_nothing_is_read(tmp_path: Path) -> None:
    async with benching(tmp_path) as (world, _):
        propose(world, "red", CHANGE)
        ran(world, artifact("results_bmk", agentic(1)), jobs=(Job("agentic / p1", "failure"),))
        assert (await checked(world, 14)).startswith("WARN — there is no green run")
        assert downloads(world, 900) == 0
