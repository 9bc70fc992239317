"""`gatekit db upgrade`: brings the database to today's tables."""

import argparse
import sys
from contextlib import closing
from pathlib import Path

from bot.settings import SettingsError, read_settings
from bot.store.connecting import StoreUnusable, connect
from bot.store.migrations import upgrade


def register(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = commands.add_parser("db", help="the bot's database")
    actions = parser.add_subparsers(dest="action", required=True)
    upgrading = actions.add_parser(
        "upgrade", help="bring the database to the tables of this version; stop the bot first"
    )
    upgrading.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """0 done, 2 the database or a setting cannot be used."""
    del args  # there is one action
    try:
        path = read_settings().database
        before, now = _upgraded(path)
    except (SettingsError, StoreUnusable) as error:
        print(error, file=sys.stderr)
        return 2
    print(f"{path}: version {now} already" if before == now else f"{path}: version {before} → {now}")
    return 0


def _upgraded(path: Path) -> tuple[int, int]:
    with closing(connect(path)) as conn:
        return upgrade(conn, path)
