"""`gatekit cluster setup|resume NAME`: put our programs on a SLURM cluster; let a paused one take gates again."""

import argparse
import asyncio
import json
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

from bot.cluster.config import ClusterEntry, Slurm, read_clusters
from bot.cluster.executor import ClusterUnreachable
from bot.cluster.node_program import build_node
from bot.cluster.slurm.files import ClusterLayout
from bot.cluster.slurm.setup import Ready, public_key, set_up
from bot.cluster.ssh.client import Ssh
from bot.cluster.start import address_of
from bot.settings import read_settings
from bot.store.connection import StoreUnusable
from bot.store.database import Database
from bot.store.pauses import PauseStore
from gatekit.domain.errors import BadInput, Refusal
from gatekit.domain.sweep import Pausing


def _add_resume(actions: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    resume = actions.add_parser(
        "resume",
        help="let a cluster take gates again, once what jobs left on it is removed",
        description="A cluster on which a job left what it could not remove takes no more gates. The operator page and "
        "the log name it. Remove it, then run this; a bot that runs goes on at its next look.",
    )
    resume.add_argument("name", metavar="NAME", help="the cluster, as the clusters file calls it")
    resume.set_defaults(run=run_resume)


def run_resume(args: argparse.Namespace) -> int:
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


SAID, NOT_REACHED = 0, 1


def register(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", required=True)
    setup = actions.add_parser(
        "setup",
        help="copy our programs to a SLURM cluster, and print what the operator adds",
        description="Makes our folders below the cluster's root, copies the node program and the program for the login "
        "node under their digests, and prints the line for the account's authorized_keys. May be run at any time.",
    )
    setup.add_argument("name", metavar="NAME", help="a cluster of the clusters file")
    setup.add_argument("--json", action="store_true", help="one object on stdout")
    setup.set_defaults(run=run)
    _add_resume(actions)


def run(args: argparse.Namespace) -> int:
    """0 it is set up, 1 the cluster is out of reach. Raises SettingsError or Refusal."""
    settings = read_settings()
    entry, slurm = _slurm(settings.clusters_file, args.name)
    key = public_key(slurm.key_file) if Path(slurm.key_file).is_file() else ""
    try:
        ready = asyncio.run(_set_up(entry, slurm))
    except ClusterUnreachable as error:
        print(error, file=sys.stderr)
        return NOT_REACHED
    line = ready.authorized_keys(key)
    if args.json:
        print(json.dumps({**asdict(ready), "authorized_keys": line}, indent=1))
    else:
        print(_words(entry, slurm, ready, line))
    return SAID


def _slurm(path: Path, name: str) -> tuple[ClusterEntry, Slurm]:
    entry = next((entry for entry in read_clusters(path) if entry.cluster.name == name), None)
    if entry is None:
        raise BadInput(str(path), f"has no cluster {name}: name one of those that stand there")
    if not isinstance(entry.reach, Slurm):
        raise Refusal(f"{name} is no SLURM cluster, so there is nothing to set up")
    return entry, entry.reach


async def _set_up(entry: ClusterEntry, slurm: Slurm) -> Ready:
    ssh = Ssh(address_of(slurm))
    with tempfile.TemporaryDirectory(prefix="gatekit-") as folder:
        node = await asyncio.to_thread(build_node, Path(folder))
        try:
            return await set_up(ssh, ClusterLayout(entry.root), node)
        finally:
            await ssh.close()


def _words(entry: ClusterEntry, slurm: Slurm, ready: Ready, line: str) -> str:
    return f"""\
{entry.cluster.name} is set up. Below {entry.root} on {slurm.host} there are now:
  {ready.node}
  {ready.remote}
  {ready.door}
{_queue(slurm, ready)}

So that the bot's key can do nothing else there, write this as its only line into the authorized_keys of {slurm.user}:
  {line}
Run this command again after each update of the bot: the line names the program by its digest.
An Epilog that removes what a killed job leaves on a node stands in docs/slurm.md."""


def _queue(slurm: Slurm, ready: Ready) -> str:
    if ready.jobs is None:
        return "The bot's key still runs the program of an earlier version only, so the controller was not asked."
    return f"The controller answers; the account {slurm.user} has {ready.jobs} jobs in its queue."
