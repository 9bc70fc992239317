"""From the raw material of a finished attempt to one verdict. Every refusal to judge starts here."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from gatekit.cluster.result import Slice, read_slices
from gatekit.domain.errors import BadInput
from gatekit.domain.gates import Gate, Golden
from gatekit.domain.ids import JobName
from gatekit.domain.job import Material, Result
from gatekit.domain.reuse import Measurement
from gatekit.domain.verdict import (
    Band,
    CurveOutcome,
    Judged,
    NotMeasured,
    Realized,
    Unmeasured,
    Verdict,
    crossed,
)
from gatekit.engines.counters import Counters, Counts
from gatekit.engines.forced_acceptance import ForcedKnobs
from gatekit.engines.registry import ENGINES
from gatekit.formats.prometheus import read_scrapes
from gatekit.formats.redact import one_line
from gatekit.measure.acceptance import longer_than_k, measure, short_drafts
from gatekit.measure.confidence import Interval, ReplayShares, interval
from gatekit.measure.replay import (
    acceptance_forced,
    collection_differs,
    prompts_differ,
    rendering_differs,
    replayed,
    requests_unfinished,
    thinking_not_applied,
    unchecked,
)
from gatekit.measure.samples import Ends, Samples, increments

PREFILL = "prefill"  # beginning of the names of workers that generate nothing; their drafts are not the gate's

# Held against the gate in this order, forced acceptance before them; the first objection is the verdict.
_OBJECTIONS: tuple[Callable[[Gate, Result], NotMeasured | None], ...] = (
    prompts_differ,
    rendering_differs,
    collection_differs,
    requests_unfinished,
    thinking_not_applied,
)


@dataclass(frozen=True, slots=True)
class _Measured:
    result: Result
    counts: Counts
    samples: Samples
    warnings: tuple[str, ...]


def judge(
    gate: Gate, job: JobName, material: Material, counters: Counters, forced: ForcedKnobs = ENGINES.forced
) -> Verdict:
    """The verdict of one attempt. What cannot be judged is NotMeasured, with the reason in one sentence."""
    measured = _measured(gate, job, _generation(material), counters, forced)
    if isinstance(measured, NotMeasured):
        return measured
    counts, k = measured.counts, gate.drafting.k
    evidence = ReplayShares(measured.samples.workers, measured.result.answers, counters.at_request_end)
    sure = interval(counts, evidence, k)
    realized = Realized(counts.al, sure.low, sure.high, counts.drafts, counts.accepted, counts.draft_tokens)
    warnings = (*measured.warnings, *_warnings(gate, measured, sure))
    return compare(realized, gate.golden, warnings)


def judge_again(one: Measurement, golden: Golden) -> Measurement:
    """The same measurement, held against what is the golden AL now: it needs no GPU."""
    return replace(one, verdict=compare(one.verdict.realized, golden, one.verdict.warnings))


def compare(realized: Realized, golden: Golden, warnings: tuple[str, ...] = ()) -> Judged:
    """Realized AL and its interval against golden AL and its tolerance. Across an edge nothing is decided."""
    allowed = Band(golden.al * (1 - golden.tolerance.below), golden.al * (1 + golden.tolerance.above))
    return Judged(_outcome(realized, allowed), realized, golden.al, allowed, warnings)


def _outcome(realized: Realized, allowed: Band) -> CurveOutcome:
    if crossed(realized, allowed):
        return CurveOutcome.INCONCLUSIVE
    if realized.al < allowed.low:
        return CurveOutcome.BELOW
    return CurveOutcome.ABOVE if realized.al > allowed.high else CurveOutcome.ON_CURVE


def _measured(
    gate: Gate, job: JobName, material: Material, counters: Counters, forced: ForcedKnobs
) -> _Measured | NotMeasured:
    result = replayed(gate, job, material)
    if isinstance(result, NotMeasured):
        return result
    objection = acceptance_forced(gate, result, forced) or next(
        (no for ask in _OBJECTIONS if (no := ask(gate, result)) is not None), None
    )
    if objection is not None:
        return objection
    generating = sum(not worker.role.startswith(PREFILL) for worker in result.workers)
    if generating != len(material.before):
        reason = f"Of {generating} generating workers {len(material.before)} were scraped before the replay."
        return NotMeasured(Unmeasured.COUNTERS_MISSING, reason)
    try:
        ends = Ends(read_scrapes(material.before), read_scrapes(material.after))
    except BadInput as error:
        return NotMeasured(Unmeasured.COUNTERS_MISSING, f"The {one_line(str(error))}.")
    counts = measure(ends.before, ends.after, counters, gate.drafting.k)
    if isinstance(counts, NotMeasured):
        return counts
    slices, complaint = _slices(material)
    samples = increments(ends, slices, counters, gate.drafting.k)
    if isinstance(samples, NotMeasured):
        return samples
    no = longer_than_k(counts, gate.drafting.k) or other_traffic(counts, result)
    return no or _Measured(result, counts, samples, complaint)


def other_traffic(counts: Counts, result: Result) -> NotMeasured | None:
    """The engine must have generated exactly the tokens that the replay got."""
    generated, got = counts.generated, result.requests.output_tokens
    if generated is None or got is None or generated == got:
        return None
    if generated > got:
        problem = f"{generated - got:,} of the {generated:,} tokens that the engine generated are not the replay's"
        advice = "somebody else used the engine"
    else:
        problem = f"the engine counted {generated:,} generated tokens, the replay got {got:,}"
        advice = "it restarted, was scraped too early, or not every worker was scraped"
    return NotMeasured(Unmeasured.OTHER_TRAFFIC, f"{problem[0].upper()}{problem[1:]}: {advice}.")


def _generation(material: Material) -> Material:
    before = {name: text for name, text in material.before.items() if not name.startswith(PREFILL)}
    after = {name: text for name, text in material.after.items() if not name.startswith(PREFILL)}
    return Material(material.result, before, after, material.slices, material.engine_log, material.job_log)


def _slices(material: Material) -> tuple[tuple[Slice, ...], tuple[str, ...]]:
    """The samples, and a complaint where they are not there."""
    if material.slices is None:
        return (), ("No samples were taken while the replay ran, so a restart in between may have gone unseen.",)
    try:
        return read_slices(material.slices), ()
    except BadInput as error:
        return (), (
            f"The samples cannot be read, so a restart in between may have gone unseen: {one_line(str(error))}.",
        )


def _warnings(gate: Gate, measured: _Measured, sure: Interval) -> Iterator[str]:
    counts, result = measured.counts, measured.result
    if sure.basis.value:
        yield sure.basis.value
    short = short_drafts(counts, gate.drafting.k)
    if short is not None:
        yield short
    if counts.per_position is None:
        yield "The engine does not count acceptance by position, so that could not be checked."
    if counts.generated is None or result.requests.output_tokens is None:
        who = "engine" if counts.generated is None else "replay"
        yield f"The {who} did not count the generated tokens, so other traffic could not be ruled out."
    if measured.samples.unread:
        yield f"Samples that could not be read and were left out of the interval: {measured.samples.unread:,}."
    yield from unchecked(gate, result)
