"""The queue as `squeue --format` prints it: plain columns, the same from SLURM 20 to 25. JSON changes between them."""

from dataclasses import dataclass

from gatekit.cluster.slurm.states import Standing, read_word
from gatekit.domain.ids import JobName

# Job id, state, reason, working folder, as remote.sh asks for them; the name last, for it alone may hold a bar.
_COLUMNS = 5


@dataclass(frozen=True, slots=True)
class QueueRow:
    id: int
    state: str
    reason: str
    folder: str
    name: str


def parse_queue(text: str) -> tuple[QueueRow, ...]:
    """Every row that has the form. Others belong to jobs whose names hold line breaks, and none of ours does."""
    rows = (line.split("|", _COLUMNS - 1) for line in text.split("\n"))
    return tuple(
        QueueRow(int(cells[0]), *(cell.strip() for cell in cells[1:]))
        for cells in rows
        if len(cells) == _COLUMNS and _is_id(cells[0].strip())
    )


def row_of(rows: tuple[QueueRow, ...], id: int, name: JobName) -> QueueRow | None:
    """The job's row. The id alone names nobody: after a crash of the controller it is given out again."""
    return next((row for row in rows if row.id == id and row.name == name), None)


def active_rows(rows: tuple[QueueRow, ...], name: JobName, folder: str) -> tuple[QueueRow, ...]:
    """Jobs of this name and run folder that wait, run, or do what we do not understand, whatever their ids."""
    return tuple(
        row
        for row in rows
        if row.name == name and row.folder == folder and read_word(row.state).standing is not Standing.ENDED
    )


def _is_id(text: str) -> bool:
    return text.isascii() and text.isdigit()
