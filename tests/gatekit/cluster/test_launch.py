"""From a gate to the job description that the node reads, and back."""

import contextlib
from dataclasses import replace

import pytest

from gatekit.cluster.job import job_for, job_json, refuse_foreign
from gatekit.cluster.policy import Cluster, Policy
from gatekit.domain.collection import Sampling, Thinking
from gatekit.domain.errors import Refusal
from gatekit.domain.gates import EngineName
from gatekit.domain.ids import SweepId, job_name
from tests.worlds.bench.plans import COLLECTION, gate
from tests.worlds.cluster.jobs import parse_job

CLUSTER = Cluster(
    name="demo",
    serves=("cluster:demo",),
    policy=Policy(("",), ("",)),
    engines={"llamacpp": ("/opt/llama-server", "--models-dir", "/models")},
    aiperf=("/opt/aiperf",),
    prompts="/data/prompts.jsonl",
    tokenizer="/data/tokenizer",
    container="",
    start_minutes=3,
    replay_minutes=10,
)
ROUTED = gate(
    launch=replace(gate().launch, env=(("GGML_LOG", "1"),), unset=("LLAMA_ARG_SPEC_SYNTH_LEN",)),
    collection=replace(
        COLLECTION,
        sampling={
            Thinking.ON: Sampling(0.6, top_p=0.95, top_k=20, template_kwargs={"enable_thinking": True, "n": None})
        },
        thinking_marker="</think>",
    ),
)


def test_a_job_says_all_that_the_node_needs() -> None:
    job = job_for(ROUTED, SweepId(12), 2, CLUSTER)
    assert job.job == job_name(SweepId(12), ROUTED.key, 2)
    assert (job.gate, job.attempt, job.model) == (ROUTED.key, 2, "gatekit-demo/target.gguf")
    assert job.engine.command == (
        *("/opt/llama-server", "--models-dir", "/models", "--model", "gatekit-demo/target.gguf", "--ctx-size", "4096"),
        *("--metrics", "--host", "127.0.0.1", "--port", "{port}"),
    )
    assert (job.engine.env, job.engine.unset) == ((("GGML_LOG", "1"),), ("LLAMA_ARG_SPEC_SYNTH_LEN",))
    assert (job.engine.health, job.engine.metrics, job.engine.start_seconds) == ("/health", "/metrics", 180)
    replay = job.replay
    assert (replay.prompts, replay.prompts_sha256, replay.count) == ("/data/prompts.jsonl", "0" * 64, 20)
    assert (replay.turns, replay.endpoint, replay.rendering) == ("first", "/v1/chat/completions", "server")
    assert (replay.output_len, replay.ignore_eos, replay.concurrency, replay.seconds) == (96, True, 1, 600)
    assert replay.sampling == {"temperature": 0.6, "top_p": 0.95, "top_k": 20}
    assert replay.template_kwargs == {"enable_thinking": True, "n": None}
    assert (job.aiperf, job.tokenizer) == (("/opt/aiperf",), "/data/tokenizer")
    assert 0 < job.slice_seconds < job.engine.start_seconds


def test_the_file_says_the_same_as_the_job() -> None:
    job = job_for(ROUTED, SweepId(12), 1, CLUSTER)
    assert parse_job(job_json(job)) == job


@pytest.mark.parametrize(
    ("standing", "refused"),
    [
        ('{"job": "gk-12-1-1", "submitter": "ours"}', False),
        ('{"job": "gk-12-1-1", "submitter": "theirs"}', True),
        ('{"job": "gk-12-1-1"}', True),
        ("", True),
        ("[]", True),
    ],
)
def test_a_run_folder_of_another_database_is_left_alone(standing: str, refused: bool) -> None:
    job = replace(job_for(ROUTED, SweepId(12), 1, CLUSTER), submitter="ours")
    with pytest.raises(Refusal) if refused else contextlib.nullcontext():
        refuse_foreign(standing, job)


def test_an_engine_that_the_cluster_cannot_start_is_refused() -> None:
    vllm = gate(launch=replace(gate().launch, engine=EngineName("vllm")))
    with pytest.raises(Refusal, match="demo does not say how to start vllm"):
        job_for(vllm, SweepId(1), 1, CLUSTER)
