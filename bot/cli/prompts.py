"""`gatekit prompts`: prepare SPEED-Bench's prompts, and check a prepared file."""

import argparse
import hashlib
import json
import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path

from bot.cli.arguments import counting
from bot.collect.prompts import AS_OF, REVISION, Preparing, prepare, write
from bot.files import own_curves
from bot.node.failures import Failed
from bot.node.jobfile import ALL
from bot.node.prompts import check, digest, select

CATEGORY, COUNT = "coding", 80
MOST = 100_000  # prompts
UNKNOWN = (
    "Nobody wrote down which digest it should have: put this one into `prompts.sha256` of the repository; "
    "gatekit collect writes it into curves"
)


@dataclass(frozen=True, slots=True)
class Expected:
    """What a file should hold. `sha256` None: nobody wrote the digest down."""

    count: int
    category: str
    sha256: str | None
    turns: str = ALL


def register(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "The prompts of SPEED-Bench must not be passed on: everybody prepares them with its own script."
    )
    actions = parser.add_subparsers(metavar="ACTION", required=True)
    made = actions.add_parser(
        "prepare",
        help="prepare the prompts",
        description=f"Runs prepare.py of NeMo-Skills at {REVISION[:10]}, with what it needs as of {AS_OF}, in an "
        "environment of its own. Needs uv, a way to Hugging Face, some GB of disk, and HF_TOKEN for sources that are "
        "not open to everybody. This may take an hour.",
    )
    made.add_argument("--out", type=Path, required=True, metavar="FILE", help="where the prepared file goes")
    made.add_argument("--script", type=Path, metavar="FILE", help="a copy of prepare.py, instead of fetching it")
    _expectations(made)
    made.set_defaults(run=_prepare)
    looked = actions.add_parser("check", help="check a prepared file: how many prompts, all fetched, which digest")
    looked.add_argument("file", type=Path, metavar="FILE")
    _expectations(looked)
    looked.set_defaults(run=_check)


def _expectations(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--curve", metavar="CURVE", help="hold it to the collection of this curve of ours")
    parser.add_argument("--sha256", type=_hex, metavar="HEX", help="the digest that it must have")
    parser.add_argument("--category", default=CATEGORY, metavar="C", help=f"default: {CATEGORY}")
    parser.add_argument("--count", type=counting(1, MOST), default=COUNT, metavar="N", help=f"default: {COUNT}")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def _hex(text: str) -> str:
    if re.fullmatch(r"[0-9a-fA-F]{64}", text) is None:
        raise argparse.ArgumentTypeError("a digest has 64 hex digits")
    return text.lower()


def _check(args: argparse.Namespace) -> int:
    """0 it is such a file, 1 it is not, or cannot be read; 2 wrong usage."""
    expected = _expected(args)
    if expected is None:
        return 2
    found = None
    try:
        data, found = digest(args.file)
        _hold(expected, data, found)
    except Failed as no:
        return _answer(args, expected, found, str(no))
    return _answer(args, expected, found, None)


def _prepare(args: argparse.Namespace) -> int:
    """0 it stands in the file, 1 it could not be prepared or is not what it should be; 2 wrong usage."""
    expected = _expected(args)
    if expected is None:
        return 2
    if not args.out.parent.is_dir():
        print(f"gatekit prompts: {args.out.parent} is no folder; correct --out", file=sys.stderr)
        return 2
    found = None
    try:
        data = prepare(Preparing(args.script), os.environ)
        found = hashlib.sha256(data).hexdigest()
        _hold(expected, data, found)
        write(data, args.out)
    except Failed as no:
        return _answer(args, expected, found, str(no))
    return _answer(args, expected, found, None)


def _expected(args: argparse.Namespace) -> Expected | None:
    """None where the curve is none that a gate could replay; why is on stderr."""
    if args.curve is None:
        return Expected(args.count, args.category, args.sha256)
    curve = own_curves().get(args.curve)
    if curve is None or curve.collection is None:
        what = "is no curve of ours" if curve is None else "has no collection"
        print(f"gatekit prompts: {args.curve} {what}; see gatekit goldens list", file=sys.stderr)
        return None
    of = curve.collection
    return Expected(of.prompts, of.category, args.sha256 or of.prompts_sha256)


def _hold(expected: Expected, data: bytes, found: str) -> None:
    """Raises Failed where the file is not what it should be: first whether it is whole, then whether it is the one."""
    select(data, expected)
    check(found, expected.sha256)


def _answer(args: argparse.Namespace, expected: Expected, found: str | None, reason: str | None) -> int:
    """`found`: the file's digest, where there is a file; `reason` None: it is as it should be."""
    if args.json:
        said = {"ok": reason is None, "sha256": found, "expected": expected.sha256, "reason": reason}
        print(json.dumps({**said, "category": expected.category, "prompts": expected.count}, indent=1))
    elif reason is not None:
        print(reason, file=sys.stderr)
    else:
        print(f"{expected.count} prompts of category {expected.category}, all fetched; sha256 {found}")
        if expected.sha256 is None:
            print(UNKNOWN, file=sys.stderr)
    return 0 if reason is None else 1
