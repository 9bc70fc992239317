"""Runs one command of the console script, the way its parser would."""

import argparse
from typing import Protocol


class Command(Protocol):
    def register(self, parser: argparse.ArgumentParser) -> None: ...


def run_command(command: Command, name: str, *argv: object) -> int:
    """The exit status. argparse's own refusals come as SystemExit, as in the console script."""
    parser = argparse.ArgumentParser(prog=f"gatekit {name}")
    command.register(parser)
    args = parser.parse_args([str(word) for word in argv])
    return int(args.run(args))
