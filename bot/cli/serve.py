"""`gatekit serve`: the bot."""

import argparse
import asyncio
import signal

from bot.app import running
from bot.assembly import Parts
from bot.cluster.config import read_clusters
from bot.cluster.node_program import build_node
from bot.cluster.start import start_clusters
from bot.files import own_curves
from bot.logs import set_up_logging
from bot.settings import AppCredentials, Settings, SettingsError, app_identity, read_settings


def register(parser: argparse.ArgumentParser) -> None:
    parser.description = "Runs the bot until SIGTERM or SIGINT."
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    del args  # everything comes from the operator's settings
    settings = read_settings()
    identity = app_identity(settings)
    set_up_logging(settings.log_format, identity.secrets)
    try:
        parts = read_parts(settings, identity)
        asyncio.run(_until_told(parts))
    except OSError as error:  # a port that is taken, a host that is not ours, a folder that cannot be made
        raise SettingsError(_cannot(error)) from error
    return 0


def _cannot(error: OSError) -> str:
    what = error.strerror or str(error)
    return (
        f"The bot cannot start ({what}): correct GATEKIT_HOST, GATEKIT_PORT, GATEKIT_OPERATOR_PORT or GATEKIT_DATABASE."
    )


def read_parts(settings: Settings, identity: AppCredentials) -> Parts:
    """What the operator's settings make of a bot. Raises SettingsError or Refusal for what cannot be used."""
    node = build_node(settings.database.absolute().parent / "node")
    return Parts(
        settings=settings,
        identity=identity,
        clusters=start_clusters(read_clusters(settings.clusters_file), node, allow_local=settings.allow_local),
        curves=own_curves(),
        node=node,
    )


async def _until_told(parts: Parts) -> None:
    told = asyncio.Event()
    loop = asyncio.get_running_loop()
    for one in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(one, told.set)
    async with running(parts):
        await told.wait()
