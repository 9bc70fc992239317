"""vLLM: `vllm serve MODEL --flag value …`.

Counters: vllm/v1/spec_decode/metrics.py; they are written about every ten seconds, so the last answers come late.
"""

from collections.abc import Collection, Mapping
from dataclasses import replace

from gatekit.bench.recipes.roles import Role, json_mapping
from gatekit.domain.gates import EngineName, Launch, Reason
from gatekit.domain.unusable import Unusable
from gatekit.engines.argv import compact, plain_name, words
from gatekit.engines.counters import Counters, SeriesNames
from gatekit.engines.protocol import Args, Files, Speculation, names
from gatekit.engines.vllm_arguments import ARGUMENTS

SPECULATIVE = "speculative-config"
ADAPTIVE = "enable_adaptive_verification"
TOKENS = "num_speculative_tokens"


class Vllm:
    name = EngineName.VLLM
    health = "/health"
    metrics = "/metrics"
    counters: Counters = SeriesNames(
        drafts="vllm:spec_decode_num_drafts",
        accepted="vllm:spec_decode_num_accepted_tokens",
        draft_tokens="vllm:spec_decode_num_draft_tokens",
        per_position="vllm:spec_decode_num_accepted_tokens_per_pos",
        generated="vllm:generation_tokens",
    )
    settle_seconds = 12.0
    slice_seconds = 10.0
    arguments = ARGUMENTS
    deployment = names("""
        tensor-parallel-size pipeline-parallel-size data-parallel-size decode-context-parallel-size
        prefill-context-parallel-size enable-expert-parallel kv-cache-dtype quantization dtype""")
    drafting = frozenset({SPECULATIVE})
    foreign: tuple[str, ...] = ("dyn-",)
    adaptive: tuple[str, str] | None = (SPECULATIVE, ADAPTIVE)

    def speculation(self, role: Role) -> Speculation | None:
        found = _speculative(role)
        if found is None:
            return None
        at, config = found
        method, k, model = config.get("method"), config.get(TOKENS), config.get("model")
        if not config or k == 0:
            return None
        if k is None:
            raise Unusable(Reason.RECIPE_INVALID, f"{at} does not say how many tokens are drafted: set {TOKENS}")
        if isinstance(k, bool) or not isinstance(k, int) or k < 0:
            raise Unusable(Reason.RECIPE_INVALID, f"{at}: {TOKENS} is {k!r}; give a whole number")
        if not isinstance(method, str) or not method:
            raise Unusable(Reason.RECIPE_INVALID, f"{at} names no method; the golden curve is chosen by it")
        if not isinstance(model, str | None):
            raise Unusable(Reason.RECIPE_INVALID, f"{at}: model is {model!r}; give the draft model's name")
        return Speculation(method.lower(), k, model, _text(config, "draft_sample_method", at))

    def verifying_all(self, role: Role) -> Role:
        found = _speculative(role)
        return role if found is None or not found[1].get(ADAPTIVE) else _changed(role, found[1], ADAPTIVE, False)

    def with_k(self, role: Role, k: int) -> Role:
        found = _speculative(role)
        if found is None:
            raise Unusable(Reason.NOT_DRAFTING, f"{role.args_at} has no {SPECULATIVE}: it drafts nothing")
        return _changed(role, found[1], TOKENS, k)

    def model_of(self, role: Role) -> str | None:
        return _text(role.args, "model", role.args_at)

    def argv(self, launch: Launch) -> tuple[str, ...]:
        return (launch.model, *words(launch.args), "--host", "127.0.0.1", "--port", "{port}")

    def files(self, launch: Launch) -> Files:
        return ()

    def served_name(self, launch: Launch) -> str:
        names = [value for name, value in launch.args if name == "served-model-name"]
        return str(names[0]) if names else launch.model

    def models(self, args: Args) -> Collection[tuple[str, str]]:
        configs = (json_mapping(value) or {} for name, value in args if name == SPECULATIVE)
        return [(f"{SPECULATIVE}.model", str(config["model"])) for config in configs if config.get("model") is not None]


def _speculative(role: Role) -> tuple[str, Mapping[str, object]] | None:
    for name, value in role.args.items():
        if plain_name(name).startswith(f"{SPECULATIVE}."):
            whole = f"write {SPECULATIVE} as one mapping"
            raise Unusable(Reason.RECIPE_INVALID, f"{role.args_at}.{name} sets a part of it: {whole}")
        if plain_name(name) == SPECULATIVE and value is not None:
            config = json_mapping(value)
            if config is None:
                raise Unusable(Reason.RECIPE_INVALID, f"{role.args_at}.{name} is neither a mapping nor a JSON object")
            return f"{role.args_at}.{name}", config
    return None


def _changed(role: Role, config: Mapping[str, object], setting: str, value: int) -> Role:
    whole = compact({**config, setting: value})
    args = {name: whole if plain_name(name) == SPECULATIVE else given for name, given in role.args.items()}
    return replace(role, args=args)


def _text(of: Mapping[str, object], key: str, at: str) -> str | None:
    value = of.get(key)
    if value is not None and not isinstance(value, str):
        raise Unusable(Reason.RECIPE_INVALID, f"{at}: {key} is {value!r}; give a text")
    return value
