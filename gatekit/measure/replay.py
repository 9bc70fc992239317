"""How an attempt ended: the collection replayed by the launch that was planned, or why there is nothing to judge."""

import re
from collections.abc import Iterator, Mapping

from gatekit.cluster.result import REPLAYED, parse_result
from gatekit.domain.collection import Collection, Rendering, Scalar, Thinking
from gatekit.domain.errors import BadInput
from gatekit.domain.gates import Gate
from gatekit.domain.ids import JobName
from gatekit.domain.job import CANCELLED, Material, Replay, Result
from gatekit.domain.verdict import NotMeasured, Unmeasured
from gatekit.engines.forced_acceptance import ForcedKnobs
from gatekit.formats.redact import one_line

_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2}))")


def requests_unfinished(gate: Gate, result: Result) -> NotMeasured | None:
    """Every prompt of the collection must have been answered; no request may have failed."""
    asked, prompts = result.requests, gate.collection.prompts
    if asked.expected < prompts:
        problem = f"The replay meant to send {asked.expected:,} requests, the collection has {prompts:,} prompts"
    elif asked.ok < asked.expected or asked.failed > 0:
        problem = f"{asked.ok:,} of {asked.expected:,} requests were answered and {asked.failed:,} failed"
    else:
        return None
    return NotMeasured(Unmeasured.PROMPTS_UNFINISHED, f"{problem}: look at the log, then run the gate again.")


def prompts_differ(gate: Gate, result: Result) -> NotMeasured | None:
    """The prompt file must have the collection's digest, where that is known."""
    expected, got = gate.collection.prompts_sha256, result.prompts_sha256
    if expected is None or (got is not None and got.lower() == expected.lower()):
        return None
    found = f"has the digest {got[:12]}…" if got is not None else "was not digested by the node"
    reason = f"The prompt file {found}, the curve was collected with {expected[:12]}…: prepare the prompts again."
    return NotMeasured(Unmeasured.PROMPTS_DIFFER, reason)


def rendering_differs(gate: Gate, result: Result) -> NotMeasured | None:
    """The rendered prompts must be those of the collection, where their digest is known: whoever rendered them now."""
    expected, got = _rendered(gate), result.rendered_sha256
    if expected is None or (got is not None and got.lower() == expected.lower()):
        return None
    found = f"have the digest {got[:12]}…" if got is not None else "were not digested by the node"
    reason = (
        f"The rendered prompts {found}, the curve was collected with {expected[:12]}…: another chat template, or "
        "applied otherwise."
    )
    return NotMeasured(Unmeasured.PROMPTS_DIFFER, reason)


def collection_differs(gate: Gate, result: Result) -> NotMeasured | None:
    """Every setting of the collection must have been replayed as it is."""
    if result.replay is None:
        reason = "The result does not say what was replayed, so it cannot be held against the curve's collection."
        return NotMeasured(Unmeasured.COLLECTION_DIFFERS, reason)
    for name, expected, got in _settings(gate.collection, gate.drafting.thinking, result.replay):
        if not _same(expected, got):
            reason = f"The replay ran with {name} {_shown(got)}, the curve was collected with {_shown(expected)}."
            return NotMeasured(Unmeasured.COLLECTION_DIFFERS, reason)
    return None


def thinking_not_applied(gate: Gate, result: Result) -> NotMeasured | None:
    """On: every answer carries the marker; off: none does. Not looked at is a warning, see `unchecked`."""
    marked, answers = result.requests.thinking_marked, result.requests.ok
    if not gate.collection.thinking_marker or marked is None:
        return None
    wanted = answers if gate.drafting.thinking is Thinking.ON else 0
    if marked == wanted:
        return None
    reason = (
        f"Thinking should be {gate.drafting.thinking}, but {marked:,} of {answers:,} answers carry its marker: "
        "the chat template arguments did not take effect."
    )
    return NotMeasured(Unmeasured.THINKING_NOT_APPLIED, reason)


def acceptance_forced(gate: Gate, result: Result, forced: ForcedKnobs) -> NotMeasured | None:
    """No word of the launched command or of its environment may simulate acceptance. No command is no proof."""
    if not result.engine_command:
        reason = "The result does not say how the engine was launched, so forced acceptance cannot be ruled out."
        return NotMeasured(Unmeasured.FORCED_ACCEPTANCE, reason)
    text = " ".join(
        (*result.engine_command, *(f"{name}={value}" for name, value in (*gate.launch.args, *gate.launch.env)))
    )
    found = forced.trace(_ESCAPE.sub(_letter, text))
    if found is None:
        return None
    reason = f"The launched command still forces acceptance ({found}): take it out of the recipe."
    return NotMeasured(Unmeasured.FORCED_ACCEPTANCE, reason)


