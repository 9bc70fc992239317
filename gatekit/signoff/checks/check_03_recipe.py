"""Check 3: the production recipe is linked (3a), merged or published (3b), of this model, and set up alike (3c)."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from gatekit.domain.errors import Unknown
from gatekit.engines.registry import ENGINES
from gatekit.signoff.change.change import Change
from gatekit.signoff.change.configs import Config
from gatekit.signoff.change.knobs import Knob, script_knobs
from gatekit.signoff.checks.check import CONDITIONAL, Check, CheckFinding, Evidence, Outcome, known, worst
from gatekit.signoff.checks.facts import Facts
from gatekit.signoff.evidence.upstream import (
    LinkKind,
    RecipeLink,
    Upstream,
    UpstreamPage,
    UpstreamPull,
    recipe_links,
    strays,
)

_SHORT: Mapping[str, str] = MappingProxyType(
    {
        "tp": "tensor_parallel_size",
        "tp_size": "tensor_parallel_size",
        "pp_size": "pipeline_parallel_size",
        "dp": "data_parallel_size",
        "dp_size": "data_parallel_size",
        "ep": "expert_parallel_size",
        "ep_size": "expert_parallel_size",
        "speculative_algo": "speculative_algorithm",
        "moe_backend": "moe_runner_backend",
    }
)
_MAJOR = frozenset(
    {
        *("tensor_parallel_size", "pipeline_parallel_size", "data_parallel_size", "expert_parallel_size"),
        *("enable_expert_parallel", "enable_dp_attention", "quantization", "kv_cache_dtype", "dtype"),
        *("attention_backend", "moe_runner_backend", "moe_a2a_backend", "all2all_backend", "linear_backend"),
        *("enable_flashinfer_allreduce_fusion", "fuse_allreduce_rms", "enable_chunked_prefill"),
        *("chunked_prefill_size", "max_num_batched_tokens", "enable_prefix_caching", "disable_radix_cache"),
        *("cuda_graph_max_bs", "disable_cuda_graph", "enforce_eager", "async_scheduling", "page_size", "block_size"),
        *("speculative_algorithm", "speculative_num_steps", "speculative_num_draft_tokens", "speculative_eagle_topk"),
        *("disaggregation_mode", "kv_transfer_config", "enable_deepseek_v4_fp4_indexer"),
    }
)
_OF_DRAFTS = frozenset({"method", "num_speculative_tokens"})  # inside a JSON of speculation
_MODEL_END = re.compile(r"[-_](?:fp8|nvfp4|mxfp4|fp4|bf16|int4|int8|awq|gptq|preview)\b.*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ComparedKnobs:
    same: tuple[tuple[str, str], ...]  # name and value
    here: tuple[tuple[str, str], ...]  # only in the benchmark
    there: tuple[tuple[str, str], ...]  # only in the recipe


def compare(ours: Iterable[Knob], text: str) -> ComparedKnobs:
    """The settings that matter in production, here and in the text of a recipe, each with its value."""
    numbered = enumerate(text.replace("\\\n", " ").splitlines(), 1)
    mine, theirs = _major(ours), _major(knob for _, knob in script_knobs(numbered))
    return ComparedKnobs(tuple(sorted(mine & theirs)), tuple(sorted(mine - theirs)), tuple(sorted(theirs - mine)))


def speaks_of(model: str, text: str) -> bool:
    """Whether a text names the model: its last name without its precision, whatever stands between the letters."""
    last = model.rstrip("/").rsplit("/", 1)[-1]
    name = _letters(_MODEL_END.sub("", last) or last)
    return bool(name) and name in _letters(text)


def _letters(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", text.lower())


def _major(knobs: Iterable[Knob]) -> frozenset[tuple[str, str]]:
    found = set()
    for knob in knobs:
        name = _SHORT.get(knob.name.casefold(), knob.name.casefold())
        if name in _MAJOR or (name in _OF_DRAFTS and "speculative" in knob.place):
            found.add((name, knob.value.strip("'\"").casefold()))
    return frozenset(found)


_LABELS = " or ".join(ENGINES.by_name[name].label for name in ENGINES.open)
_FOUND = 200
SHOWN = 6  # differences in one sentence


def decide(facts: Facts) -> CheckFinding:
    linked = recipe_links(facts.sign_off.body.text)
    if isinstance(facts.change, Unknown) and not linked:
        said = f"3a: no recipe is linked; look whether serving of {_LABELS} is changed ({facts.change.why})"
        return CheckFinding(Outcome.UNDECIDED, said)
    change = known(facts.change)
    setups = [each.config for each in change.affected if each.config.engine in ENGINES.open]
    if not setups:
        return CheckFinding(Outcome.NOT_APPLICABLE, f"no serving setup of {_LABELS} is changed or run again")
    if not linked:
        other = strays(facts.sign_off.body.text)
        more = f"; {other[0]} is no pull request" if other else ""
        return CheckFinding(Outcome.FAIL, f"3a: no recipe is linked: a merged pull request, or a published page{more}")
    good, bad = _sorted(linked, facts)
    if not good:
        open_ones = tuple(each for each in bad if each.outcome is Outcome.UNDECIDED)
        return worst(open_ones or bad, "")
    texts = {link: text for link, text in good}
    return _held(setups, texts, change, bad)


def _sorted(
    linked: Sequence[RecipeLink], facts: Facts
) -> tuple[list[tuple[RecipeLink, str]], tuple[CheckFinding, ...]]:
    """The links that stand, with the text behind them; and why each other one does not."""
    good: list[tuple[RecipeLink, str]] = []
    bad: list[CheckFinding] = []
    for link in linked:
        upstream = facts.linked.get(link.url, Unknown("nobody asked for it"))
        evidence = (Evidence(link.url, f"line {link.line} of the sign-off", _state(upstream)),)
        if isinstance(upstream, Unknown):
            said = f"3b: look whether {link.url} is merged or published ({upstream.why})"
            bad.append(CheckFinding(Outcome.UNDECIDED, said, evidence))
        elif _stands(upstream):
            good.append((link, _text(upstream)))
        else:
            bad.append(CheckFinding(Outcome.FAIL, f"3b: {link.url} is {_state(upstream)}", evidence))
    if good and all(link.kind is LinkKind.ARCHIVED for link, _ in good):
        said = "3b: a recipe in an archived repository needs the link of its published page too"
        bad.append(CheckFinding(Outcome.FAIL, said, tuple(Evidence(link.url) for link, _ in good)))
        return [], tuple(bad)
    return good, tuple(bad)


def _stands(upstream: Upstream) -> bool:
    return upstream.merged if isinstance(upstream, UpstreamPull) else upstream.status == _FOUND


def _state(upstream: Upstream | Unknown) -> str:
    match upstream:
        case UpstreamPull(merged=merged, state=state):
            return "merged" if merged else f"{state}, and not merged"
        case UpstreamPage(status=status):
            return "published" if status == _FOUND else f"not there (HTTP {status})"
        case Unknown(why=why):
            return why


def _text(upstream: Upstream) -> str:
    return "\n".join((*upstream.files, upstream.text)) if isinstance(upstream, UpstreamPull) else upstream.text


def _held(
    setups: Sequence[Config], texts: dict[RecipeLink, str], change: Change, bad: tuple[CheckFinding, ...]
) -> CheckFinding:
    """Every setup against the recipes of its model. Links that do not stand beside one that does are evidence only."""
    evidence = tuple(Evidence(link.url, f"line {link.line} of the sign-off", "stands") for link in texts)
    findings = []
    for config in setups:
        own = [(link, text) for link, text in texts.items() if speaks_of(config.model, text)]
        if own:
            findings.append(_compared(config, own, change))
        else:
            said = f"3b: no linked recipe is for {config.model}, which {config.key} serves"
            findings.append(CheckFinding(Outcome.FAIL, said, evidence))
    found = worst(tuple(findings), "a recipe of the model is linked, stands upstream, and is set up alike")
    return CheckFinding(
        found.outcome, found.reason, (*evidence, *found.evidence, *(e for each in bad for e in each.evidence))
    )


def _compared(config: Config, own: Sequence[tuple[RecipeLink, str]], change: Change) -> CheckFinding:
    """3c: equal settings pass; a difference may be a default, so it is for a person."""
    effective = change.effective[config.key]
    if effective.unread:
        return CheckFinding(
            Outcome.UNDECIDED, f"3c: {effective.unread[0]}; compare {config.key} with the recipe yourself"
        )
    best = max(
        (compare([setting.knob for setting in effective.settings], text) for _, text in own),
        key=lambda each: (len(each.same), -len(each.here) - len(each.there)),
    )
    evidence = (
        *(Evidence(f"{config.key}: {name}", None, value, value) for name, value in best.same),
        *(Evidence(f"{config.key}: {name}", None, value, None) for name, value in best.here),
        *(Evidence(f"{config.key}: {name}", None, None, value) for name, value in best.there),
    )
    if best.same and not best.here and not best.there:
        return CheckFinding(Outcome.PASS, "", evidence)
    differing = list(dict.fromkeys(name for name, _ in (*best.here, *best.there)))
    named = ", ".join(differing[:SHOWN]) or "no setting of it is to be found"
    more = f" and {len(differing) - SHOWN} more" if len(differing) > SHOWN else ""
    said = f"3c: compare {config.key} with the recipe: {named}{more}"
    return CheckFinding(Outcome.UNDECIDED, said, evidence)


CHECK = Check(3, "production recipe linked, merged, complete", CONDITIONAL, decide)
