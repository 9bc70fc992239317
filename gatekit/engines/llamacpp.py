"""llama.cpp's `llama-server`.

Flags: common/arg.cpp, where older builds say `--draft-max` and newer ones `--spec-draft-n-max`. Counters:
tools/server/server-task.cpp; they move when a request ends.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import replace
from types import MappingProxyType

from gatekit.bench.recipes.roles import Role
from gatekit.bench.recipes.shelf import Parallelism
from gatekit.domain.gates import EngineName, Launch, Reason, Unusable
from gatekit.engines.counters import Counters, SeriesNames
from gatekit.engines.engine import Args, Arguments, Files, Speculation, names, plain_name, words
from gatekit.engines.forced_acceptance import Asked, Forcing
from gatekit.engines.traits import Footprint, OpenEngine, Variables

DRAFT_MODEL = ("model-draft", "spec-draft-model", "md")
DRAFT_TOKENS = ("spec-draft-n-max", "draft-max", "draft-n", "draft")
# What `--spec-type` names → the method of a golden curve. Without it, a draft model means the simple kind.
METHODS = MappingProxyType(
    {"draft-simple": "draft", "draft-mtp": "mtp", "draft-eagle3": "eagle3", "draft-dflash": "dflash"}
)

_WORD = re.compile(r"[\w.,-]+", re.ASCII)
_SWITCHES_AND_SIZES = """
batch-size cache-prompt cache-ram cache-reuse cont-batching context-shift cpu-moe ctx-checkpoints ctx-size
ctx-size-draft draft draft-max draft-min draft-n draft-n-min draft-p-min fit fit-ctx gpu-layers gpu-layers-draft jinja
kv-offload kv-unified main-gpu metrics mlock mmap n-cpu-moe n-gpu-layers n-gpu-layers-draft n-predict no-cache-prompt
no-cont-batching no-context-shift no-jinja no-kv-offload no-kv-unified no-mmap no-op-offload no-perf no-repack no-slots
no-ui no-warmup no-webui op-offload parallel perf poll predict repack seed slots spec-draft-n-max spec-draft-n-min
spec-draft-ngl spec-draft-p-min spec-draft-p-split spec-draft-threads spec-draft-threads-batch swa-full threads
threads-batch threads-batch-draft threads-draft threads-http timeout ubatch-size warmup
"""
_WORDS = """
alias cache-type-k cache-type-k-draft cache-type-v cache-type-v-draft chat-template device device-draft flash-attn
load-mode log-verbosity numa reasoning-budget reasoning-format spec-draft-device spec-draft-sampling
spec-draft-type-k spec-draft-type-v spec-type split-mode tensor-split
"""


class LlamaCpp:
    name = EngineName("llamacpp")
    label = "llama.cpp"
    frameworks: tuple[str, ...] = ("llamacpp", "llama.cpp")
    exempt: frozenset[str] = frozenset()
    unseen: str | None = None
    health = "/health"
    metrics = "/metrics"
    counters: Counters = SeriesNames(
        drafts="llamacpp:spec_decode_num_drafts",
        accepted="llamacpp:spec_decode_num_accepted_tokens",
        draft_tokens="llamacpp:spec_decode_num_draft_tokens",
        per_position="llamacpp:spec_decode_num_accepted_tokens_per_pos",
        generated="llamacpp:tokens_predicted",
        at_request_end=True,
    )
    settle_seconds = 1.0
    slice_seconds = 0.2
    arguments = Arguments(
        allowed=names(_SWITCHES_AND_SIZES),
        values=dict.fromkeys(names(_WORDS), _WORD),  # also keeps a chat template to the names of built-in ones
        nested={},
        models=frozenset(DRAFT_MODEL),
        served="alias",
    )
    deployment = names("cache-type-k cache-type-v flash-attn split-mode tensor-split")
    drafting = frozenset({*DRAFT_MODEL, *DRAFT_TOKENS}) | names("spec-type spec-draft-sampling spec-draft-p-min")
    foreign: tuple[str, ...] = ()
    adaptive: tuple[str, str] | None = None
    forcing = Forcing(
        names=("spec_synth", "synth_len"),
        lengths={"synth_len": Asked.LENGTH, "_rates": Asked.RATES},
        unset=("LLAMA_ARG_SPEC_SYNTH_LEN", "LLAMA_ARG_SPEC_SYNTH_RATES"),
    )
    sizes: Mapping[str, tuple[str, ...]] = MappingProxyType({})
    parallelism = Parallelism()
    variables = Variables(refused=("LLAMA_",))
    footprint = Footprint()
    open: OpenEngine | None = None

    def speculation(self, role: Role) -> Speculation | None:
        args = {plain_name(name): value for name, value in role.args.items() if value is not None}
        draft = next((args[name] for name in DRAFT_MODEL if name in args), None)
        kind = args.get("spec-type", None if draft is None else "draft-simple")
        if kind is None or kind == "none":
            return None
        method = METHODS.get(str(kind))
        if method is None:
            known = ", ".join(METHODS)
            raise Unusable(Reason.RECIPE_UNREADABLE, f"{role.args_at}.spec-type is {kind!r}: known are {known}")
        return Speculation(
            method=method,
            k=_draft_tokens(args, role.args_at),
            draft_model=None if draft is None else str(draft),
            draft_sample_method=str(args["spec-draft-sampling"]) if "spec-draft-sampling" in args else None,
        )

    def verifying_all(self, role: Role) -> Role:
        return role  # it verifies every draft token

    def with_k(self, role: Role, k: int) -> Role:
        named = [name for name in role.args if plain_name(name) in DRAFT_TOKENS] or [DRAFT_TOKENS[0]]
        return replace(role, args={**role.args, **dict.fromkeys(named, k)})

    def model_of(self, role: Role) -> str | None:
        named = next((value for name, value in role.args.items() if name in ("model", "m")), None)
        return None if named is None else str(named)

    def argv(self, launch: Launch) -> tuple[str, ...]:
        given = tuple((name, value) for name, value in launch.args if name != "metrics")
        return ("--model", launch.model, *words(given), "--metrics", "--host", "127.0.0.1", "--port", "{port}")

    def files(self, launch: Launch) -> Files:
        return ()

    def served_name(self, launch: Launch) -> str:
        names = [value for name, value in launch.args if name == "alias"]
        return str(names[0]) if names else launch.model

    def models(self, args: Args) -> Collection[tuple[str, str]]:
        return [(name, str(value)) for name, value in args if name in DRAFT_MODEL]


def _draft_tokens(args: dict[str, object], at: str) -> int:
    given = {name: args[name] for name in DRAFT_TOKENS if name in args}
    if not given:
        raise Unusable(Reason.RECIPE_INVALID, f"{at} does not say how many tokens are drafted: set {DRAFT_TOKENS[0]}")
    if len(given) > 1:
        raise Unusable(
            Reason.RECIPE_INVALID, f"{at} says twice how many tokens are drafted: keep one of {', '.join(given)}"
        )
    ((name, k),) = given.items()
    if isinstance(k, bool) or not isinstance(k, int) or k < 1:
        raise Unusable(Reason.RECIPE_INVALID, f"{at}.{name} is {k!r}: give a whole number above 0")
    return k
