"""`gatekit goldens`: look at the golden curves, and check their files."""

import argparse
import json
import sys
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path

from bot.cli.folder import curve_files, folder_named, read_curves
from bot.files import own_curves, own_files
from gatekit.domain.collection import Thinking
from gatekit.domain.errors import BadInput, Refusal
from gatekit.goldens.curve import Curve
from gatekit.goldens.lookup import Question, check_curves, curve_for, lookup


def register(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(metavar="ACTION", required=True)
    check = _action(actions, "check", "read every curve, and say which line of which is wrong")
    check.set_defaults(run=_check)
    _action(actions, "list", "every curve, one line each").set_defaults(show=_list)
    show = _action(actions, "show", "one curve with its collection")
    show.add_argument("curve")
    show.set_defaults(show=_show)
    find = _action(actions, "lookup", "the golden AL of a drafting configuration")
    find.add_argument("prefix", help="model prefix, e.g. dsv4")
    find.add_argument("method", help="e.g. mtp")
    find.add_argument("k", type=int, help="number of speculative tokens")
    find.add_argument("--draft-model", metavar="M")
    find.add_argument("--draft-sample-method", metavar="S")
    find.add_argument("--thinking", choices=[mode.value for mode in Thinking], default=Thinking.ON.value)
    find.set_defaults(show=_lookup)


def _action(
    actions: "argparse._SubParsersAction[argparse.ArgumentParser]", name: str, text: str
) -> argparse.ArgumentParser:
    parser = actions.add_parser(name, help=text)
    parser.add_argument("--goldens", type=folder_named, metavar="DIR", help="a folder of curves instead of our own")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(run=run)
    return parser


def run(args: argparse.Namespace) -> int:
    """0 done, 1 there is no such value or a file is no curve, 2 wrong usage."""
    if _no_folder(args.goldens):
        return 2
    try:
        curves = own_curves() if args.goldens is None else read_curves(args.goldens)
        data, text = args.show(args, curves)
    except Refusal as no:
        print(no, file=sys.stderr)
        return 1
    print(json.dumps(data, indent=1) if args.json else text)
    return 0


def _no_folder(folder: Path | None) -> bool:
    if folder is None or folder.is_dir():
        return False
    print(f"gatekit goldens: {folder} is no folder; correct the path", file=sys.stderr)
    return True


def _check(args: argparse.Namespace) -> int:
    """0 every file is a curve, 1 one is none or there is none, 2 wrong usage."""
    if _no_folder(args.goldens):
        return 2
    try:
        curves, wrong = check_curves(own_files() if args.goldens is None else curve_files(args.goldens))
    except BadInput as no:
        print(no, file=sys.stderr)
        return 1
    if not curves and not wrong:
        print(f"{args.goldens}: holds no curve; give a folder with one .yaml for each", file=sys.stderr)
        return 1
    for each in wrong:
        print(each, file=sys.stderr)
    if args.json:
        print(json.dumps({"curves": len(curves), "wrong": [str(each) for each in wrong]}, indent=1))
    elif not wrong:
        print("1 curve, in order" if len(curves) == 1 else f"{len(curves)} curves, all in order")
    return 1 if wrong else 0


def _list(_args: argparse.Namespace, curves: Mapping[str, Curve]) -> tuple[object, str]:
    data = {
        name: {
            "model": curve.model,
            "method": curve.method,
            "k": {mode.value: list(values) for mode, values in curve.values.items()},
            "collection": curve.collection is not None,
        }
        for name, curve in curves.items()
    }
    return data, "\n".join(_line(curve) for curve in curves.values())


def _line(curve: Curve) -> str:
    cells = "; ".join(f"{mode.value}: K={_span(list(values))}" for mode, values in curve.values.items()) or "no values"
    return f"{curve.name}  {cells}{'' if curve.collection else '  (no collection)'}"


def _span(ks: list[int]) -> str:
    whole = ks == list(range(ks[0], ks[-1] + 1)) and len(ks) > 1
    return f"{ks[0]}–{ks[-1]}" if whole else ",".join(map(str, ks))


def _show(args: argparse.Namespace, curves: Mapping[str, Curve]) -> tuple[object, str]:
    curve = curves.get(args.curve)
    if curve is None:
        raise Refusal(f"There is no golden curve {args.curve}; there are {', '.join(curves) or 'none'}.")
    data = curve_json(curve)
    return data, json.dumps(data, indent=1)


def curve_json(curve: Curve) -> Mapping[str, object]:
    """The curve as its file has it."""
    tolerance = curve.tolerance
    return {
        "curve": curve.name,
        "model": curve.model,
        "method": curve.method,
        "draft": {
            "model": curve.draft_model,
            "sample_method": curve.draft_sample_method,
            "rejection_method": curve.rejection_sample_method,
        },
        "collection": None if curve.collection is None else plain(curve.collection),
        "tolerance": None if tolerance is None else {"below": tolerance.below, "above": tolerance.above},
        "curves": {mode.value: dict(values) for mode, values in curve.values.items()},
        "note": curve.note,
    }


def plain(value: object) -> object:
    """Frozen dataclasses and read-only mappings as JSON values."""
    if is_dataclass(value):
        return {each.name: plain(getattr(value, each.name)) for each in fields(value)}
    if isinstance(value, Mapping):
        return {str(name): plain(item) for name, item in value.items()}
    return value


def _lookup(args: argparse.Namespace, curves: Mapping[str, Curve]) -> tuple[object, str]:
    thinking = Thinking(args.thinking)
    curve = curve_for(curves, Question(args.prefix, args.method, args.draft_model, args.draft_sample_method))
    al = lookup(curve, args.k, thinking)
    data = {"curve": curve.name, "al": al, "thinking": thinking.value, "k": args.k}
    return data, f"{al:.2f}  {curve.name}, thinking {thinking.value}, K={args.k}"
