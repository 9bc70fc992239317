"""Gates on a real vLLM: what Gatekit reads from raw scrapes is what the engine said of each answer, to the token."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from bot.demo import prompts
from bot.node import memory
from gatekit.cluster.job import job_for
from gatekit.cluster.result import parse_result
from gatekit.domain.gates import Gate
from gatekit.domain.job import Material
from gatekit.domain.verdict import CurveOutcome, Judged
from gatekit.engines.counters import Counts, Gains
from gatekit.engines.registry import ENGINES
from gatekit.formats.prometheus import read_scrapes
from gatekit.measure.acceptance import gains, measure
from gatekit.measure.judge import judge
from tests.end_to_end.local_gate import SWEEP, attempt, program
from tests.worlds.bot.until import WHOLE_GATE, until
from tests.worlds.engine.recording_proxy import recorded
from tests.worlds.vllm import bench, engine
from tests.worlds.vllm.bench import CHAT, CLIENT, Wish

VLLM = ENGINES.counters["vllm"]
WORKER = "agg-0"

NGRAM = {"method": "ngram", "num_speculative_tokens": 4, "prompt_lookup_max": 4, "prompt_lookup_min": 2}
NEAR = {"method": "draft_model", "num_speculative_tokens": 3, "model": engine.model("draft-near")}
FAR = {"method": "draft_model", "num_speculative_tokens": 5, "model": engine.model("draft-far")}

# As the published curves were collected: many at once, and an answer ends where the model ends it. But greedy: without
# Triton, which has no CPU build, this vLLM verifies sampled drafts with a temperature, top_p and top_k it never set.
ON = {"temperature": 0.0, "presence_penalty": 0.0, "template_kwargs": {"thinking": True}}
PUBLISHED = {
    **CLIENT,
    "ignore_eos": False,
    "concurrency": 8,
    "sampling": {"on": ON},
    "thinking_marker": "</think>",
}

TWO_RANKS, PUBLISHED_WAY = "two ranks, n-gram", "two ranks, draft model, rendered by the client"
ALL_TURNS, RENDERED = "one rank, draft model, all turns", "one rank, n-gram, rendered by the client"
WISHES = {
    TWO_RANKS: Wish(NGRAM, 2, CHAT),
    PUBLISHED_WAY: Wish(NEAR, 2, PUBLISHED),
    ALL_TURNS: Wish(FAR, 1, {**CHAT, "turns": "all", "concurrency": 1}),
    RENDERED: Wish(NGRAM, 1, {**CLIENT, "concurrency": 1}),
}


@dataclass(frozen=True, slots=True)
class Run:
    """One gate from its plan to its raw material. `answers`: what the engine said in each of them."""

    wish: Wish
    gate: Gate
    material: Material
    answers: tuple[dict, ...]
    requests: tuple[dict, ...]  # the bodies that were replayed, where they stand in a file
    shared: tuple[Path, ...]  # memory that the engine's processes shared while it served

    @property
    def gains(self) -> Gains:
        before, after = (read_scrapes(texts)[WORKER] for texts in (self.material.before, self.material.after))
        return gains(WORKER, before, after, VLLM)

    @property
    def prompt_tokens(self) -> list[int]:
        return sorted(answer["usage"]["prompt_tokens"] for answer in self.answers)

    def outcome(self, golden: float) -> CurveOutcome:
        """Of the same material, were this the golden AL."""
        told = replace(self.gate, golden=replace(self.gate.golden, al=golden))
        verdict = judge(told, parse_result(self.material.result or "").job, self.material, VLLM)
        assert isinstance(verdict, Judged), verdict
        return verdict.outcome


async def measured(wish: Wish, folder: Path) -> Run:
    record = folder / "record.jsonl"
    words = program("recording_proxy", "--port", "{port}", "--record", str(record), "--", *engine.engine_words(folder))
    gate = bench.planned(wish, words)
    async with attempt(folder, gate, job_for(gate, SWEEP, 1, bench.cluster(words))) as world:
        await world.executor.submit(world.job)
        await until(lambda: any((world.folder / name).exists() for name in ("before.prom", "result.json")), WHOLE_GATE)
        shared = memory.segments(process.pid for process in world.family())
        material = await world.finished()
        assert parse_result(material.result or "").reason is None, material.engine_log
        lines = (world.folder / "requests.jsonl").read_text().splitlines()
    answers = [line for line in recorded(record) if line["path"] == gate.collection.endpoint]
    bodies = tuple(json.loads(line).get("payload") for line in lines)
    return Run(wish, gate, material, tuple(answers), bodies, tuple(Path(segment.path) for segment in shared))


def heard(run: Run) -> Counts:
    """What the engine said of each answer, added up."""
    each = [answer["metrics"]["speculative_decoding"] for answer in run.answers]
    k = run.gate.drafting.k
    steps = [one["acceptance_histogram"] for one in each]  # verification steps, by how many tokens they took
    assert {len(taken) for taken in steps} == {k + 1}
    return Counts(
        drafts=sum(one["num_spec_steps"] for one in each),
        accepted=sum(one["num_accepted_draft_tokens"] for one in each),
        draft_tokens=sum(one["num_draft_tokens"] for one in each),
        per_position=tuple(sum(sum(taken[position:]) for taken in steps) for position in range(1, k + 1)),
        generated=sum(answer["usage"]["completion_tokens"] for answer in run.answers),
    )


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Run]:
    """Each gate runs once."""
    engine.make_models()
    done: dict[str, Run] = {}

    def get(name: str) -> Run:
        if name not in done:
            done[name] = asyncio.run(measured(WISHES[name], tmp_path_factory.mktemp("gate")))
        return done[name]

    return get


@pytest.mark.parametrize("name", WISHES)
def test_the_scrapes_say_what_the_answers_say(
    name: str, run: Callable[[str], Run], record_property: Callable[[str, object], None]
) -> None:
    one = run(name)
    k, engines_word = one.gate.drafting.k, heard(one)
    read = measure(read_scrapes(one.material.before), read_scrapes(one.material.after), VLLM, k)
    assert read == engines_word
    assert 0 < read.accepted < read.draft_tokens <= k * read.drafts

    verdict = judge(one.gate, parse_result(one.material.result or "").job, one.material, VLLM)
    assert isinstance(verdict, Judged), verdict
    realized, al = verdict.realized, 1 + engines_word.accepted / engines_word.drafts
    assert (realized.drafts, realized.accepted) == (engines_word.drafts, engines_word.accepted)
    assert realized.draft_tokens == engines_word.draft_tokens
    assert realized.al == al
    assert one.outcome(al) in (CurveOutcome.ON_CURVE, CurveOutcome.INCONCLUSIVE)

    result = parse_result(one.material.result or "")
    assert (result.requests.ok, result.requests.failed) == (len(one.answers), 0)
    seconds = f"{result.seconds.start:.0f} s to start, {result.seconds.replay:.0f} s to replay"
    counted = f"{read.accepted:,} of {read.draft_tokens:,} tokens accepted in {read.drafts:,} drafts"
    record_property(
        "said",
        f"AL {al:.4f}, K={k}: {counted}, by the scrapes and by {len(one.answers)} answers alike"
        f"{ranks_apart(one)}; {seconds}",
    )


def ranks_apart(one: Run) -> str:
    by_rank = alone(one)
    if len(by_rank) == 1:
        return ""
    return "; " + ", ".join(f"rank {rank} alone {1 + counts[1] / counts[0]:.4f}" for rank, counts in by_rank.items())


def alone(one: Run) -> dict[int, tuple[int, int]]:
    """Drafts and accepted tokens of each data-parallel rank."""
    drafts, accepted = (one.gains.by(family, "engine") or {} for family in VLLM.families[:2])
    return {rank: (drafts[rank], accepted[rank]) for rank in sorted(drafts)}


@pytest.mark.parametrize("name", WISHES)
def test_every_rank_drafted(name: str, run: Callable[[str], Run]) -> None:
    """Else the sum over ranks would be right whatever is summed."""
    one = run(name)
    assert list(alone(one)) == list(range(one.wish.ranks))
    assert all(drafts > 0 for drafts, _ in alone(one).values())


@pytest.mark.parametrize("name", WISHES)
def test_forced_acceptance_was_taken_out(name: str, run: Callable[[str], Run]) -> None:
    one = run(name)
    assert {knob.knob for knob in one.gate.stripped} == set(bench.FORCED)
    assert "synthetic" not in " ".join(parse_result(one.material.result or "").engine_command)


@pytest.mark.parametrize("name", WISHES)
def test_nothing_of_the_engine_is_left(name: str, run: Callable[[str], Run]) -> None:
    one = run(name)
    assert one.shared
    assert [path for path in one.shared if path.exists()] == []


def test_a_prompt_rendered_by_the_client_is_the_templates(
    run: Callable[[str], Run], record_property: Callable[[str, object], None]
) -> None:
    sent = [request["prompt"] for request in run(PUBLISHED_WAY).requests]
    rows = [json.loads(line) for line in prompts.FILE.read_text().splitlines()]
    asked = [row["messages"][0]["content"] for row in rows if row["category"] == prompts.CATEGORY]
    assert sent == [f"<s><|user|>{text}\n<|assistant|><think>\n" for text in asked]
    record_property("said", f"{len(sent)} of {len(asked)} are what the model's chat template makes of them")


def test_the_completions_endpoint_adds_its_special_tokens(
    run: Callable[[str], Run], record_property: Callable[[str, object], None]
) -> None:
    """One begin mark more than in chat: so the published curves were collected, and so they are replayed."""
    chat, completions = run(TWO_RANKS), run(RENDERED)
    assert completions.prompt_tokens == [tokens + 1 for tokens in chat.prompt_tokens]
    record_property("said", "its own begin mark before the template's, as when the published curves were collected")


def test_thinking_is_seen_in_every_answer(run: Callable[[str], Run]) -> None:
    requests = parse_result(run(PUBLISHED_WAY).material.result or "").requests
    assert requests.thinking_marked == requests.ok == prompts.COUNT


def test_later_turns_are_sent_with_the_live_answers(run: Callable[[str], Run]) -> None:
    assert len(run(ALL_TURNS).answers) > prompts.COUNT
