"""`gatekit cluster resume NAME`: the operator has removed what jobs left; gates go on."""

import argparse
import asyncio
import sys

from bot.settings import read_settings
from bot.store.connection import StoreUnusable
from bot.store.database import Database
from bot.store.pauses import PauseStore
from gatekit.domain.sweep import Pausing


def add(actions: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    resume = actions.add_parser(
        "resume",
        help="let a cluster take gates again, once what jobs left on it is removed",
        description="A cluster on which a job left what it could not remove takes no more gates. The operator page and "
        "the log name it. Remove it, then run this; a bot that runs goes on at its next look.",
    )
    resume.add_argument("name", metavar="NAME", help="the cluster, as the clusters file calls it")
    resume.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """1: it was not paused. Raises SettingsError or StoreUnusable."""
    return asyncio.run(_resume(args.name))


async def _resume(name: str) -> int:
    path = read_settings().database
    if not await asyncio.to_thread(path.is_file):
        raise StoreUnusable(f"There is no database at {path}: set GATEKIT_DATABASE to the bot's file.")
    async with Database(path) as db:
        pauses = PauseStore(db)
        left = [one for one in await pauses.standing() if (one.cluster, one.why) == (name, Pausing.LEFTOVERS)]
        if not await pauses.end(name, Pausing.LEFTOVERS):
            print(f"{name} is not paused.", file=sys.stderr)
            return 1
    for one in left:
        print(f"{name} takes gates again. It was paused since {one.since:%Y-%m-%d %H:%M} UTC: {one.said}")
    return 0
