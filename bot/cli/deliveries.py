"""`gatekit deliveries list|replay`: look at what GitHub sent, and run a delivery again."""

import argparse
import asyncio
import json
import sqlite3
import sys
from collections.abc import Callable, Coroutine
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any, TypeAlias

from bot.cli.arguments import counting
from bot.settings import read_settings
from bot.store.connection import StoreUnusable
from bot.store.database import Database
from bot.store.deliveries import Deliveries, DeliveryRow, DeliveryState
from bot.store.migrations import refuse_other_version
from gatekit.domain.ids import DeliveryId

MOST = 1_000_000  # deliveries on one list

_What: TypeAlias = Callable[[argparse.Namespace, Deliveries], Coroutine[Any, Any, int]]


def register(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", required=True)
    listing = actions.add_parser("list", help="the newest deliveries and what became of them")
    listing.add_argument("--state", action="append", choices=[state.value for state in DeliveryState])
    listing.add_argument("--limit", type=counting(1, MOST), default=50, metavar="N", help="how many, 50 if not given")
    listing.add_argument("--json", action="store_true", help="one object on stdout")
    listing.set_defaults(run=run, what=_list)
    replaying = actions.add_parser(
        "replay", help="handle a finished or parked delivery once more, after what waits now"
    )
    replaying.add_argument("id", help="the delivery's id, as `list` and GitHub show it")
    replaying.set_defaults(run=run, what=_replay)


def run(args: argparse.Namespace) -> int:
    """1: there is no such delivery. Raises SettingsError or StoreUnusable."""
    return asyncio.run(_with_store(args, args.what))


async def _with_store(args: argparse.Namespace, what: _What) -> int:
    path = read_settings().database
    if not await asyncio.to_thread(path.is_file):
        raise StoreUnusable(f"There is no database at {path}: set GATEKIT_DATABASE to the bot's file.")
    await asyncio.to_thread(_refuse_unmade, path)
    async with Database(path) as db:
        try:
            return await what(args, Deliveries(db))
        except sqlite3.Error as error:
            raise StoreUnusable(f"The database {path} could not be used ({error}): try again.") from error


def _refuse_unmade(path: Path) -> None:
    """Opening for work makes tables in an empty file, and changes another program's: so it is read first.

    Raises StoreUnusable. A file that is no database at all is left to the opening.
    """
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as conn:
            if conn.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]:
                refuse_other_version(conn, path)
                return
    except sqlite3.Error:
        return
    raise StoreUnusable(f"The database {path} is empty: start the bot once, or set GATEKIT_DATABASE to the bot's file.")


async def _list(args: argparse.Namespace, deliveries: Deliveries) -> int:
    states = [DeliveryState(state) for state in args.state] if args.state else list(DeliveryState)
    rows = await deliveries.listing(states, args.limit)
    if args.json:
        print(json.dumps({"deliveries": [_as_json(row) for row in rows]}))
    else:
        for row in rows:
            print(_line(row))
    return 0


async def _replay(args: argparse.Namespace, deliveries: Deliveries) -> int:
    before = await deliveries.replay(DeliveryId(args.id))
    if before is None:
        print(
            f"There is no delivery {args.id}: `gatekit deliveries list` shows those that are stored.", file=sys.stderr
        )
        return 1
    print("It waits already." if before is DeliveryState.WAITING else f"Was {before}; waits to be handled again.")
    return 0


def _line(row: DeliveryRow) -> str:
    what = f"{row.event}.{row.action}" if row.action else row.event
    tries = f"{row.tries} failed" if row.tries else ""
    columns = (f"{row.received:%Y-%m-%d %H:%M:%S}Z", row.state, row.id, what, row.lane or "-", tries, row.detail)
    return _printable("  ".join(column for column in columns if column))


def _as_json(row: DeliveryRow) -> dict[str, object]:
    return {
        "id": row.id,
        "event": row.event,
        "action": row.action,
        "lane": row.lane,
        "received": row.received.isoformat(),
        "state": row.state,
        "tries": row.tries,
        "next": _iso(row.next_at),
        "detail": row.detail,
    }


def _iso(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()


def _printable(text: str) -> str:
    """Text from outside may hold control characters that would move a terminal's cursor."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)
