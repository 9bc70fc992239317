"""A gate on the toy engine: the whole road gives the AL that the laws imply, and a cancel on the way leaves nothing."""

import json
from dataclasses import replace
from pathlib import Path

from bot.cluster.executor import JobState
from bot.cluster.local import processes
from bot.cluster.local.state import RunFolder
from bot.node.rendering import digest
from gatekit.cluster.result import parse_result, read_slices
from gatekit.domain.collection import Endpoint, Rendering, Sampling, Thinking
from gatekit.domain.gates import Drafting, EngineName, Gate, Golden, Launch, Tolerance
from gatekit.domain.verdict import CurveOutcome, Judged
from tests.end_to_end.local_gate import gate, local_gate, program
from tests.worlds.bot.until import WHOLE_GATE, until
from tests.worlds.engine.tokenizer import TEMPLATE, write_tokenizer
from tests.worlds.engine.toy_law import Laws, acceptance_length, standard_error, with_alpha

K = 3
LAWS = with_alpha(0.7)
MARKER = "</think>"


def toy_gate(output_len: int) -> Gate:
    drafting = {"method": "mtp", "num_speculative_tokens": K}
    plain = gate("toy")
    on = Sampling(temperature=1.0, seed=42, template_kwargs={"thinking": True})
    return replace(
        plain,
        framework="vllm",
        drafting=Drafting("mtp", K, None, None, Thinking.ON),
        golden=Golden("toy", acceptance_length(LAWS.alpha, K), Tolerance(0.05, 0.05)),
        collection=replace(
            plain.collection, output_len=output_len, sampling={Thinking.ON: on}, thinking_marker=MARKER, concurrency=4
        ),
        launch=Launch(
            engine=EngineName("vllm"),
            image="",
            model="toy",
            args=(("speculative-config", json.dumps(drafting)), ("data-parallel-size", 2)),
            env=(),
            unset=(),
            nodes=1,
            gpus=1,
            workers=1,
        ),
    )


def laws_of(laws: Laws) -> tuple[str, ...]:
    return ("--target-law", ",".join(map(repr, laws.target)), "--draft-law", ",".join(map(repr, laws.draft)))


def toy(laws: Laws, *words: str) -> tuple[str, ...]:
    return program("toy_engine", *laws_of(laws), *words, "serve")


async def test_the_measured_al_is_the_closed_form_within_its_sampling_error(tmp_path: Path) -> None:
    wanted = toy_gate(output_len=400)
    async with local_gate(tmp_path, wanted, toy(LAWS), str(write_tokenizer(tmp_path / "tokenizer"))) as world:
        material = await world.finished()
        verdict = world.verdict(material)
        assert not RunFolder(world.folder).scratch.exists()
    assert material.result is not None
    result = parse_result(material.result)
    assert result.requests.output_tokens == 400 * wanted.collection.prompts
    assert result.requests.thinking_marked == wanted.collection.prompts
    assert isinstance(verdict, Judged), verdict
    al, drafts = verdict.realized.al, verdict.realized.drafts
    assert abs(al - wanted.golden.al) <= 4 * standard_error(LAWS.alpha, K, drafts)
    assert verdict.realized.draft_tokens == K * drafts
    assert verdict.outcome is CurveOutcome.ON_CURVE


async def test_sglang_is_measured_with_prompts_that_the_models_own_template_renders(tmp_path: Path) -> None:
    """As the published curves were collected: rendered first, then posted to the completions endpoint."""
    wanted, model = toy_gate(output_len=300), write_tokenizer(tmp_path / "model", chat_template=TEMPLATE)
    wanted = replace(
        wanted,
        framework="sglang",
        collection=replace(
            wanted.collection, endpoint=Endpoint.COMPLETIONS, rendering=Rendering.CLIENT, thinking_marker=None
        ),
        launch=replace(
            wanted.launch, engine=EngineName("sglang"), model=str(model), args=(("speculative-num-steps", K),)
        ),
    )
    async with local_gate(tmp_path, wanted, program("toy_sglang", *laws_of(LAWS)), str(model)) as world:
        material = await world.finished()
        verdict = world.verdict(material)
        lines = (world.folder / "requests.jsonl").read_text().splitlines()
    assert material.result is not None
    result = parse_result(material.result)
    texts = [json.loads(line)["payload"]["prompt"] for line in lines]
    assert all(text.endswith("\n[thinking]\n") for text in texts)
    assert (result.engine_version, result.rendered_sha256) == ("0.5.12", digest(texts))
    assert "prompts rendered by the model's chat template" in (material.job_log or "")
    assert isinstance(verdict, Judged), verdict
    al, drafts = verdict.realized.al, verdict.realized.drafts
    cut = K / (300 / wanted.golden.al)  # an answer's last draft counts, though not all that it gave
    assert -4 * standard_error(LAWS.alpha, K, drafts) - cut <= al - wanted.golden.al
    assert al - wanted.golden.al <= 4 * standard_error(LAWS.alpha, K, drafts)


async def test_a_cancel_in_the_middle_of_the_replay_leaves_no_process_and_no_scratch(tmp_path: Path) -> None:
    tokenizer = str(write_tokenizer(tmp_path / "tokenizer"))
    async with local_gate(tmp_path, toy_gate(2000), toy(LAWS, "--pace", "0.01"), tokenizer) as world:
        await world.executor.submit(world.job)
        await until(lambda: drafts_seen(world.folder), WHOLE_GATE)
        assert (await world.executor.states([world.name]))[world.name].state is JobState.RUNNING
        family = world.family()
        scratch = RunFolder(world.folder).scratch
        assert len(family) > 3  # the node program, the engine, aiperf with its own
        assert any(scratch.iterdir())
        assert await world.executor.cancel([world.name]) == {world.name}
        assert [process for process in family if processes.is_living(process)] == []
        assert not world.family()
        assert not scratch.exists()
        material = await world.executor.material(world.name)
    assert material.result is not None
    assert parse_result(material.result).reason == "cancelled"


def drafts_seen(folder: Path) -> bool:
    """Whether the latest slice tells of drafts: then the replay is under way."""
    slices = folder / "slices.jsonl"
    if not slices.exists():
        return False
    *_, text = ("", *(one.text for one in read_slices(slices.read_text().rpartition("\n")[0])))
    rows = [row for row in text.splitlines() if row.startswith("vllm:spec_decode_num_drafts_total")]
    return any(float(row.rpartition(" ")[2]) for row in rows)
