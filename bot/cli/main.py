"""The console script: one command, one file beside this one, which is imported when the command is asked for."""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module

from bot.cli.arguments import Version, root
from bot.cli.output import OutputLost, kept_output
from bot.errors import OperatorError
from gatekit.domain.errors import Refusal


@dataclass(frozen=True, slots=True)
class Command:
    """`name`: also that of its module. `help`: its line in the list of commands."""

    name: str
    help: str

    def register(self, parser: argparse.ArgumentParser) -> None:
        """The description and the arguments, as the module has them."""
        import_module(f"bot.cli.{self.name}").register(parser)


COMMANDS = (
    Command("serve", "run the bot"),
    Command("demo", "a whole pull request story on this machine"),
    Command("plan", "the gate plan of a checkout or a pull request"),
    Command("points", "every AgentX row of a checkout"),
    Command("recipe", "the merged recipe of a checkout"),
    Command("goldens", "the golden curves"),
    Command("al", "realized acceptance length of two Prometheus scrapes"),
    Command("collect", "measure a golden curve"),
    Command("prompts", "prepare the prompts, or check a prepared file"),
    Command("cluster", "the clusters of the clusters file"),
    Command("owners", "who owns a path, and which line of CODEOWNERS says so"),
    Command("signoff", "the CODEOWNER checklist"),
    Command("deliveries", "the webhook deliveries that are stored"),
    Command("db", "the bot's database"),
    Command("doctor", "check the installation, and say how to mend it"),
)


def parser() -> argparse.ArgumentParser:
    whole = root(
        description="Measures the acceptance length of speculative-decoding changes on pull requests.",
        epilog="Exit status: 0 done, 1 the answer is no, 2 wrong usage or configuration.",
    )
    whole.add_argument("--version", action=Version, help="show program's version number and exit")
    commands = whole.add_subparsers(metavar="COMMAND", required=True)
    for command in COMMANDS:
        commands.add_parser(command.name, help=command.help, fill=command.register)
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
    except (OperatorError, Refusal) as no:
        print(no, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
