"""How an attempt ended: its result where the replay ran, else the reason why there is nothing to judge."""

from gatekit.cluster.result import REPLAYED, parse_result
from gatekit.domain.gates import Gate
from gatekit.domain.ids import JobName
from gatekit.domain.job import Material, Result
from gatekit.domain.refusal import BadInput
from gatekit.domain.verdict import NotMeasured, Why
from gatekit.formats.redact import one_line
from gatekit.measure.replayed import prompts_differ

CANCELLED = "cancelled"  # the node's reason where it was asked to stop


def replayed(gate: Gate, job: JobName, material: Material) -> Result | NotMeasured:
    """The result of this very attempt, if its replay ran to the end."""
    if material.result is None:
        return _without_result(material)
    try:
        result = parse_result(material.result)
    except BadInput as error:
        return NotMeasured(Why.RESULT_UNREADABLE, f"The result of the job cannot be read: {one_line(str(error))}.")
    if result.job != job:
        reason = f"The result that was found belongs to job {one_line(result.job)}, not to {job}: run the gate again."
        return NotMeasured(Why.RESULT_UNREADABLE, reason)
    if result.outcome != REPLAYED:
        return _failed(gate, result)
    if result.gate != gate.key:
        reason = f"The result of {job} belongs to another gate: run the gate again."
        return NotMeasured(Why.RESULT_UNREADABLE, reason)
    return result


def _failed(gate: Gate, result: Result) -> NotMeasured:
    said = one_line(result.reason or "no reason was given")
    if said == CANCELLED:
        return NotMeasured(Why.CANCELLED, "The job was cancelled before it ended.")
    if result.prompts_sha256 is not None and (differ := prompts_differ(gate, result)) is not None:
        return differ
    if not result.engine_command:
        return NotMeasured(Why.REPLAY_FAILED, f"The job failed before it started the engine: {said}.")
    if result.seconds.start is None:
        return NotMeasured(Why.ENGINE_FAILED, f"The engine did not start: {said}.")
    return NotMeasured(Why.REPLAY_FAILED, f"The replay did not end well: {said}.")


def _without_result(material: Material) -> NotMeasured:
    if material.before:
        reason = "The job ended in the middle of the replay, without a result: look at the log and the time limit."
        return NotMeasured(Why.REPLAY_FAILED, reason)
    if material.engine_log:
        reason = "The job ended before the engine served, without a result: look at the log and the time limit."
        return NotMeasured(Why.ENGINE_FAILED, reason)
    if material.job_log:
        reason = "The job ended before it started the engine, without a result: look at the log."
        return NotMeasured(Why.REPLAY_FAILED, reason)
    return NotMeasured(Why.LOST, "Neither the job nor anything it wrote can be found: run the gate again.")
