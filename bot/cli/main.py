"""The console script: one command, one file beside this one."""

import argparse
import sys
from collections.abc import Sequence
from importlib.metadata import version

from bot.cli import (
    al,
    cluster,
    collect,
    db,
    deliveries,
    demo,
    doctor,
    goldens,
    owners,
    plan,
    points,
    prompts,
    recipe,
    serve,
    signoff,
)
from bot.cli.arguments import root
from bot.cli.output import OutputLost, kept_output
from bot.settings import SettingsError
from bot.store.connection import StoreUnusable
from gatekit.domain.errors import Refusal

COMMANDS = (
    serve,
    demo,
    plan,
    points,
    recipe,
    goldens,
    al,
    collect,
    prompts,
    cluster,
    owners,
    signoff,
    deliveries,
    db,
    doctor,
)


def parser() -> argparse.ArgumentParser:
    whole = root(
        description="Measures the acceptance length of speculative-decoding changes on pull requests.",
        epilog="Exit status: 0 done, 1 the answer is no, 2 wrong usage or configuration.",
    )
    whole.add_argument("--version", action="version", version=f"gatekit {version('gatekit')}")
    commands = whole.add_subparsers(metavar="COMMAND", required=True)
    for command in COMMANDS:
        command.register(commands)
    return whole


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command; the boundary where what a person can mend becomes one line on stderr."""
    try:
        with kept_output():
            return _run(argv)
    except OutputLost as lost:
        if str(lost):
            print(lost, file=sys.stderr)
        return 1


def _run(argv: Sequence[str] | None) -> int:
    args = parser().parse_args(argv)
    try:
        return int(args.run(args))
    except (SettingsError, StoreUnusable, Refusal) as no:
        print(no, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
