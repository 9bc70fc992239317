"""A gate plan as the JSON and the text that `gatekit plan` prints."""

import json
from collections.abc import Iterator, Mapping

from gatekit.domain.gates import Drafting, Gate, GatePlan, StrippedKnob
from gatekit.plan.reuse_key import Parts, parts_of


def as_json(plan: GatePlan, explained: str | None) -> Mapping[str, object]:
    """`explained`: the node program's digest where the parts of each key are wanted."""
    return {
        "points": plan.points,
        "head": plan.head,
        "gates": [_gate(gate, explained) for gate in plan.gates],
        "uncovered": list(plan.uncovered),
        "estimate": {"gates": len(plan.gates), "gpus": plan.gpus, "gpu_hours": None},
        "unresolved": [
            {
                "config_key": point.config_key,
                "framework": point.framework,
                "concurrency": point.concurrency,
                "reason": point.reason.value,
                "detail": point.detail,
            }
            for point in plan.unresolved
        ],
        "warnings": [
            {"config_key": warning.config_key, "code": warning.code.value, "detail": warning.detail}
            for warning in plan.warnings
        ],
        **({"repeats": list(plan.repeats)} if plan.repeats else {}),
    }


def as_text(plan: GatePlan, explained: str | None) -> str:
    return "\n".join(_lines(plan, explained))


def drafting_json(drafting: Drafting) -> Mapping[str, object]:
    return {
        "method": drafting.method,
        "k": drafting.k,
        "draft_model": drafting.draft_model,
        "draft_sample_method": drafting.draft_sample_method,
        "thinking": drafting.thinking.value,
    }


def stripped_line(knob: StrippedKnob) -> str:
    return f"{knob.path} = {knob.value}"


def _gate(gate: Gate, explained: str | None) -> Mapping[str, object]:
    shown: dict[str, object] = {
        "key": gate.key,
        "title": gate.title,
        "config_key": gate.config_key,
        "framework": gate.framework,
        "engine": gate.launch.engine,
        "cluster": gate.cluster,
        "nodes": gate.launch.nodes,
        "gpus": gate.launch.gpus,
        "recipe": gate.recipe,
        "drafting": drafting_json(gate.drafting),
        "golden": {"curve": gate.golden.curve, "al": gate.golden.al},
        "concurrencies": list(gate.concurrencies),
        "representative": gate.representative,
        "stripped": [stripped_line(knob) for knob in gate.stripped],
    }
    return shown if explained is None else {**shown, "key_parts": parts_of(gate, explained)}


def _flat(parts: Parts) -> Iterator[tuple[str, str]]:
    """Each part by its dotted name; what has parts of its own by theirs."""
    for name, value in parts.items():
        if isinstance(value, Mapping) and value:
            yield from ((f"{name}.{inner}", said) for inner, said in _flat(value))
        else:
            yield name, as_said(value)


def as_said(value: object) -> str:
    """A JSON value for people: text as it is, `none` for null, all else as JSON."""
    if value is None:
        return "none"
    return str(value) if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _lines(plan: GatePlan, explained: str | None) -> Iterator[str]:
    placed = f"{_many(len(plan.gates), 'gate')}, {len(plan.unresolved)} unresolved"
    yield f"{_many(plan.points, 'speculative point')}: {placed}; {_many(plan.gpus, 'GPU')} if all gates ran at once"
    for gate in plan.gates:
        concurrencies = ", ".join(str(each) for each in gate.concurrencies)
        yield ""
        yield f"{gate.title}"
        yield f"  golden AL {gate.golden.al:.2f} ({gate.golden.curve}), key {gate.key[:12]}"
        yield f"  {gate.recipe} on {gate.cluster}: {_many(gate.launch.nodes, 'node')}, {_many(gate.launch.gpus, 'GPU')}"
        yield f"  points at concurrency {concurrencies}; launched as {gate.representative}"
        yield from (f"  taken out: {stripped_line(knob)}" for knob in gate.stripped)
        if explained is not None:
            yield from (f"  key: {name} = {value}" for name, value in _flat(parts_of(gate, explained)))
    for heading, lines in (
        ("unresolved", _unresolved(plan)),
        ("uncovered", plan.uncovered),
        ("warnings", _warnings(plan)),
    ):
        if lines:
            yield f"\n{heading}:"
            yield from (f"  {line}" for line in lines)


def _many(count: int, thing: str) -> str:
    return f"{count} {thing}" if count == 1 else f"{count} {thing}s"


def _unresolved(plan: GatePlan) -> tuple[str, ...]:
    """One line for the points of one config key that share a reason."""
    groups: dict[tuple[str, str, str], list[int]] = {}
    for point in plan.unresolved:
        groups.setdefault((point.config_key, point.reason.value, point.detail), []).append(point.concurrency)
    return tuple(
        f"{key} at {', '.join(map(str, concurrencies))}: {reason}: {detail}"
        for (key, reason, detail), concurrencies in groups.items()
    )


def _warnings(plan: GatePlan) -> tuple[str, ...]:
    said = (f"{warning.config_key}: {warning.code.value}: {warning.detail}" for warning in plan.warnings)
    return (*said, *plan.repeats)
