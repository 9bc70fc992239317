"""The command lines that gates start vLLM with, put to vLLM's own parser. No engine is started."""

from collections.abc import Callable, Iterator
from dataclasses import replace

from gatekit.bench.recipes.roles import engine_named, generating, roles
from gatekit.bench.recipes.variants import is_bundle, variants
from gatekit.domain.errors import BadInput
from gatekit.domain.gates import EngineName
from gatekit.engines.registry import ENGINES
from gatekit.engines.vllm import ARGUMENTS
from gatekit.formats.yaml_document import read_yaml
from gatekit.serving.launch import serve
from gatekit.serving.strip import strip
from tests.shared import shared_snapshot
from tests.worlds.bench import plans
from tests.worlds.vllm import engine

VLLM = ENGINES.by_name[EngineName("vllm")]
MODEL = "example/glow"

# What recipes for other versions say, and this version does not know: a part of its complaint.
OTHER_VERSIONS = ("use_fp4_indexer_cache", "--moe-backend: invalid choice")
# Arguments that a recipe may set because older versions have them.
OLDER = {
    "cuda-graph-sizes",
    "disable-log-requests",
    "kv-cache-memory",
    "max-long-partial-prefills",
    "max-num-partial-prefills",
    "swap-space",
}


def command_line(content: object) -> tuple[str, ...]:
    """What follows `vllm serve` for the role of a merged recipe that generates."""
    found = roles(strip(content).content)
    served = serve(generating(found), found, VLLM)
    launch = replace(plans.LAUNCH, engine=EngineName("vllm"), model=MODEL, args=served.args, env=served.env)
    return tuple(word.replace("{port}", "8000") for word in VLLM.argv(launch))


def real_command_lines(folder: str) -> Iterator[tuple[str, ...]]:
    """Of every variant of every real recipe that vLLM serves."""
    for path, data in shared_snapshot(folder).files.items():
        try:
            content = read_yaml(path, data).data if path.endswith((".yaml", ".yml")) else None
        except BadInput:
            continue
        if not isinstance(content, dict) or not {"base", "roles", "backend", "decode"} & content.keys():
            continue
        for merged in [each.content() for each in variants(content, None)] if is_bundle(content) else [content]:
            named = engine_named(merged) or ("vllm" if "decode" in merged else "")  # llm-d serves with vLLM only
            if ENGINES.by_framework.get(named) is VLLM:
                yield command_line(merged)


def test_every_real_recipe_is_taken_or_made_for_another_version(
    record_property: Callable[[str, object], None],
) -> None:
    lines = sorted(
        {line for folder in ("data/inferencex", "data/inferencex-later") for line in real_command_lines(folder)}
    )
    said = engine.parsed(lines).refused
    refused = [reason for reason in said if reason is not None]
    assert [reason for reason in refused if not any(part in reason for part in OTHER_VERSIONS)] == []
    assert [part for part in OTHER_VERSIONS if not any(part in reason for reason in refused)] == []
    assert len(lines) - len(refused) > 100
    record_property(
        "said",
        f"{len(lines)} command lines: {len(lines) - len(refused)} are taken, {len(refused)} have a value that only "
        "another version knows",
    )


SPECULATIVE = {"method": "mtp", "num_speculative_tokens": 3}
TAKEN: list[dict[str, object]] = [
    {"speculative-config": SPECULATIVE, "max_num_seqs": 64, "block-size": None},
    {"speculative-config": '{"method":"mtp", "num_speculative_tokens":3}', "enable-expert-parallel": True},
    {"numa-bind": True, "numa-bind-nodes": [0, 1], "no-enable-prefix-caching": True},
    {"served-model-name": "a b", "kv-cache-dtype": "fp8", "gpu-memory-utilization": 0.9},
    {"tool-call-parser": "hermes", "enable-auto-tool-choice": True, "enable-prefix-caching": False},
    {"attention-config": {"backend": "FLASHINFER_MLA"}, "compilation-config": {"mode": 3}},
]
REFUSED: list[tuple[dict[str, object], str]] = [
    ({"enable-auto-tool-choice": True}, "requires --tool-call-parser"),
    ({"max-model-length": 64}, "unrecognized arguments: --max-model-length"),
    ({"tensor-parallel-size": "two"}, "--tensor-parallel-size"),
]


def test_each_kind_of_argument_is_taken_in_our_spelling() -> None:
    """Mappings, lists, switches, negations, numbers; and what vLLM would not take is refused here as well."""
    recipes = [*TAKEN, *(args for args, _ in REFUSED)]
    roles = ({"nodes": 1, "workers": 1, "gpus": 1, "args": args} for args in recipes)
    lines = [command_line({"schema": 2, "engine": "vllm", "roles": {"agg": role}}) for role in roles]
    said = engine.parsed(lines).refused
    assert said[: len(TAKEN)] == (None,) * len(TAKEN)
    complaints = said[len(TAKEN) :]
    assert [part for (_, part), reason in zip(REFUSED, complaints, strict=True) if part not in (reason or "")] == []


def test_the_model_stands_where_vllm_wants_it() -> None:
    """Right behind `serve`: an operator's own options cannot stand between, where a recipe names the served model."""
    role = {"nodes": 1, "workers": 1, "gpus": 1, "args": {"served-model-name": "tiny"}}
    line = command_line({"schema": 2, "engine": "vllm", "roles": {"agg": role}})
    said = engine.parsed([line, ("--enforce-eager", *line), (*line, "--enforce-eager")]).refused
    assert [reason is None for reason in said] == [True, False, True]
    assert "first positional argument" in (said[1] or "")


def test_every_argument_that_a_recipe_may_set_is_one_of_vllms() -> None:
    options = engine.parsed([]).options
    named = {*ARGUMENTS.allowed, *ARGUMENTS.values, *ARGUMENTS.nested, *ARGUMENTS.models}
    assert {name for name in named if f"--{name}" not in options} == OLDER
