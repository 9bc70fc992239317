"""The words of the audit."""

from gatekit.comments.check_runs import merge_reason
from gatekit.comments.sweep_folds import where_from, why_anew
from gatekit.comments.use import answer_line, command_text
from gatekit.domain.audit import Note, Subject
from gatekit.domain.sweep import Cause, GateRow, Sweep
from gatekit.use.decision import Decision, Rejected
from gatekit.use.merge import Merge


def use_note(decision: Decision) -> Note:
    """What a command came to, for the head at which it was looked at."""
    answer = decision.answer
    return Note(
        subject=Subject.USE,
        actor=decision.winner.author,
        command=command_text(decision.winner),
        run=answer.run,
        head=decision.head,
        outcome=answer.why.value if isinstance(answer, Rejected) else "accepted",
        reason=answer_line(answer),
    )


def gate_notes(sweep: Sweep) -> tuple[Note, ...]:
    """What each gate of a new sweep takes, and why."""
    command = {Cause.LABEL: f"label {sweep.label}", Cause.PUSH: f"push under {sweep.label}", Cause.MERGE: "merge"}
    return tuple(_gate_note(sweep, row, command[sweep.cause]) for row in sweep.rows)


def _gate_note(sweep: Sweep, row: GateRow, command: str) -> Note:
    source = row.source
    return Note(
        subject=Subject.GATE,
        actor=sweep.sender,
        command=command,
        run=source.sweep,
        head=sweep.head,
        outcome=source.origin.value,
        reason=where_from(row) or why_anew(source.start) or "nothing like it was gated on this pull request yet.",
        sweep=sweep.id,
        key=row.gate.key,
        parts=source.start.parts,
    )


def merge_note(merge: Merge) -> Note:
    return Note(
        subject=Subject.MERGE,
        actor=merge.merged_by,
        command="merge",
        run=None if merge.chosen is None else merge.chosen.run,
        head=merge.merge,
        outcome=merge.outcome.value,
        reason=merge_reason(merge),
        sweep=merge.sweep,
    )
