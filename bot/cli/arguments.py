"""How the command line is read: a pull request, numbers, and what a wrong one is answered."""

import argparse
import re
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from gatekit.domain.ids import Repo


def counting(least: int, most: int) -> Callable[[str], int]:
    """An argparse type: a whole number from `least` to `most`, written in digits."""

    def read(text: str) -> int:
        digits = text.removeprefix("-")
        if digits.isascii() and digits.isdecimal() and len(digits) <= len(str(most)) and least <= int(text) <= most:
            return int(text)
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is no whole number from {least} to {most}")

    return read


_REPO = re.compile(r"[A-Za-z0-9_.-]{1,100}/[A-Za-z0-9_.-]{1,100}")
MOST_PULLS = 10**9


def add_pull(parser: argparse.ArgumentParser, does: str) -> None:
    """`--repo` and `--pr`; the caller sees to it that both are given, or none."""
    parser.add_argument("--repo", type=_repository, metavar="O/N", help=does)
    parser.add_argument("--pr", type=counting(1, MOST_PULLS), metavar="N", help="the pull request's number")


def _repository(text: str) -> Repo:
    if not _REPO.fullmatch(text):
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is no repository: write OWNER/NAME")
    owner, _, name = text.partition("/")
    return Repo(owner, name)


class Version(argparse.Action):
    """Prints the version, which is looked up among what is installed, and only then: that costs as much as a help."""

    def __init__(self, option_strings: Sequence[str], dest: str, help: str) -> None:
        super().__init__(option_strings, argparse.SUPPRESS, nargs=0, default=argparse.SUPPRESS, help=help)

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        from importlib.metadata import version

        print(f"{parser.prog} {version(parser.prog)}")
        parser.exit()


class Parser(argparse.ArgumentParser):
    """Says what is wrong under the usage of the command it was said to, on a line each.

    `fill` gives it its description and arguments; it is called once there is something to parse.
    """

    def __init__(self, *args: Any, fill: Callable[[argparse.ArgumentParser], None] | None = None, **named: Any) -> None:
        super().__init__(*args, **named)
        self._fill = fill

    def parse_known_args(self, *args: Any, **named: Any) -> Any:
        """As the library's, but nothing may be left: it would be refused with the usage of the whole program."""
        fill, self._fill = self._fill, None
        if fill is not None:
            fill(self)
        read, left = super().parse_known_args(*args, **named)
        if left:
            self.error(f"unrecognized arguments: {' '.join(left)}")
        return read, left

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{' '.join(self.format_usage().split())}\n{self.prog}: error: {message}\n")


def root(description: str, epilog: str) -> Parser:
    return Parser(prog="gatekit", description=description, epilog=epilog)
