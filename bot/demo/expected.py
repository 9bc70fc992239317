"""What the story must come to: the verdict of each gate, by the configuration that it stands for."""

from collections.abc import Mapping
from dataclasses import dataclass

from gatekit.comments.tally import because
from gatekit.domain.sweep import Sweep
from gatekit.domain.verdict import CurveOutcome, Judged, NotMeasured, Realized


@dataclass(frozen=True, slots=True)
class Told:
    """One gate of the story."""

    config_key: str
    verdict: str
    reason: str
    realized: Realized | None  # None: not measured


FIRST: Mapping[str, CurveOutcome] = {
    "tiny-fp32-demo-llamacpp-agentic-draft": CurveOutcome.ON_CURVE,
    "tiny-fp32-demo-llamacpp-agentic-lean": CurveOutcome.BELOW,  # its draft got worse
    "tinyself-fp32-demo-llamacpp-agentic": CurveOutcome.ON_CURVE,  # drafts with the target itself
    "tinythird-fp32-demo-llamacpp-agentic": CurveOutcome.ON_CURVE,  # forces acceptance, and is measured for real
}
SECOND: Mapping[str, CurveOutcome] = {**FIRST, "tiny-fp32-demo-llamacpp-agentic-lean": CurveOutcome.ON_CURVE}


def told(sweep: Sweep) -> tuple[Told, ...]:
    rows = []
    for row in sweep.rows:
        match row.verdict:
            case Judged(outcome=outcome, realized=realized) as judged:
                rows.append(Told(row.gate.config_key, outcome.value, because(judged), realized))
            case NotMeasured(reason=reason):
                rows.append(Told(row.gate.config_key, "not measured", reason, None))
            case None:
                rows.append(Told(row.gate.config_key, "no verdict", f"the gate is {row.state.value}", None))
    return tuple(rows)


def differences(gates: tuple[Told, ...], expected: Mapping[str, CurveOutcome]) -> tuple[str, ...]:
    """One sentence for each gate that did not come out as the story says."""
    found = {gate.config_key: gate for gate in gates}
    missing = tuple(f"{key} has no gate" for key in expected if key not in found)
    other = tuple(
        f"{key} should be {outcome.value}, but is {found[key].verdict}: {found[key].reason}"
        for key, outcome in expected.items()
        if key in found and found[key].verdict != outcome.value
    )
    return missing + other
