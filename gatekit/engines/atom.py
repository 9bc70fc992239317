"""ROCm's ATOM: `python -m atom.entrypoints.openai_server --model MODEL --flag value …`.

Flags: atom/model_engine/arg_utils.py; `--port` is the engine's inner one. Counters:
atom/entrypoints/openai/metrics.py, a snapshot that the engine pushes now and then. The gauge
`atom:mtp_average_tokens_per_forward` is an average since the start, which cannot be differenced, and is not read.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import replace
from types import MappingProxyType

from gatekit.bench.recipes.roles import Role, json_mapping
from gatekit.bench.recipes.shelf import Parallelism
from gatekit.domain.gates import ArgValue, EngineName, Launch, Reason, Unusable
from gatekit.domain.verdict import Unmeasured
from gatekit.engines.counters import Counters, Counts, Gains, Unread, by_position
from gatekit.engines.engine import Args, Arguments, Files, Speculation, compact, names, plain_name, words
from gatekit.engines.forced_acceptance import Asked, Forcing
from gatekit.engines.traits import Footprint, OpenEngine, Variables

_WORD = re.compile(r"[\w.-]+", re.ASCII)
_SIZES = re.compile(r"\[[0-9, ]*\]", re.ASCII)
_OFFLOAD = re.compile(r'\[\{"kv_connector":"lmcache_offload","kv_role":"offload"\}\]')

_SWITCHES_AND_SIZES = """
attn-prefill-chunk-size block-size cache-hit-rate-window data-parallel-size data-parallel-size-local
decode-context-parallel-size enable-chunked-prefill enable-dp-attention enable-eplb enable-expert-parallel
enable-log-stats enable-prefix-caching enable-tbo enforce-eager eplb-enable gpu-memory-utilization level
long-prefill-token-threshold max-model-len max-num-batched-tokens max-num-seqs num-speculative-tokens
pipeline-parallel-size prefill-context-parallel-size scheduler-delay-factor served-model-name state-checkpoint-demand
state-checkpoint-interval-tokens tensor-parallel-size throughput-log-interval timeout-keep-alive trust-remote-code
"""
_WORDS = """
all2all-backend cudagraph-mode dp-load-balance index-cache-dtype kv-cache-dtype method moe-backend reasoning-parser
tool-call-parser
"""

ARGUMENTS = Arguments(
    allowed=names(_SWITCHES_AND_SIZES),
    values={
        **dict.fromkeys(names(_WORDS), _WORD),
        "cudagraph-capture-sizes": _SIZES,
        "extra-kv-connectors": _OFFLOAD,
    },
    nested={
        "dcp-config": names("interleave_size replicate_index_cache"),
        "default-chat-template-kwargs": names("thinking_mode enable_thinking thinking reasoning_effort"),
        "dspark-config": names("confidence_schedule confidence_threshold min_tokens max_tokens"),
        "eplb-config": names("load_window_size rebalance_interval num_redundant_experts"),
        "kv-transfer-config": names("kv_connector kv_role protocol"),
        "online-quant-config": names("global_quant_config exclude_layer layer_quant_config"),
    },
    models=frozenset({"draft-model"}),
    as_json=(list,),
)


METHOD, TOKENS, DRAFT_MODEL, DSPARK_CONFIG = "method", "num-speculative-tokens", "draft-model", "dspark-config"
DSPARK, ADAPTIVE = "dspark", "confidence_schedule"

# Flags that every build knows by this spelling, and older ones by no other.
_UNDERSCORED = frozenset({"kv-cache-dtype", "enable-prefix-caching", "online-quant-config"})
_ON_BY_DEFAULT = frozenset({"enable-prefix-caching"})


class AtomCounters:
    """Steps by the number of draft tokens that they accepted: drafts = Σ steps, accepted = Σ j·steps(j)."""

    prefix = "atom:"
    steps, accepted, draft_tokens = "atom:mtp_decode_steps", "atom:mtp_accepted_tokens", "atom:mtp_draft_tokens"
    generated = "atom:generation_tokens"
    families = (steps, accepted, draft_tokens, generated)
    growing = frozenset(families)  # nothing is there before the first snapshot
    at_request_end = False

    def read(self, gains: Gains, k: int | None) -> Counts:
        by_accepted = gains.by(self.steps, "accepted_tokens")
        if by_accepted is None:
            raise Unread(
                Unmeasured.COUNTERS_MISSING,
                f"{gains.worker} has no counter {self.steps}: use an ATOM that counts its steps by accepted tokens, "
                "with speculation on; its average since the start cannot be differenced.",
            )
        accepted = sum(count * steps for count, steps in by_accepted.items())
        total = gains.optional(self.accepted)
        if total is not None and total != accepted:
            problem = f"steps by accepted tokens add up to {accepted:,}, the accepted tokens are {total:,}"
            raise Unread(Unmeasured.POSITIONS_DISAGREE, f"The engine's counters contradict each other: {problem}.")
        deeper = {
            position: sum(steps for count, steps in by_accepted.items() if count > position)
            for position in range(max(by_accepted, default=0))
        }
        tokens, generated = gains.optional(self.draft_tokens), gains.optional(self.generated)
        return Counts(sum(by_accepted.values()), accepted, tokens, by_position(deeper), generated)


class Atom:
    name = EngineName("atom")
    label = "ATOM"
    frameworks: tuple[str, ...] = ("atom", "atom-disagg")
    exempt: frozenset[str] = frozenset()
    unseen: str | None = (
        "Whether it takes the flags in the spelling that a gate gives them, and how late its counters are, is not "
        "known."
    )
    health = "/health"
    metrics = "/metrics"
    counters: Counters = AtomCounters()
    settle_seconds = 12.0
    slice_seconds = 5.0
    arguments = ARGUMENTS
    deployment = names("""
        tensor-parallel-size pipeline-parallel-size data-parallel-size decode-context-parallel-size
        prefill-context-parallel-size enable-expert-parallel enable-dp-attention kv-cache-dtype index-cache-dtype
        online-quant-config""")
    drafting = frozenset({METHOD, TOKENS, DRAFT_MODEL, DSPARK_CONFIG})
    foreign: tuple[str, ...] = ("host", "port", "server-port")
    adaptive: tuple[str, str] | None = (DSPARK_CONFIG, ADAPTIVE)
    forcing = Forcing(
        names=("spec_decode_acceptance",),
        lengths={"acceptance_length": Asked.LENGTH, "acceptance_rate": Asked.RATE},
    )
    sizes: Mapping[str, tuple[str, ...]] = MappingProxyType(
        {
            "tp": ("tensor-parallel-size",),
            "pp": ("pipeline-parallel-size",),
            "dp": ("data-parallel-size",),
            "dcp": ("decode-context-parallel-size",),
            "ep": ("enable-expert-parallel",),
        }
    )
    parallelism = Parallelism(experts=("enable-expert-parallel",), attention_data=("enable-dp-attention",))
    variables = Variables()
    footprint = Footprint(packages=("atom",))
    open: OpenEngine | None = None

    def speculation(self, role: Role) -> Speculation | None:
        args = {plain_name(name): value for name, value in role.args.items() if value is not None}
        method, k, model, at = args.get(METHOD), args.get(TOKENS), args.get(DRAFT_MODEL), role.args_at
        if method is None:
            return None
        if k is None:
            raise Unusable(Reason.RECIPE_INVALID, f"{at} does not say how many tokens are drafted: set {TOKENS}")
        if isinstance(k, bool) or not isinstance(k, int) or k < 1:
            raise Unusable(Reason.RECIPE_INVALID, f"{at}.{TOKENS} is {k!r}: give a whole number above 0")
        name = str(method).lower()
        return Speculation(name, k, None if model is None else str(model), "probabilistic" if name == DSPARK else None)

    def verifying_all(self, role: Role) -> Role:
        for name, value in role.args.items():
            config = json_mapping(value) if plain_name(name) == DSPARK_CONFIG else None
            if config is not None and config.get(ADAPTIVE):
                return replace(role, args={**role.args, name: compact({**config, ADAPTIVE: False})})
        return role

    def with_k(self, role: Role, k: int) -> Role:
        if self.speculation(role) is None:
            raise Unusable(Reason.NOT_DRAFTING, f"{role.args_at} has no {METHOD}: it drafts nothing")
        kept = {name: value for name, value in role.args.items() if plain_name(name) != TOKENS}
        return replace(role, args={**kept, TOKENS: k})

    def model_of(self, role: Role) -> str | None:
        return next((str(value) for name, value in role.args.items() if name == "model"), None)

    def argv(self, launch: Launch) -> tuple[str, ...]:
        given = words(tuple(_spelled(name, value) for name, value in launch.args))
        return ("--model", launch.model, *given, "--host", "127.0.0.1", "--server-port", "{port}")

    def files(self, launch: Launch) -> Files:
        return ()

    def served_name(self, launch: Launch) -> str:
        found = [value for name, value in launch.args if name == "served-model-name"]
        return str(found[0]) if found else launch.model

    def models(self, args: Args) -> Collection[tuple[str, str]]:
        return [(name, str(value)) for name, value in args if name == DRAFT_MODEL]


def _spelled(name: str, value: ArgValue) -> tuple[str, ArgValue]:
    written = name.replace("-", "_") if name in _UNDERSCORED else name
    return (f"no-{written}", True) if value is False and name in _ON_BY_DEFAULT else (written, value)