def unchecked(gate: Gate, result: Result) -> Iterator[str]:
    """What nobody could check, as warnings."""
    if gate.collection.prompts_sha256 is None:
        yield "The curve does not state the digest of its prompts, so the prompts could not be checked."
    if gate.collection.rendering is Rendering.CLIENT and _rendered(gate) is None:
        yield "The curve does not state the digest of its rendered prompts, so their rendering could not be checked."
    if not gate.collection.thinking_marker:
        yield "The curve does not state how a thinking answer looks, so the thinking mode could not be checked."
    elif result.requests.thinking_marked is None:
        yield "The answers were not searched for the thinking marker, so the thinking mode could not be checked."


def _rendered(gate: Gate) -> str | None:
    return gate.collection.sampling[gate.drafting.thinking].rendered_sha256


def _settings(collection: Collection, thinking: Thinking, replay: Replay) -> Iterator[tuple[str, Scalar, Scalar]]:
    """Every setting that a replay takes from its collection: name, what it should be, what it was."""
    yield "category", collection.category, replay.category
    yield "prompts", collection.prompts, replay.count
    yield "turns", collection.turns.value, replay.turns
    yield "endpoint", collection.endpoint.value, replay.endpoint
    yield "rendering", collection.rendering.value, replay.rendering
    yield "output length", collection.output_len, replay.output_len
    yield "ignore_eos", collection.ignore_eos, replay.ignore_eos
    yield "client concurrency", collection.concurrency, replay.concurrency
    yield "thinking marker", collection.thinking_marker or None, replay.thinking_marker or None
    sampling = collection.sampling[thinking]
    passed = {
        "temperature": sampling.temperature,
        "top_p": sampling.top_p,
        "top_k": sampling.top_k,
        "presence_penalty": sampling.presence_penalty,
        "seed": sampling.seed,
    }
    yield from _each("", passed, replay.sampling)
    yield from _each("chat template argument ", sampling.template_kwargs or {}, replay.template_kwargs or {})


def _each(kind: str, expected: Mapping[str, Scalar], got: Mapping[str, Scalar]) -> Iterator[tuple[str, Scalar, Scalar]]:
    for name in sorted({*expected, *got}):
        yield f"{kind}{name}", expected.get(name), got.get(name)


def _same(expected: Scalar, got: Scalar) -> bool:
    """1 and 1.0 are the same; 1 and true are not."""
    return isinstance(expected, bool) == isinstance(got, bool) and expected == got


def _shown(value: Scalar) -> str:
    if value is None:
        return "nothing"
    return str(value).lower() if isinstance(value, bool) else str(value)[:80]


def _letter(escape: re.Match[str]) -> str:
    """What JSON spells as an escape is read as the letter."""
    return chr(int(escape[1] or escape[2], 16))


def replayed(gate: Gate, job: JobName, material: Material) -> Result | NotMeasured:
    """The result of this very attempt, if its replay ran to the end."""
    if material.result is None:
        return _without_result(material)
    try:
        result = parse_result(material.result)
    except BadInput as error:
        return NotMeasured(
            Unmeasured.RESULT_UNREADABLE, f"The result of the job cannot be read: {one_line(str(error))}."
        )
    if result.job != job:
        reason = f"The result that was found belongs to job {one_line(result.job)}, not to {job}: run the gate again."
        return NotMeasured(Unmeasured.RESULT_UNREADABLE, reason)
    if result.outcome != REPLAYED:
        return _failed(gate, result)
    if result.gate != gate.key:
        reason = f"The result of {job} belongs to another gate: run the gate again."
        return NotMeasured(Unmeasured.RESULT_UNREADABLE, reason)
    return result


def _failed(gate: Gate, result: Result) -> NotMeasured:
    said = one_line(result.reason or "no reason was given")
    if said == CANCELLED:
        return NotMeasured(Unmeasured.CANCELLED, "The job was cancelled before it ended.")
    if result.prompts_sha256 is not None and (differ := prompts_differ(gate, result)) is not None:
        return differ
    if not result.engine_command:
        return NotMeasured(Unmeasured.REPLAY_FAILED, f"The job failed before it started the engine: {said}.")
    if result.seconds.start is None:
        return NotMeasured(Unmeasured.ENGINE_FAILED, f"The engine did not start: {said}.")
    return NotMeasured(Unmeasured.REPLAY_FAILED, f"The replay did not end well: {said}.")


def _without_result(material: Material) -> NotMeasured:
    if material.before:
        reason = "The job ended in the middle of the replay, without a result: look at the log and the time limit."
        return NotMeasured(Unmeasured.REPLAY_FAILED, reason)
    if material.engine_log:
        reason = "The job ended before the engine served, without a result: look at the log and the time limit."
        return NotMeasured(Unmeasured.ENGINE_FAILED, reason)
    if material.job_log:
        reason = "The job ended before it started the engine, without a result: look at the log."
        return NotMeasured(Unmeasured.REPLAY_FAILED, reason)
    return NotMeasured(Unmeasured.LOST, "Neither the job nor anything it wrote can be found: run the gate again.")
