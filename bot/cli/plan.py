"""`gatekit plan`: the gate plan of a checkout, offline."""

import argparse
import hashlib
import json
import sys
from collections.abc import Mapping
from pathlib import Path

from bot.cli.folder import folder_named, read_curves, read_folder
from bot.cli.plan_views import as_json, as_text
from bot.cluster.zipapp import pack
from bot.own_curves import own_curves
from gatekit.gates import GatePlan
from gatekit.goldens import Curve, load_curves
from gatekit.plan import Sources, plan, plan_keys
from gatekit.refusal import Refusal
from gatekit.settings import SETTINGS_PATH, RepoSettings, parse_settings
from gatekit.snapshot import Snapshot


def register(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = commands.add_parser(
        "plan",
        help="the gate plan of a checkout",
        description="Says which gates a change would start, what each would be held to, and why a point gets none. "
        "Starts nothing and asks nobody.",
    )
    parser.add_argument("--tree", type=folder_named, metavar="DIR", help="the checkout to plan")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--base-tree", type=folder_named, metavar="DIR", help="plan what the changelog adds to it")
    which.add_argument("--all", action="store_true", help="plan every config key")
    parser.add_argument("--goldens", type=folder_named, metavar="DIR", help="a folder of curves instead of our own")
    parser.add_argument("--explain-key", action="store_true", help="show the parts of each gate's reuse key")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--repo", metavar="O/N", help="not yet: plan a live pull request")
    parser.add_argument("--pr", type=int, metavar="N", help="not yet: its number")
    parser.add_argument("--strict", action="store_true", help="not yet: every changelog rule")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """0 planned, 1 the tree cannot be planned, 2 wrong usage."""
    wrong = _wrong_usage(args)
    if wrong is not None:
        print(wrong, file=sys.stderr)
        return 2
    digest = hashlib.sha256(pack()).hexdigest()
    try:
        made = _plan(args, digest)
    except Refusal as no:
        print(no, file=sys.stderr)
        return 1
    explained = digest if args.explain_key else None
    print(json.dumps(as_json(made, explained), indent=1) if args.json else as_text(made, explained))
    return 0


def _wrong_usage(args: argparse.Namespace) -> str | None:
    if args.repo is not None or args.pr is not None:
        return "gatekit plan --repo: not yet; check the pull request out and use --tree and --base-tree"
    if args.strict:
        return "gatekit plan --strict: not yet; leave it out"
    if args.tree is None:
        return "gatekit plan: give the checkout with --tree DIR"
    if args.base_tree is None and not args.all:
        return "gatekit plan: give --base-tree DIR to plan what the changelog adds, or --all for every config key"
    for folder in (args.tree, args.base_tree, args.goldens):
        if folder is not None and not folder.is_dir():
            return f"gatekit plan: {folder} is no folder; correct the path"
    return None


def _plan(args: argparse.Namespace, digest: str) -> GatePlan:
    head = read_folder(args.tree)
    base = head if args.base_tree is None else read_folder(args.base_tree)
    settings = parse_settings(base.files.get(SETTINGS_PATH))
    sources = Sources(head, base, None, settings, _curves(args.goldens, base, settings))
    return plan_keys(sources, None, None, digest) if args.all else plan(sources, None, digest)


def _curves(folder: Path | None, base: Snapshot, settings: RepoSettings) -> Mapping[str, Curve]:
    if folder is not None:
        return read_curves(folder)
    place = settings.layout.at(base).goldens
    if place is None:
        return own_curves()
    return load_curves({path: data for path, data in base.files.items() if path.startswith(f"{place}/")})
