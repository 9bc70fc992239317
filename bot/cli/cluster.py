"""`gatekit cluster setup|resume NAME`: `setup` puts our programs on a SLURM cluster and says what its operator adds."""

import argparse
import asyncio
import json
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

from bot.cli import cluster_resume
from bot.cluster.config import ClusterEntry, Slurm, read_clusters
from bot.cluster.executor import ClusterUnreachable
from bot.cluster.node_program import build_node
from bot.cluster.slurm.layout import Layout
from bot.cluster.slurm.setup import Ready, public_key, set_up
from bot.cluster.ssh.client import Ssh
from bot.cluster.start import address_of
from bot.settings import read_settings
from gatekit.domain.errors import BadInput, Refusal

SAID, NOT_REACHED = 0, 1


def register(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = commands.add_parser("cluster", help="the clusters of the clusters file")
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
    cluster_resume.add(actions)


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
            return await set_up(ssh, Layout(entry.root), node)
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
