"""What a job left in its run folder, held against what SLURM says of it: how did it end?"""

import re
from dataclasses import dataclass
from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from gatekit.cluster.result import REPLAYED, parse_result
from gatekit.cluster.slurm.states import first_word, read_word
from gatekit.domain.errors import BadInput
from gatekit.domain.ids import JobName
from gatekit.domain.job import CANCELLED, Result
from gatekit.domain.sweep import Ending
from gatekit.formats.redact import one_line

Why: TypeAlias = Literal["exit", "term", "limit", "setup"]
_CANNOT_START = (126, 127)  # what a shell answers where a program cannot be started


class EndFile(BaseModel):
    """`end.json`, which the job script writes last. `why`: the node program ended by itself, somebody sent TERM,
    the warning before the time limit came, or the script could not start."""

    model_config = ConfigDict(frozen=True, strict=True, extra="ignore")
    job: str
    id: Annotated[str, Field(max_length=32)]
    rc: int
    why: Why
    left: Annotated[str, Field(max_length=1000)]  # files that could not be removed, with their owners
    alive: Annotated[str, Field(max_length=1000)]  # processes that could not be ended


@dataclass(frozen=True, slots=True)
class How:
    ending: Ending
    sentence: str  # for the operator
    left: str = ""  # what the job could not remove or end, for the operator


@dataclass(frozen=True, slots=True)
class Left:
    """None: the file is not there."""

    result: str | None
    end: str | None
    asked: bool  # the bot asked for the job's end


_END = TypeAdapter(EndFile)


def parse_end(text: str | None, name: JobName) -> EndFile | None:
    """None: there is none, it cannot be read, or it is another job's."""
    try:
        end = _END.validate_json(text or "")
    except (ValidationError, UnicodeError):
        return None
    return end if end.job == name else None


def own_result(text: str | None, name: JobName) -> Result | None:
    """The result of this very job; None where there is none that can be read."""
    try:
        result = None if text is None else parse_result(text)
    except BadInput:
        return None
    return result if result is not None and result.job == name else None


def how_it_ended(name: JobName, state: str, left: Left) -> How:
    """`state`: SLURM's word for an ended job; empty where SLURM has forgotten it. The job's own result comes first."""
    result, end = own_result(left.result, name), parse_end(left.end, name)
    how = _by_result(result, end, state, left) if result is not None else _without_result(name, end, state, left)
    return How(how.ending, how.sentence, _left(end))


def _left(end: EndFile | None) -> str:
    files = f"files that it could not remove: {end.left.strip()}" if end is not None and end.left else ""
    alive = f"processes that it could not end: {end.alive.strip()}" if end is not None and end.alive else ""
    return "; ".join(part for part in (files, alive) if part)


def _by_result(result: Result, end: EndFile | None, state: str, left: Left) -> How:
    if result.outcome == REPLAYED:
        return How(Ending.REPLAYED, "the replay ran to its end")
    if result.reason == CANCELLED:
        return _stopped(end, state, left)
    return How(Ending.GATE_FAILED, f"the gate failed: {one_line(result.reason or 'no reason was given')}")


def _without_result(name: JobName, end: EndFile | None, state: str, left: Left) -> How:
    problem = _problem(name, left.result)
    if end is None or end.why in ("term", "limit"):
        how = _stopped(end, state, left)
        return how if left.result is None else How(how.ending, f"{how.sentence}; {problem}")
    if first_word(state) == "OUT_OF_MEMORY":
        return How(Ending.MEMORY, read_word(state).sentence)
    if end.why == "setup" or end.rc in _CANNOT_START:
        return How(
            Ending.INFRASTRUCTURE, "the node program could not be started: look at slurm/out.log in the run folder"
        )
    if end.rc == 0:
        return How(Ending.INFRASTRUCTURE, f"the node program ended well, but {problem}: look at the shared file system")
    return How(Ending.GATE_FAILED, f"the node program ended with code {end.rc}, and {problem}")


def _stopped(end: EndFile | None, state: str, left: Left) -> How:
    """From outside: SLURM's word says by whom, the end file what the job saw of it."""
    if left.asked:
        return How(Ending.CANCELLED, "the bot cancelled the job")
    if end is not None and end.why == "limit":
        return How(Ending.BUDGET, read_word("TIMEOUT").sentence)
    word = first_word(state)
    if end is not None and word in ("", "COMPLETED", "FAILED"):  # SLURM only saw that the script ended
        word = "CANCELLED"
    if not word:
        return How(Ending.INFRASTRUCTURE, "SLURM knows no such job any more, and it left no result: run the gate again")
    by = re.fullmatch(r"CANCELLED by ([0-9]{1,10})", state)
    who = f" (user {by[1]} cancelled it)" if by else ""
    return How(read_word(word).ending, read_word(word).sentence + who)


def _problem(name: JobName, text: str | None) -> str:
    """What is wrong with a result that is not this job's."""
    if text is None:
        return "left no result"
    try:
        found = parse_result(text)
    except BadInput as error:
        return f"its result cannot be read ({one_line(error.problem)})"
    return f"its result belongs to job {one_line(found.job)[:61]}, not to {name}"
