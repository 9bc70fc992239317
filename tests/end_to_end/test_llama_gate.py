"""A gate on llama.cpp: what its counters say is what each answer said, and the AL is made of exactly these numbers."""

from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from gatekit.cluster.result import parse_result
from gatekit.domain.verdict import Judged
from tests.end_to_end.local_gate import gate, local_gate, program
from tests.worlds.bench import plans
from tests.worlds.engine import llama
from tests.worlds.engine.recording_proxy import recorded

ARGS = (("ctx-size", 8192), ("parallel", 2), ("model-draft", "gatekit-demo/draft-near.gguf"), ("draft-max", 4))


def counters(scrape: str) -> dict[str, float]:
    families = text_string_to_metric_families(scrape)
    return {sample.name: sample.value for family in families for sample in family.samples if not sample.labels}


async def test_counters_and_answers_agree_to_the_token(tmp_path: Path) -> None:
    record, models = tmp_path / "record.jsonl", tmp_path / "models"
    assert "target.gguf" in llama.make_models(models)
    assert llama.make_models(models) == []  # all there, all right
    engine = program("recording_proxy", "--port", "{port}", "--record", str(record), "--", *llama.engine_words(models))
    wanted = gate("llama", launch=plans.replace(plans.LAUNCH, args=ARGS))
    async with local_gate(tmp_path, wanted, engine, llama.tokenizer(models)) as world:
        material = await world.finished()
        verdict = world.verdict(material)
    assert material.result is not None
    result = parse_result(material.result)
    assert (result.outcome, result.reason) == ("replayed", None)

    before, after = (counters(scrapes["agg-0"]) for scrapes in (material.before, material.after))
    drafts, drafted, accepted, generated = (
        after[f"llamacpp:{name}_total"] - before[f"llamacpp:{name}_total"]
        for name in (
            "spec_decode_num_drafts",
            "spec_decode_num_draft_tokens",
            "spec_decode_num_accepted_tokens",
            "tokens_predicted",
        )
    )
    answers = [line["timings"] for line in recorded(record) if line["path"] == "/v1/chat/completions"]
    assert len(answers) == result.requests.ok == wanted.collection.prompts
    assert drafted == sum(answer["draft_n"] for answer in answers)
    assert accepted == sum(answer["draft_n_accepted"] for answer in answers)
    assert generated == sum(answer["predicted_n"] for answer in answers) == result.requests.output_tokens
    assert 0 < accepted < drafted

    assert isinstance(verdict, Judged), verdict
    assert verdict.realized.al == pytest.approx(1 + accepted / drafts)
    assert (verdict.realized.drafts, verdict.realized.accepted) == (drafts, accepted)
