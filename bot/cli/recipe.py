"""`gatekit recipe`: a merged recipe, as written or with forced acceptance taken out."""

import argparse
import json
import sys
from collections.abc import Mapping

import yaml

from bot.cli.arguments import counting
from bot.cli.folder import folder_named, read_folder
from bot.cli.plan_views import as_said, stripped_line
from gatekit.bench.recipes.roles import engine_named, generating, roles
from gatekit.bench.recipes.shelf import resolve
from gatekit.bench.repo.settings_file import SETTINGS_PATH, parse_settings
from gatekit.domain.errors import Refusal
from gatekit.domain.gates import EngineName
from gatekit.engines.engine import Engine
from gatekit.engines.registry import ENGINES
from gatekit.serving.strip import Stripped, strip

MOST = 1_000_000  # requests in flight


def register(parser: argparse.ArgumentParser) -> None:
    parser.description = "Prints a recipe with its variant merged in: as it is written, or as a gate would serve it."
    parser.add_argument(
        "recipe",
        metavar="RECIPE[:SELECTOR]",
        help="from the root of the checkout, as the master configs write it: `recipes/…` stands for the recipe folder",
    )
    parser.add_argument("--tree", type=folder_named, required=True, metavar="DIR", help="the checkout")
    parser.add_argument(
        "--concurrency", type=counting(1, MOST), metavar="N", help="picks the variant without a selector"
    )
    parser.add_argument("--engine", metavar="E", help="whose drafting to read, where the recipe does not name it")
    parser.add_argument("--real", action="store_true", help="take forced acceptance out, and list it")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """0 done, 1 there is no such recipe or it cannot be read, 2 wrong usage."""
    if not args.tree.is_dir():
        print(f"gatekit recipe: {args.tree} is no folder; correct the path", file=sys.stderr)
        return 2
    if args.engine is not None and args.engine not in ENGINES.by_name:
        known = ", ".join(ENGINES.by_name)
        print(f"gatekit recipe: the engine {args.engine} is not supported yet; supported are {known}", file=sys.stderr)
        return 2
    try:
        _print(args)
    except Refusal as no:
        print(no, file=sys.stderr)
        return 1
    return 0


def _print(args: argparse.Namespace) -> None:
    tree = read_folder(args.tree)
    layout = parse_settings(tree.files.get(SETTINGS_PATH)).layout.at(tree)
    recipe = resolve(tree, layout, args.recipe, args.concurrency)
    content = recipe.content
    for said in recipe.repeats:
        print(said, file=sys.stderr)
    if not args.real:
        print(json.dumps({"recipe": content}, indent=1) if args.json else _yaml(content), end="\n" if args.json else "")
        return
    stripped = strip(content)
    drafting = _drafting(stripped, args.engine)
    if args.json:
        knobs = [{"path": knob.path, "knob": knob.knob, "value": knob.value} for knob in stripped.knobs]
        print(json.dumps({"recipe": stripped.content, "stripped": knobs, "drafting": drafting}, indent=1))
        return
    print(_yaml(stripped.content), end="")
    for knob in stripped.knobs:
        print(f"taken out: {stripped_line(knob)}", file=sys.stderr)
    said = "unknown" if drafting is None else ", ".join(f"{name} {as_said(value)}" for name, value in drafting.items())
    print(f"drafting: {said}", file=sys.stderr)


def _drafting(stripped: Stripped, engine_name: str | None) -> Mapping[str, object] | None:
    """What the generation role drafts with; None where it drafts nothing, or its engine is not known."""
    engine = _engine(stripped.content, engine_name)
    speculation = None if engine is None else engine.speculation(generating(roles(stripped.content)))
    if speculation is None:
        return None
    benchmark = stripped.content.get("benchmark")
    env = benchmark.get("env") if isinstance(benchmark, Mapping) else None
    return {
        "method": speculation.method,
        "k": speculation.k,
        "draft_model": speculation.draft_model,
        "draft_sample_method": speculation.draft_sample_method,
        "thinking": env.get("THINKING_MODE") if isinstance(env, Mapping) else None,
    }


def _engine(content: Mapping[str, object], given: str | None) -> Engine | None:
    if given is not None:
        return ENGINES.by_name[EngineName(given)]
    return ENGINES.by_framework.get(engine_named(content) or "")


class _Dumper(yaml.SafeDumper):
    """Writes what two roles share twice, as a person would read it."""

    def ignore_aliases(self, _data: object) -> bool:
        return True


def _yaml(content: Mapping[str, object]) -> str:
    return yaml.dump(content, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=120)
