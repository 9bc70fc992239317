"""The node program without a replay: how it starts, refuses and ends. Every run here is the real zipapp."""

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from gatekit.cluster.result import parse_result
from tests.worlds.bot.until import PATIENCE, wait_until
from tests.worlds.cluster.node_run import NodeRun, alive, node_run, prompt
from tests.worlds.engine.tokenizer import write_tokenizer


@pytest.fixture
def world(tmp_path: Path) -> Iterator[NodeRun]:
    with node_run(tmp_path) as found:
        yield found


def test_an_engine_that_dies_at_its_start_is_a_failure_with_its_code(world: NodeRun) -> None:
    world.engine_faults("--die-at-start", "7")
    result = world.run()
    assert result["outcome"] == "failed"
    assert result["reason"] == "the engine exited with code 7 before it answered, see engine.log"
    assert world.text("engine.log") == "the model file is broken\n"
    assert world.started[0].returncode == 1
    world.nothing_is_left()


def test_an_engine_that_is_no_program_is_named(world: NodeRun) -> None:
    world.job["engine"]["command"] = ["no-such-engine", "--port", "{port}"]
    assert world.run()["reason"] == "the engine cannot be started: no-such-engine is no program here, see engine.log"


def test_an_engine_that_never_becomes_healthy_is_given_up(world: NodeRun) -> None:
    world.engine_faults("--never-healthy", "--daemon")
    world.job["engine"]["start_seconds"] = 5
    result = world.run()
    assert result["reason"] == "the engine did not answer at /health within 5 s"
    assert not alive(world.engine["pid"])
    assert not alive(world.engine["daemon"])
    world.nothing_is_left()


def test_another_prompt_file_is_refused_before_an_engine_is_started(world: NodeRun) -> None:
    world.job["replay"]["prompts_sha256"] = "0" * 64
    result = world.run()
    assert result["reason"].startswith("the prompt file has the digest ")
    assert "the collection names 0000" in result["reason"]
    assert result["replay"] is None
    assert world.record == []


def test_a_prompt_that_nobody_can_render_is_refused_before_an_engine_is_started(world: NodeRun) -> None:
    world.job["engine"]["name"] = "trtllm"
    world.job["replay"] |= {"endpoint": "/v1/completions", "rendering": "client"}
    write_tokenizer(Path(world.job["checkpoint"]))
    assert world.run()["reason"].endswith("/model cannot be applied: it has no chat template")
    assert world.record == []
    world.nothing_is_left()


def test_the_digest_is_reported_where_nobody_wrote_it_down(world: NodeRun) -> None:
    digest = world.job["replay"]["prompts_sha256"]
    world.job["replay"]["prompts_sha256"] = None
    world.job["aiperf"] = ["no-such-aiperf"]
    result = world.run()
    assert result["prompts_sha256"] == digest
    assert result["reason"] == "aiperf cannot be started: no-such-aiperf is no program here"
    assert result["engine"]["version"] == "1.2.3"


def test_too_few_prompts_are_said_with_both_numbers(world: NodeRun) -> None:
    world.prompts(prompt(1), prompt(2, category="math"))
    assert world.run()["reason"] == "the prompt file holds 1 prompts of category 'coding', the collection 2"


def test_the_engine_sees_nothing_but_what_the_job_gives_it(world: NodeRun) -> None:
    """No run folder, no secret of the node, no name that the job takes away."""
    world.job["aiperf"] = ["no-such-aiperf"]
    world.run()
    engine = world.engine
    assert str(world.folder) not in json.dumps(engine)
    assert engine["cwd"].startswith(str(world.temporary))
    assert engine["env"]["COLOUR"] == "blue"
    assert engine["env"]["GATEKIT_JOB"] == world.mark
    assert engine["env"]["HOME"] == engine["env"]["TMPDIR"] == engine["cwd"]
    assert {"SECRET_TOKEN", "LANG"} & set(engine["env"]) == set()


def test_a_mark_is_handed_on_as_it_came(world: NodeRun) -> None:
    """A job script marks the node program; the engine's environment in the job has no say."""
    world.given_mark = "gk-7-abc12345-1.of-the-scheduler"
    world.job["engine"]["env"].append(["GATEKIT_JOB", "another"])
    world.engine_faults("--daemon")
    world.job["aiperf"] = ["no-such-aiperf"]
    world.run()
    assert world.engine["env"]["GATEKIT_JOB"] == world.given_mark
    world.nothing_is_left()


