"""`gatekit plan`: the gate plan of a checkout, offline, or of a pull request as GitHub has it."""

import argparse
import hashlib
import json
import sys
from collections.abc import Callable, Sequence

from bot.cli.arguments import add_pull
from bot.cli.folder import folder_named
from bot.cli.plan_sources import PlanInput, from_folders
from bot.cli.plan_views import as_json, as_text
from bot.cluster.node_program import pack
from bot.errors import NotReached
from gatekit.bench.matrix.changelog_rules import breaches
from gatekit.domain.errors import BadInput, Refusal
from gatekit.domain.gates import GatePlan
from gatekit.domain.ids import PrRef
from gatekit.plan.plan import changelog_of, plan, plan_keys


def register(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Says which gates a change would start, what each would be held to, and why a point gets none. "
        "Starts nothing and writes nothing."
    )
    parser.add_argument("--tree", type=folder_named, metavar="DIR", help="the checkout to plan")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--base-tree", type=folder_named, metavar="DIR", help="plan what the changelog adds to it")
    which.add_argument("--all", action="store_true", help="plan every config key")
    add_pull(parser, "plan a pull request of it, read through the App")
    parser.add_argument("--goldens", type=folder_named, metavar="DIR", help="a folder of curves instead of our own")
    parser.add_argument("--strict", action="store_true", help="hold the changelog to every rule, also those of a merge")
    parser.add_argument("--explain-key", action="store_true", help="show the parts of each gate's reuse key")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """0 planned; 1 it cannot be planned, breaks a rule, or GitHub did not answer; 2 wrong usage.

    Raises SettingsError, and BadInput for the clusters file.
    """
    wrong = _wrong_usage(args)
    if wrong is not None:
        print(f"gatekit plan: {wrong}", file=sys.stderr)
        return 2
    digest = hashlib.sha256(pack()).hexdigest()
    read = _source(args, digest)
    try:
        given = read()
        broken = breaches(changelog_of(given.sources), given.pull) if args.strict else ()
        return _answer(args, given, broken, digest)
    except NotReached as error:
        print(error, file=sys.stderr)
        return 2 if error.ours else 1
    except Refusal as no:
        print(no, file=sys.stderr)
        return 1


def _source(args: argparse.Namespace, digest: str) -> Callable[[], PlanInput]:
    """Reads what is planned. Raises SettingsError, and BadInput for the clusters file."""
    if args.repo is None:
        return lambda: from_folders(args)
    # imported here: what asks GitHub takes longer to import than a checkout takes to plan
    from bot.cli.plan_live import from_github, read_operator

    operator = read_operator()
    return lambda: from_github(PrRef(args.repo, args.pr), operator, args.goldens, digest)


def _answer(args: argparse.Namespace, given: PlanInput, broken: Sequence[BadInput], digest: str) -> int:
    try:
        made = _planned(given, digest, every_key=args.all)
    except Refusal as no:
        print("\n".join(dict.fromkeys((*map(str, broken), *no.sentences))), file=sys.stderr)
        return 1
    explained = digest if args.explain_key else None
    if args.json:
        found = [{"where": one.where, "problem": one.problem} for one in broken]
        print(json.dumps({**as_json(made, explained), **({"violations": found} if args.strict else {})}, indent=1))
    else:
        which = [] if given.pull is None else [f"{given.pull} at {made.head}"]
        print("\n".join((*which, *map(str, broken), as_text(made, explained))))
    return 1 if broken else 0


def _planned(given: PlanInput, digest: str, every_key: bool) -> GatePlan:
    if every_key:
        return plan_keys(given.sources, None, given.clusters, digest)
    return plan(given.sources, given.clusters, digest)


def _wrong_usage(args: argparse.Namespace) -> str | None:
    if args.repo is not None or args.pr is not None:
        if args.repo is None or args.pr is None:
            return "give --repo OWNER/NAME and --pr NUMBER together"
        if args.tree is not None or args.base_tree is not None or args.all:
            return "give --repo and --pr, or --tree, but not both"
    elif args.tree is None:
        return "give the checkout with --tree DIR, or a pull request with --repo OWNER/NAME --pr NUMBER"
    elif args.base_tree is None and not args.all:
        return "give --base-tree DIR to plan what the changelog adds, or --all for every config key"
    if args.strict and args.all:
        return "give --base-tree instead of --all: --strict looks at what a change adds to the changelog"
    for folder in (args.tree, args.base_tree, args.goldens):
        if folder is not None and not folder.is_dir():
            return f"{folder} is no folder; correct the path"
    return None
