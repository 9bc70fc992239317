"""Settings that make a draft cheaper, or other, than its checkpoint ships it: one function for each rule."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase

from gatekit.bench.recipes.roles import json_mapping
from gatekit.domain.errors import Unknown
from gatekit.signoff.change.effective import Effective, Setting
from gatekit.signoff.change.knobs import enables
from gatekit.signoff.change.scripts import live_lines
from gatekit.signoff.evidence.stored_draft import StoredDraft, bits

FORBIDDEN = "SGLANG_NVFP4_CKPT_FP8_NEXTN_MOE"
_FORBIDDEN_LINE = re.compile(rf"\b{FORBIDDEN}['\"]?\s*[:=]\s*(?P<value>\"[^\"]*\"|'[^']*'|[^\s;&|,}}]*)")
_CONVERTED = re.compile(r"[-_](?:fp8|nvfp4|mxfp4|fp4|int4|int8|awq|gptq|quant(?:ized)?)\b", re.IGNORECASE)
_DRAFT_PATHS = ("speculative_draft_model_path", "speculative_draft_model", "draft_model", "model_draft")
_NOTHING = ("none", "unquant", "unquantized", "bf16", "fp16")
_SPECULATIVE = "speculative"


@dataclass(frozen=True, slots=True)
class Breach:
    """`certain`: it breaks the rule whatever the checkpoint is; else a person must look."""

    rule: str  # D1 to D11
    said: str
    setting: Setting
    certain: bool


@dataclass(frozen=True, slots=True)
class ConfigFacts:
    """What the rules of one config are held against."""

    stored: StoredDraft | Unknown
    allowed: tuple[str, ...]  # draft models that the page of models agrees to, and the target itself


Rule = Callable[[Effective, ConfigFacts], Iterator[Breach]]


def draft_models(found: Effective) -> tuple[str, ...]:
    """The drafts that a config names; where it names none, the head inside its target."""
    named = (setting.knob.value for setting in _named_drafts(found) if setting.knob.enabled)
    return tuple(dict.fromkeys(named)) or (found.config.model,)


def _named_drafts(found: Effective) -> Iterator[Setting]:
    yield from found.named(*_DRAFT_PATHS)
    yield from (setting for setting in found.named("model") if _SPECULATIVE in setting.knob.place)


def breaches(found: Effective, known: ConfigFacts) -> Iterator[Breach]:
    for rule in RULES:
        yield from rule(found, known)


def forbidden_lines(data: bytes) -> Iterator[int]:
    """The lines of a recipe or a script that switch the forbidden flag on."""
    for number, line in live_lines(data):
        if any(enables(found["value"]) for found in _FORBIDDEN_LINE.finditer(line)):
            yield number


def _forbidden(found: Effective, known: ConfigFacts) -> Iterator[Breach]:
    """D1: the flag that serves the draft's experts in FP8."""
    for setting in found.named(FORBIDDEN):
        if setting.knob.enabled:
            yield Breach("D1", f"{FORBIDDEN} is {setting.knob.value}", setting, not setting.knob.open)


def _quantized(found: Effective, known: ConfigFacts) -> Iterator[Breach]:
    """D2: another precision for the draft's weights, downward or upward."""
    for setting in found.named("speculative_draft_model_quantization"):
        value = setting.knob.value
        said = f"the draft is loaded as {value}"
        if isinstance(known.stored, Unknown):
            yield Breach("D2", f"{said}; look how its checkpoint stores it", setting, certain=False)
            continue
        stored = bits(known.stored.precision)
        wanted = 16 if value.casefold() in _NOTHING else bits(value)
        if stored is None or wanted is None:
            yield Breach("D2", f"{said}, and stored as {known.stored.precision}; look yourself", setting, certain=False)
        elif wanted != stored:
            yield Breach("D2", f"{said}, and stored as {known.stored.precision}", setting, certain=True)


def _per_token(found: Effective, known: ConfigFacts) -> Iterator[Breach]:
    """D3."""
    for setting in found.named("SGLANG_GLM_NEXTN_MOE_PTPC"):
        if setting.knob.enabled:
            yield Breach("D3", f"{setting.knob.name} is {setting.knob.value}", setting, not setting.knob.open)


