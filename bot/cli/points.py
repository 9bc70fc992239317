"""`gatekit points`: what the master configs ask for, row by row."""

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import replace

from bot.cli.folder import folder_named, read_folder
from gatekit.bench.matrix.export import Printed, matrix_rows
from gatekit.bench.matrix.master import read_master
from gatekit.bench.repo.layout import Layout
from gatekit.bench.repo.settings_file import SETTINGS_PATH, parse_settings
from gatekit.bench.repo.snapshot import Snapshot
from gatekit.domain.errors import Refusal


def register(parser: argparse.ArgumentParser) -> None:
    parser.description = "Prints each AgentX row, speculative or not, as the repository's own matrix generator does."
    parser.add_argument("--tree", type=folder_named, required=True, metavar="DIR", help="the checkout")
    parser.add_argument("--config", metavar="FILE", help="one master config instead of all; from the checkout's root")
    parser.add_argument("--json", action="store_true", help="one field a line; without it one row a line")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """0 done, 1 a config cannot be read, 2 wrong usage."""
    if not args.tree.is_dir():
        print(f"gatekit points: {args.tree} is no folder; correct the path", file=sys.stderr)
        return 2
    try:
        tree = read_folder(args.tree)
        layout = parse_settings(tree.files.get(SETTINGS_PATH)).layout.at(tree)
        rows = list(matrix_rows(read_master(tree, _only(args.config, layout, tree))))
    except Refusal as no:
        print(no, file=sys.stderr)
        return 1
    print(json.dumps(rows, indent=1) if args.json else _lines(rows))
    return 0


def _only(config: str | None, layout: Layout, tree: Snapshot) -> Layout:
    """The layout with one master config, where one is named: from the root, or from the folder that holds them all."""
    if config is None:
        return layout
    below = layout.under(config)
    return replace(layout, configs=(below if below in tree.files else config,))


def _lines(rows: Sequence[Printed]) -> str:
    return "[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]" if rows else "[]"
