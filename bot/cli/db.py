"""`gatekit db upgrade`: brings the database to today's tables."""

import argparse
from contextlib import closing

from bot.settings import read_settings
from bot.store.connection import connect
from bot.store.migrations import upgrade


def register(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", required=True)
    upgrading = actions.add_parser(
        "upgrade", help="bring the database to the tables of this version; stop the bot first"
    )
    upgrading.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Raises SettingsError or StoreUnusable."""
    del args  # there is one action
    path = read_settings().database
    with closing(connect(path)) as conn:
        before, now = upgrade(conn, path)
    print(f"{path}: version {now} already" if before == now else f"{path}: version {before} → {now}")
    return 0