def _online(found: Effective, known: ConfigFacts) -> Iterator[Breach]:
    """D4: quantization at load time must leave out every module of the draft."""
    for setting in found.named("online_quant_config", "online_quant_dpa_config"):
        config = json_mapping(setting.knob.value)
        if config is None:
            yield Breach("D4", f"{setting.knob.name} cannot be read; look yourself", setting, certain=False)
        elif config.get("global_quant_config"):
            yield from _left_in(config, setting, known)


def _left_in(config: Mapping[str, object], setting: Setting, known: ConfigFacts) -> Iterator[Breach]:
    listed = config.get("exclude_layer")
    globs = [str(each) for each in listed] if isinstance(listed, list) else []
    modules = () if isinstance(known.stored, Unknown) else known.stored.modules
    open_ones = [module for module in modules if not any(fnmatchcase(module, glob) for glob in globs)]
    if open_ones:
        yield Breach("D4", f"exclude_layer does not cover {open_ones[0]} of the draft", setting, certain=True)
    elif not globs:
        yield Breach("D4", "everything is quantized at load time, the draft too", setting, certain=True)
    elif not modules:
        said = f"look whether exclude_layer ({', '.join(globs)}) covers the whole draft"
        yield Breach("D4", said, setting, certain=False)


def _substituted(found: Effective, known: ConfigFacts) -> Iterator[Breach]:
    """D5: the draft of the same release, or one that the page of models agrees to."""
    for setting in _named_drafts(found):
        name = setting.knob.value
        if not setting.knob.enabled or name in known.allowed:
            continue
        last = name.rstrip("/").rsplit("/", 1)[-1]
        ends = {each.rsplit("/", 1)[-1] for each in known.allowed}
        converted = _CONVERTED.sub("", last)
        if converted != last and converted in ends:
            yield Breach("D5", f"the draft {name} is a converted {converted}", setting, certain=True)
        else:
            agreed = ", ".join(known.allowed)
            said = f"the draft {name} is none of {agreed}; look whether it is the released one"
            yield Breach("D5", said, setting, certain=False)


def _typed(found: Effective, known: ConfigFacts) -> Iterator[Breach]:
    """D6: a type for the draft beside how it drafts."""
    for setting in found.settings:
        name = setting.knob.name.casefold()
        inside = _SPECULATIVE in setting.knob.place and name in ("quantization", "dtype")
        if (inside or re.fullmatch(r"draft_(?!\w*kv)\w*dtype", name)) and setting.knob.value.casefold() != "auto":
            yield Breach("D6", f"{setting.knob.name} of the draft is {setting.knob.value}", setting, certain=False)


def _cached(found: Effective, known: ConfigFacts) -> Iterator[Breach]:
    """D7: a KV cache of the draft that is narrower than the target's."""
    target = [setting.knob.value for setting in found.named("kv_cache_dtype")]
    for setting in found.settings:
        name = setting.knob.name.casefold()
        if "draft" in name and "kv" in name and "dtype" in name and setting.knob.value not in (*target, "auto"):
            yield Breach("D7", f"{setting.knob.name} is {setting.knob.value}", setting, certain=False)


def _inherited(found: Effective, known: ConfigFacts) -> Iterator[Breach]:
    """D8: a quantization of the target that the draft may inherit."""
    if isinstance(known.stored, Unknown) or (bits(known.stored.precision) or 0) < 16:
        return
    for setting in found.named("quantization"):
        if _SPECULATIVE not in setting.knob.place and setting.knob.enabled:
            said = f"the target is loaded as {setting.knob.value}; look whether the draft, stored in full, inherits it"
            yield Breach("D8", said, setting, certain=False)


def _pruned(found: Effective, known: ConfigFacts) -> Iterator[Breach]:
    """D11: fewer layers or experts than the checkpoint has. How many tokens are drafted is free."""
    for setting in found.settings:
        name, place = setting.knob.name.casefold(), setting.knob.place.casefold()
        of_draft = _SPECULATIVE in place or "draft" in place
        layers = name == "num_nextn_predict_layers" and "override" in place  # elsewhere it is the draft's length
        if layers or (of_draft and (name == "num_hidden_layers" or name.startswith("num_experts"))):
            yield Breach("D11", f"{setting.knob.name} of the draft is {setting.knob.value}", setting, certain=False)


RULES: tuple[Rule, ...] = (
    *(_forbidden, _quantized, _per_token, _online, _substituted),
    *(_typed, _cached, _inherited, _pruned),
)
