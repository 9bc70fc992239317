"""Sweeps as a list shows them: without their plans, which are large, and with their gates counted."""

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bot.store.database import Database
from bot.store.sweep_rows import FACTS, facts
from gatekit.domain.sweep import GateState, SweepFacts, SweepState
from gatekit.domain.verdict import CurveOutcome

_OPEN_AT_MOST = 500  # one sweep per pull request runs; more than a page can hold is a page too long


@dataclass(frozen=True, slots=True)
class GateStanding:
    """Where a gate stands."""

    state: GateState
    verdict: bool  # it has one
    outcome: CurveOutcome | None  # None though there is a verdict: it could not be measured


@dataclass(frozen=True, slots=True)
class SweepLine(SweepFacts):
    gates: Mapping[GateStanding, int]


@dataclass(frozen=True, slots=True)
class Listing:
    """Each newest first."""

    open: tuple[SweepLine, ...]
    recent: tuple[SweepLine, ...]  # that have ended


class SweepList:
    def __init__(self, db: Database) -> None:
        self._db = db

    async def read(self, recent: int) -> Listing:
        """The sweeps that run, and the last `recent` that do not."""
        return await self._db.read(lambda conn: _listing(conn, recent))


def _listing(conn: sqlite3.Connection, recent: int) -> Listing:
    running, other = (
        conn.execute(
            f"SELECT {', '.join(FACTS)} FROM sweeps WHERE state {equal} ? ORDER BY id DESC LIMIT ?",
            (SweepState.RUNNING, limit),
        ).fetchall()
        for equal, limit in (("=", _OPEN_AT_MOST), ("!=", recent))
    )
    counted = _counted(conn, [row[0] for row in (*running, *other)])
    return Listing(*(tuple(_line(row, counted) for row in rows) for rows in (running, other)))


def _line(row: Sequence[Any], counted: Mapping[int, Mapping[GateStanding, int]]) -> SweepLine:
    of = dict(zip(FACTS, row, strict=True))
    return SweepLine(**facts(of), gates=counted.get(of["id"], {}))


def _counted(conn: sqlite3.Connection, sweeps: Sequence[int]) -> Mapping[int, Mapping[GateStanding, int]]:
    marks = ", ".join("?" * len(sweeps))
    rows = conn.execute(
        "SELECT sweep, state, verdict IS NOT NULL, json_extract(verdict, '$.outcome'), count(*) FROM gates"
        f" WHERE sweep IN ({marks}) GROUP BY 1, 2, 3, 4",
        sweeps,
    )
    found: dict[int, dict[GateStanding, int]] = {}
    for sweep, state, verdict, outcome, count in rows:
        standing = GateStanding(GateState(state), bool(verdict), None if outcome is None else CurveOutcome(outcome))
        found.setdefault(sweep, {})[standing] = count
    return found