def test_an_engine_that_loses_its_port_is_started_once_more(world: NodeRun) -> None:
    world.engine_faults("--clash")
    world.job["aiperf"] = ["no-such-aiperf"]
    result = world.run()
    assert "was taken by another program, so the engine is started once more" in world.text("job.log")
    assert "engine answers after" in world.text("job.log")
    assert result["reason"].startswith("aiperf cannot be started")
    world.nothing_is_left()


def test_a_second_start_does_nothing(world: NodeRun) -> None:
    world.engine_faults("--never-healthy")
    first = world.start()
    wait_until(lambda: world.record)
    before = sorted(path.name for path in world.folder.iterdir())
    second = world.start_again()
    assert second.wait(PATIENCE) == 3
    assert sorted(path.name for path in world.folder.iterdir()) == before
    assert first.poll() is None
    claim = json.loads(world.text("claim.json"))
    assert claim["pid"] == first.pid
    assert claim["started"] == int(Path(f"/proc/{first.pid}/stat").read_text().rpartition(")")[2].split()[19])


def test_an_attempt_that_has_a_result_is_left_alone(world: NodeRun) -> None:
    world.folder.mkdir(parents=True)
    (world.folder / "result.json").write_text("{}")
    assert world.start().wait(PATIENCE) == 3
    assert world.text("result.json") == "{}"
    assert not (world.folder / "claim.json").exists()


def test_a_dead_claim_is_not_taken_over(world: NodeRun) -> None:
    """Whether a lost attempt is tried again is for the executor to say, under a new name."""
    world.folder.mkdir(parents=True)
    (world.folder / "claim.json").write_text('{"host": "gone", "pid": 1, "started": 1}')
    assert world.start().wait(PATIENCE) == 3
    assert not (world.folder / "result.json").exists()


def test_a_cancel_while_the_engine_starts_ends_all_of_it(world: NodeRun) -> None:
    world.engine_faults("--never-healthy", "--daemon")
    process = world.start()
    wait_until(lambda: world.record)
    process.terminate()
    assert process.wait(PATIENCE) == 1
    assert world.result()["reason"] == "cancelled"
    assert not alive(world.engine["daemon"])
    world.nothing_is_left()


def test_the_engine_dies_with_a_node_that_is_killed(world: NodeRun) -> None:
    world.engine_faults("--never-healthy")
    process = world.start()
    wait_until(lambda: world.record)
    process.kill()
    process.wait(PATIENCE)
    wait_until(lambda: not alive(world.engine["pid"]))
    assert not (world.folder / "result.json").exists()


def _set(*path: str, value: object) -> Callable[[NodeRun], None]:
    def change(world: NodeRun) -> None:
        place = world.job
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = value

    return change


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (_set("schema", value=2), "job.json has schema 2, and this program reads 1: copy the matching one"),
        (_set("job", value="../up"), "job.json: job is no name that a job can have"),
        (_set("replay", "endpoint", value="/v1/x"), "job.json: replay.endpoint must be one of /v1/chat/completions, "),
    ],
)
def test_an_odd_job_file_ends_in_one_sentence(
    world: NodeRun, change: Callable[[NodeRun], None], sentence: str, capfd: pytest.CaptureFixture[str]
) -> None:
    change(world)
    world.start().wait(PATIENCE)
    result = parse_result(world.text("result.json"))
    assert result.outcome == "failed"
    assert (result.reason or "").startswith(sentence)
    assert result.job == world.folder.name
    assert "Traceback" not in capfd.readouterr().err


def test_every_result_is_one_that_the_bot_can_read(world: NodeRun) -> None:
    world.job["aiperf"] = ["no-such-aiperf"]
    world.run()
    result = parse_result(world.text("result.json"))
    assert (result.job, result.outcome, result.engine_name) == (world.job["job"], "failed", "vllm")
    assert result.engine_command[0] == sys.executable
    assert "{port}" not in " ".join(result.engine_command)
    assert result.seconds.start is not None
