"""How a command names a pull request: its repository, and its number."""

import argparse
import re

from bot.cli.numbers import counting
from gatekit.domain.ids import Repo

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
