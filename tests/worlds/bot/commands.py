"""Runs one command of the console script, the way its parser would."""

import argparse
from typing import Protocol


class Command(Protocol):
    def register(self, commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None: ...


def run_command(command: Command, *argv: object) -> int:
    """The exit status. argparse's own refusals come as SystemExit, as in the console script."""
    parser = argparse.ArgumentParser(prog="gatekit")
    command.register(parser.add_subparsers(required=True))
    args = parser.parse_args([str(word) for word in argv])
    return int(args.run(args))
