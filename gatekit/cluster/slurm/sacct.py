"""Accounting as `sacct --parsable2 --duplicates --allocations` prints it."""

from dataclasses import dataclass

from gatekit.cluster.slurm.states import Standing, read_word
from gatekit.domain.ids import JobName

# Job id, state, exit code, as remote.sh asks for them; the name last, for it alone may hold a bar.
_COLUMNS = 4


@dataclass(frozen=True, slots=True)
class AccountRow:
    id: int
    state: str  # e.g. "CANCELLED by 1001"
    exit_code: str  # as it stands; codes above 127 are not what the script said
    name: str


def parse_accounting(text: str) -> tuple[AccountRow, ...]:
    """Every row that has the form; steps (`12.batch`) have none."""
    rows = (line.split("|", _COLUMNS - 1) for line in text.split("\n"))
    return tuple(
        AccountRow(int(cells[0]), cells[1].strip(), cells[2].strip(), cells[3].strip())
        for cells in rows
        if len(cells) == _COLUMNS and cells[0].isascii() and cells[0].isdigit()
    )


def ended_row(rows: tuple[AccountRow, ...], id: int, name: JobName) -> AccountRow | None:
    """The last row in which this very job has ended.

    Rows that have not ended say nothing: they come late, and those of a job that the controller lost stay for ever.
    """
    own = [row for row in rows if row.id == id and row.name == name]
    ended = [row for row in own if read_word(row.state).standing is Standing.ENDED]
    return ended[-1] if ended else None
