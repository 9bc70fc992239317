"""Check 8: the model computes what it computes, and event publishing stays on."""

import re
from collections.abc import Iterator, Mapping

from gatekit.bench.recipes.roles import json_mapping
from gatekit.signoff.change.change import Change
from gatekit.signoff.change.effective import Effective, Setting
from gatekit.signoff.change.scripts import live_lines
from gatekit.signoff.checks.check import CONDITIONAL, Check, CheckFinding, Evidence, Outcome, known, worst
from gatekit.signoff.checks.facts import Facts

OVERRIDES = ("hf_overrides", "json_model_override_args")
PUBLISH = "publish_events_and_metrics"
_MUST_PUBLISH = frozenset({"dynamo-trt"})  # frameworks whose recipes say it
_COMPUTES = re.compile(
    r"num_hidden_layers|num_experts\w*|n_routed_experts|num_experts_per_tok|\w*topk\w*|sliding_window|skip_\w+|"
    r"use_index_cache|num_nextn_predict_layers",
    re.IGNORECASE,
)
_EDITS = re.compile(r"\bsed\b.*-i|\bjq\b|\bpython3?\b|json\.dump|>\s*\S*config\.json|\btee\b")


def decide(facts: Facts) -> CheckFinding:
    change = known(facts.change)
    if not change.affected:
        return CheckFinding(Outcome.NOT_APPLICABLE, "no config is added, changed or run again")
    findings = tuple(finding for found in change.effective.values() for finding in _config(found, change))
    return worst(findings, "no override changes what the model computes, and publishing is not switched off")


def _config(found: Effective, change: Change) -> Iterator[CheckFinding]:
    key = found.config.key
    for setting in found.settings:
        if setting.knob.name.partition(".")[0] in OVERRIDES:
            yield _override(key, setting)
    for path in found.files:
        for number, line in live_lines(change.tree.snapshot.files[path]):
            if "config.json" in line and _EDITS.search(line):
                said = f"{key}: look whether the model's config.json is edited"
                yield CheckFinding(
                    Outcome.UNDECIDED, said, (Evidence("config.json", f"{path}:{number}", line.strip()),)
                )
    yield from _publishing(found)
    for sentence in found.unread:
        yield CheckFinding(Outcome.UNDECIDED, f"{key}: {sentence}; look at its overrides yourself")
    yield CheckFinding(Outcome.PASS, "", (Evidence(key, found.config.where, f"{len(found.settings)} settings"),))


def _override(key: str, setting: Setting) -> CheckFinding:
    name, _, inner = setting.knob.name.partition(".")
    evidence = (Evidence(name, setting.where, setting.knob.value),)
    overrides = json_mapping(setting.knob.value)
    names = [inner] if inner else list(_names(overrides)) if overrides is not None else None
    if names is None:
        return CheckFinding(Outcome.UNDECIDED, f"{key}: look what {name} sets, it cannot be read", evidence)
    computing = [each for each in names if _COMPUTES.fullmatch(each)]
    if computing:
        said = f"{key}: look whether the model natively supports {name} {', '.join(computing)}"
        return CheckFinding(Outcome.UNDECIDED, said, evidence)
    return CheckFinding(Outcome.PASS, "", evidence)


def _names(overrides: Mapping[str, object]) -> Iterator[str]:
    for name, value in overrides.items():
        yield name
        if isinstance(value, Mapping):
            yield from _names(value)


def _publishing(found: Effective) -> Iterator[CheckFinding]:
    key = found.config.key
    settings = [(setting, False) for setting in found.named(PUBLISH)]
    settings += [(setting, True) for setting in found.named(f"no_{PUBLISH}")]
    for setting, negated in settings:
        evidence = (Evidence(PUBLISH, setting.where, setting.knob.value),)
        if setting.knob.open:
            yield CheckFinding(Outcome.UNDECIDED, f"{key}: look what {PUBLISH} is, a variable sets it", evidence)
        elif setting.knob.enabled is negated:
            yield CheckFinding(Outcome.FAIL, f"{key}: {PUBLISH} is off", evidence)
    if not settings and found.config.framework in _MUST_PUBLISH:
        said = f"{key}: look whether {PUBLISH} is on by default in its image, nothing sets it"
        yield CheckFinding(Outcome.UNDECIDED, said, (Evidence(key, found.config.where),))


CHECK = Check(8, "no architecture hacks, event publishing on", CONDITIONAL, decide)
