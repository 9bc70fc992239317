"""Whatever forces acceptance, wherever it stands in a recipe of any engine: none is left, and drafting stays."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from gatekit.bench.recipes.roles import generating, roles
from gatekit.bench.recipes.variants import is_bundle, variants
from gatekit.domain.gates import EngineName, Gate, Reason, Unusable
from gatekit.engines.registry import ENGINES
from gatekit.plan.plan import PlanSources, plan_keys
from gatekit.serving.strip import Stripped, strip
from tests.worlds.bench.small_bench import CURVE, bench, config, curves, row, sources

# How each engine's recipe says that it drafts three tokens.
DRAFTS: dict[EngineName, dict[str, Any]] = {
    EngineName("vllm"): {"speculative-config": {"method": "mtp", "num_speculative_tokens": 3}},
    EngineName("sglang"): {"speculative-algorithm": "NEXTN", "speculative-num-steps": 3, "speculative-eagle-topk": 1},
    EngineName("trtllm"): {"speculative_config": {"decoding_type": "MTP", "max_draft_len": 3}},
    EngineName("atom"): {"method": "mtp", "num-speculative-tokens": 3},
    EngineName("llamacpp"): {"model-draft": "example/draft.gguf", "draft-max": 3},
    EngineName("tilert"): {"with-mtp": True, "num-mtp": 3},
}
CURVES = {**curves(), **curves(CURVE.replace("mtp", "draft"), "glow_draft")}

ENVIRONMENT = ("SGLANG_SIMULATE_ACC_LEN", "TLLM_SPEC_DECODE_FORCE_NUM_ACCEPTED_TOKENS", "TILERT_SIMULATE_ACC_LEN",
               "SYNTHETIC_ACCEPTANCE_LENGTH", "LLAMA_ARG_SPEC_SYNTH_LEN", "SGLANG_SIMULATE_ACC_METHOD")  # fmt: skip
FLAGS = ("spec-decode-acceptance-length", "spec-decode-acceptance-rate", "spec-synth-len", "spec-synth-rates")
SETTINGS = ("synthetic_acceptance_length", "synthetic_acceptance_rates")


@dataclass(frozen=True)
class Knob:
    name: str
    value: str | float

    @property
    def pair(self) -> str:
        return f"{self.name}={self.value}"


Recipe = dict[str, Any]


def knobs(names: tuple[str, ...], spelled: Callable[[str], st.SearchStrategy[str]]) -> st.SearchStrategy[Knob]:
    value = st.one_of(st.sampled_from(["2.49", "match-expected", "0.9,0.5"]), st.floats(1, 4))
    return st.builds(Knob, st.sampled_from(names).flatmap(spelled), value)


def either_dash(name: str) -> st.SearchStrategy[str]:
    return st.sampled_from([name, name.replace("-", "_"), name.upper()])


def any_case(name: str) -> st.SearchStrategy[str]:
    return st.sampled_from([name, name.lower()])


VARIABLE, FLAG = knobs(ENVIRONMENT, any_case), knobs(FLAGS, either_dash)
SETTING = knobs(SETTINGS, lambda name: st.sampled_from([name, name.replace("_", "-")]))


def put(recipe: Recipe, *place: str, knob: Knob) -> None:
    for step in place:
        recipe = recipe.setdefault(step, {})
    recipe[knob.name] = knob.value


def engine_environment(recipe: Recipe, draw: st.DrawFn) -> None:
    """Where the older recipes have it; `older` moves the roles there too."""
    put(recipe, "backend", draw(st.sampled_from(["decode_environment", "prefill_environment"])), knob=draw(VARIABLE))


def whole_environment(recipe: Recipe, draw: st.DrawFn) -> None:
    put(recipe, draw(st.sampled_from(["environment", "env"])), knob=draw(VARIABLE))


def role_environment(recipe: Recipe, draw: st.DrawFn) -> None:
    put(recipe, "roles", draw(st.sampled_from(["decode", "prefill"])), "env", knob=draw(VARIABLE))


def shared_text(recipe: Recipe, draw: st.DrawFn) -> None:
    """One mapping in two places: written, it is an anchor and its alias."""
    shared = {(knob := draw(VARIABLE)).name: knob.value, "KEEP": "1"}
    for role in ("decode", "prefill"):
        recipe["roles"][role]["env"] = shared


def drafting_setting(recipe: Recipe, draw: st.DrawFn) -> None:
    """Beside what the engine drafts with, as a mapping or as JSON in a string."""
    knob = draw(st.one_of(SETTING, st.just(Knob("rejection_sample_method", "synthetic"))))
    args = recipe["roles"]["decode"]["args"]
    name = next((name for name in ("speculative-config", "speculative_config") if name in args), "some-config")
    inside = args.get(name, {"a": 1})
    inside = {**(json.loads(inside) if isinstance(inside, str) else inside), knob.name: knob.value}
    args[name] = json.dumps(inside, indent=draw(st.sampled_from([None, 1]))) if draw(st.booleans()) else inside


def variant(recipe: Recipe, draw: st.DrawFn) -> None:
    """In an override, or in a step of a zip."""
    block = draw(st.sampled_from(["override_one", "zip_override_two"]))
    knob = draw(VARIABLE)
    value = [knob.value, "3"] if block.startswith("zip") else knob.value
    recipe.setdefault(block, {"benchmark": {"env": {"X": ["1", "2"] if block.startswith("zip") else "1"}}})
    recipe[block].setdefault("roles", {}).setdefault("decode", {}).setdefault("env", {})[knob.name] = value


def argument(recipe: Recipe, draw: st.DrawFn) -> None:
    put(recipe, "roles", "decode", "args", knob=draw(FLAG))


def flag_text(recipe: Recipe, draw: st.DrawFn) -> None:
    knob = draw(FLAG)
    sign = draw(st.sampled_from([" ", "="]))
    recipe["frontend"] = {"extra-args": f"--block-size 256 --{knob.name}{sign}{knob.value} --enable-dbo"}


def flag_list(recipe: Recipe, draw: st.DrawFn) -> None:
    knob = draw(FLAG)
    words = [f"--{knob.name}={knob.value}"] if draw(st.booleans()) else [f"--{knob.name}", str(knob.value)]
    recipe["roles"]["prefill"]["extra_args"] = ["--a", "1", *words]


def list_of_variables(recipe: Recipe, draw: st.DrawFn) -> None:
    recipe.setdefault("services", [{"name": "x"}])[0]["env"] = ["A=1", draw(VARIABLE).pair]


def shell(recipe: Recipe, draw: st.DrawFn) -> None:
    """Nobody can take this out without knowing the shell."""
    form = draw(st.sampled_from(["{} bash run.sh", "export {}; bash run.sh", 'python3 -c "x({!r})"']))
    recipe["benchmark"] = {"command": form.format(draw(VARIABLE).pair)}


def late_override(recipe: Recipe, draw: st.DrawFn) -> None:
    """What a launcher would set at the last moment."""
    recipe["launcher"] = {"set": [f"roles.decode.env.{draw(VARIABLE).pair}"]}


def older(recipe: Recipe, engine: EngineName) -> Recipe:
    """The same recipe as it was written before `schema: 2`."""
    found = recipe.pop("roles")
    backend = recipe.setdefault("backend", {})
    backend |= {"type": engine, f"{engine}_config": {name: role["args"] for name, role in found.items()}}
    for name, role in found.items():
        backend[f"{name}_environment"] = {**role.get("env", {}), **backend.get(f"{name}_environment", {})}
        backend[f"{name}_launch"] = {key: value for key, value in role.items() if key not in ("args", "env")}
    return {name: value for name, value in recipe.items() if name not in ("schema", "engine")}


PLACES = (engine_environment, whole_environment, role_environment, shared_text, drafting_setting, variant, argument,
          flag_text, flag_list, list_of_variables, shell, late_override)  # fmt: skip
CLEAN = frozenset(PLACES) - {shell, late_override}  # what is always taken out


@st.composite
def forced_recipes(draw: st.DrawFn) -> tuple[EngineName, Recipe, bool]:
    """An engine, its recipe with knobs in up to three places, and whether all of them can be taken out."""
    engine = draw(st.sampled_from(list(DRAFTS)))
    decode = {"gpus": 8, "args": json.loads(json.dumps(DRAFTS[engine])), "env": {"KEEP": "1"}}
    recipe: Recipe = {"schema": 2, "engine": engine, "roles": {"decode": decode, "prefill": {"args": {}}}}
    places = draw(st.lists(st.sampled_from(PLACES), min_size=1, max_size=3, unique=True))
    for place in sorted(places, key=lambda place: place is variant):
        place(recipe, draw)
    if variant in places:
        blocks = {name: recipe.pop(name) for name in list(recipe) if "override_" in name}
        recipe = {"base": recipe, **blocks}
    elif draw(st.booleans()):
        recipe = older(recipe, engine)
    return engine, recipe, CLEAN.issuperset(places)


def texts(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def stripped_or_refused(content: Recipe) -> Stripped | None:
    try:
        return strip(content)
    except Unusable as no:
        if no.reason is not Reason.RECIPE_UNREADABLE:
            raise
        return None


def check_stripped(engine: EngineName, recipe: Recipe, clean: bool) -> None:
    """Every variant of it: without a trace, drafting as before; or a refusal, where not all could be taken out."""
    merged = [each.content() for each in variants(recipe, None)] if is_bundle(recipe) else [recipe]
    for content in merged:
        before = ENGINES.by_name[engine].speculation(generating(roles(content)))
        stripped = stripped_or_refused(content)
        if stripped is None:
            assert not clean
            continue
        assert ENGINES.forced.trace(texts(stripped.content)) is None
        assert stripped.knobs
        assert ENGINES.by_name[engine].speculation(generating(roles(stripped.content))) == before
        assert before is not None
        assert before.k == 3


def check_gate(gate: Gate) -> None:
    launched = texts([gate.launch.args, gate.launch.env])
    assert ENGINES.forced.trace(launched) is None
    assert (gate.drafting.k, gate.stripped != ()) == (3, True)
    assert set(ENGINES.forced.unset) <= set(gate.launch.unset)


@settings(max_examples=500, deadline=None, derandomize=True, database=None)
@given(forced_recipes())
def test_no_knob_survives_and_drafting_is_unchanged(made: tuple[EngineName, Recipe, bool]) -> None:
    engine, recipe, clean = made
    check_stripped(engine, recipe, clean)
    written = yaml.safe_dump(recipe, sort_keys=False)
    selector = (
        ":" + next(name if name.startswith("override") else f"{name}[0]" for name in list(recipe)[1:])
        if "base" in recipe
        else ""
    )
    one = row("[4]", f"'recipes/a.yaml{selector}'")
    base: PlanSources = sources(bench(config(one, framework=engine), {"a.yaml": written}))
    plan = plan_keys(PlanSources(base.head, base.base, None, base.settings, CURVES), None, None, "node")
    for gate in plan.gates:
        check_gate(gate)
    if engine is EngineName("tilert"):
        assert [point.reason for point in plan.unresolved] == [Reason.EXEMPT_FRAMEWORK]
    elif clean:
        assert plan.unresolved == ()
    else:
        assert {point.reason for point in plan.unresolved} <= {Reason.RECIPE_UNREADABLE}


def test_every_known_knob_is_among_those_that_are_tried() -> None:
    tried = " ".join((*ENVIRONMENT, *FLAGS, *SETTINGS)).lower().replace("-", "_")
    assert [knob for knob in ENGINES.forced.names if knob not in tried] == []
