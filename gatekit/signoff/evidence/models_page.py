"""The page that says which models and scenarios are benchmarked, and which no more: a Markdown page's tables."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from gatekit.domain.errors import BadInput

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


_CODE = re.compile(r"`([^`]+)`")
_ISO = re.compile(r"\b(\d{4}-\d{2}-\d{2})\b")
_LAST_DAY = re.compile(r"\*\*(?:[A-Z][a-z]+day, )?(?P<day>[A-Z][a-z]+ \d{1,2}, \d{4})\*\* is the last day")
_HEADING = re.compile(r"#{1,3} ")


@dataclass(frozen=True, slots=True)
class ModelRow:
    line: int
    active: str  # the cell, as written
    deprecated: str


@dataclass(frozen=True, slots=True)
class Notice:
    """A line of a notice with a last day."""

    line: int
    last_day: date
    text: str


@dataclass(frozen=True, slots=True)
class ModelsPage:
    path: str
    models: Mapping[str, ModelRow]  # by prefix
    ended: Mapping[str, tuple[int, date | None]]  # scenario in small letters → line, since when; for every model
    notices: tuple[Notice, ...]
    drafts: Mapping[str, tuple[str, ...]]  # prefix → draft models that are agreed to


def read_models(page: str, path: str) -> ModelsPage:
    """Raises BadInput where the page has no table with a prefix, the active and the deprecated scenarios."""
    models: dict[str, ModelRow] = {}
    ended: dict[str, tuple[int, date | None]] = {}
    drafts: dict[str, tuple[str, ...]] = {}
    for table in tables(page):
        drafts |= _drafts(table)
        models |= _models(table)
        ended |= _ended(table)
    if not models:
        raise BadInput(path, "has no table with the columns Prefix, Active scenarios and Deprecated scenarios; add it")
    return ModelsPage(path, models, ended, tuple(_notices(page)), drafts)


def first_date(text: str) -> date | None:
    """The first date that is written as 2026-08-03."""
    found = _ISO.search(text)
    try:
        return None if found is None else date.fromisoformat(found[1])
    except ValueError:
        return None


def _models(table: Table) -> Mapping[str, ModelRow]:
    prefix, active, deprecated = table.column("prefix"), table.column("active"), table.column("deprecated")
    if prefix is None or active is None or deprecated is None:
        return {}
    return {
        name: ModelRow(line, cells[active], cells[deprecated])
        for line, cells in table.rows
        for name in _CODE.findall(cells[prefix])
    }


def _drafts(table: Table) -> Mapping[str, tuple[str, ...]]:
    """Names with a slash in the column of agreed draft models, by every prefix in the column of the model."""
    model, agreed = table.column("model"), table.column("agreed draft")
    if model is None or agreed is None:
        return {}
    return {
        prefix: tuple(name for name in _CODE.findall(cells[agreed]) if "/" in name)
        for _, cells in table.rows
        for prefix in _CODE.findall(cells[model])
    }


def _ended(table: Table) -> Mapping[str, tuple[int, date | None]]:
    name, status = table.column("scenario"), table.column("status")
    if name is None or status is None:
        return {}
    return {
        cells[name].lower(): (line, first_date(cells[status]))
        for line, cells in table.rows
        if "deprecated for all" in cells[status].lower()
    }


def _notices(page: str) -> Iterator[Notice]:
    """What stands below a last day until the next heading: sentences whole, of a table the deprecated column alone."""
    days = _last_days(page)
    for number, line in enumerate(page.splitlines(), 1):
        if number in days and not line.lstrip().startswith("|"):
            yield Notice(number, days[number], line.strip())
    for table in tables(page):
        gone = table.column("deprecated")
        for number, cells in table.rows if gone is not None else ():
            if number in days:
                yield Notice(number, days[number], f"{cells[0]} {cells[gone or 0]}")


def _last_days(page: str) -> Mapping[int, date]:
    found: dict[int, date] = {}
    last: date | None = None
    for number, line in enumerate(page.splitlines(), 1):
        stated = _LAST_DAY.search(line)
        last = None if _HEADING.match(line) else last
        last = (_day(stated["day"]) or last) if stated else last
        if last is not None:
            found[number] = last
    return found


def _day(text: str) -> date | None:
    try:
        return datetime.strptime(text, "%B %d, %Y").date()  # noqa: DTZ007 - a day, nowhere in particular
    except ValueError:
        return None
