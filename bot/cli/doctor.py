"""`gatekit doctor`: looks at everything that a bot needs, and says how to mend what is wrong."""

import argparse
import asyncio
import json
from collections.abc import Iterator

from bot.doctor.clusters import check_clusters
from bot.doctor.database import check_database
from bot.doctor.finding import Finding, FindingState, bad, fine, refused
from bot.doctor.github import check_github
from bot.doctor.ports import check_ports
from bot.github.auth import AppIdentity
from bot.settings import Settings, SettingsError, app_identity, read_settings

SETTINGS, IDENTITY = "settings", "app identity"
_LABELS = {
    FindingState.FINE: "ok  ",
    FindingState.WARNING: "warn",
    FindingState.BAD: "BAD ",
    FindingState.UNKNOWN: "?   ",
    FindingState.UNSEEN: "?   ",
}


def register(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Looks at the settings, the App at GitHub, the database, the ports and every cluster, a line each: "
        "ok, warn (works, and could be better), BAD, or ? (could not find out). Changes nothing."
    )
    parser.add_argument("--cluster", metavar="NAME", help="look at this cluster only")
    parser.add_argument("--json", action="store_true", help="print one JSON array")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """0 all is well as far as can be seen from here, 1 something is not, or could not be found out."""
    found = tuple(examine(args.cluster))
    print(json.dumps([each.as_json() for each in found], indent=1) if args.json else "\n".join(map(_line, found)))
    return 1 if any(each.state in (FindingState.BAD, FindingState.UNKNOWN) for each in found) else 0


def examine(cluster: str | None) -> Iterator[Finding]:
    """Every check; `cluster`: only that of one cluster, and what is needed to know of it."""
    try:
        settings = read_settings()
    except SettingsError as no:
        yield refused(SETTINGS, no, "correct it in the environment or in .env")
        return
    yield fine(SETTINGS, "all that are set are known and have a value that can be used")
    if cluster is None:
        yield from _github(settings)
        yield from check_database(settings.database)
        yield from check_ports(settings)
    yield from check_clusters(settings.clusters_file, cluster, allow_local=settings.allow_local)


def _github(settings: Settings) -> Iterator[Finding]:
    try:
        ours = app_identity(settings)
        identity = AppIdentity(ours.app_id, ours.private_key.get_secret_value(), settings.github_api_url)
    except SettingsError as no:
        yield refused(IDENTITY, no, "correct it in the environment or in .env")
        return
    except ValueError as error:
        yield bad(IDENTITY, str(error), "use the file that GitHub gave for the App")
        return
    yield fine(IDENTITY, "the App's id, private key and webhook secret are there")
    yield from asyncio.run(check_github(identity))


def _line(finding: Finding) -> str:
    line = f"{_LABELS[finding.state]} {finding.check}: {finding.detail}"
    return f"{line}\n     → {finding.mend}" if finding.mend else line
