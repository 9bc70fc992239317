"""Tables of a Markdown page as rows of cells."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_RULE = re.compile(r"\s*\|?\s*:?-{2,}:?\s*(?:\|\s*:?-{2,}:?\s*)*\|?\s*")
_PIPE = re.compile(r"(?<!\\)\|")


@dataclass(frozen=True, slots=True)
class Table:
    columns: tuple[str, ...]  # titles in small letters
    rows: tuple[tuple[int, tuple[str, ...]], ...]  # line of the page, cells

    def column(self, *parts: str) -> int | None:
        """The first column whose title holds one of these words."""
        return next((at for at, title in enumerate(self.columns) if any(part in title for part in parts)), None)


def tables(page: str) -> Iterator[Table]:
    """Every table of the page, in order. A row that is short has empty cells."""
    lines = page.splitlines()
    at = 0
    while at + 1 < len(lines):
        if "|" in lines[at] and _RULE.fullmatch(lines[at + 1]):
            columns = tuple(cell.lower() for cell in _cells(lines[at]))
            end = at + 2
            while end < len(lines) and "|" in lines[end]:
                end += 1
            yield Table(columns, tuple((n + 1, _filled(lines[n], len(columns))) for n in range(at + 2, end)))
            at = end
        else:
            at += 1


def _filled(line: str, width: int) -> tuple[str, ...]:
    cells: Sequence[str] = _cells(line)
    return (*cells[:width], *[""] * (width - len(cells)))


def _cells(line: str) -> tuple[str, ...]:
    return tuple(cell.strip() for cell in _PIPE.split(line.strip().strip("|")))
