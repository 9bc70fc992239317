"""How long the gate plan of a whole tree takes, beside PyYAML's C loader that only parses the same files.

usage: python benchmarks/plan/run.py [--tree DIR] [--rounds N]
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from statistics import median

import yaml

from bot.cli.folder import read_folder
from bot.own_curves import own_curves
from bot.parsed_files import ParsedFiles
from gatekit.documents import DEFAULT_LIMITS, Document, Limits, read_yaml
from gatekit.gates import GatePlan
from gatekit.plan import Sources, plan_keys
from gatekit.settings import SETTINGS_PATH, parse_settings
from gatekit.snapshot import Snapshot

ROOT = Path(__file__).resolve().parents[2]
TREE = Path(os.environ.get("GATEKIT_SHARED", ROOT.parent / "shared")) / "data" / "inferencex"
WARM = 5  # plans after the first, the fastest counts
MIB = 1024 * 1024


def seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def planned(head: Snapshot, sources: Sources) -> GatePlan:
    return plan_keys(replace(sources, head=head, base=head), None, None, "node")


def pushed(head: Snapshot, paths: list[str]) -> Snapshot:
    """The next push: every master config is another one, the recipes stay."""
    changed = {path: head.files[path] + b"\n# another line\n" for path in paths if path.startswith("configs/")}
    return replace(head, files={**head.files, **changed})


def once(tree: Path) -> dict[str, float]:
    """One process: what it measured, in milliseconds and MiB."""
    reading = time.perf_counter()
    head = read_folder(tree)
    reading = time.perf_counter() - reading
    read: dict[str, bytes] = {}

    def noted(path: str, data: bytes, limits: Limits = DEFAULT_LIMITS) -> Document:
        found = read_yaml(path, data, limits)
        read[path] = data
        return found

    sources = Sources(head, head, None, parse_settings(head.files.get(SETTINGS_PATH)), own_curves(), ParsedFiles())
    cold = seconds(lambda: planned(head, sources))
    again = min(seconds(lambda: planned(head, sources)) for _ in range(WARM))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / MIB
    plan = planned(head, replace(sources, read=noted))
    push = seconds(lambda: planned(pushed(head, list(read)), sources))
    return {
        "reading": reading * 1000,
        "cold": cold * 1000,
        "warm": again * 1000,
        "push": push * 1000,
        "ours": min(seconds(lambda: [read_yaml(*one) for one in read.items()]) for _ in range(WARM)) * 1000,
        "pyyaml": min(seconds(lambda: [yaml.load(one, yaml.CSafeLoader) for one in read.values()]) for _ in range(WARM))
        * 1000,
        "peak": peak,
        "points": plan.points,
        "gates": len(plan.gates),
        "files": len(read),
        "bytes": sum(map(len, read.values())),
    }


def report(rounds: list[dict[str, float]]) -> str:
    middle = {name: median(each[name] for each in rounds) for name in rounds[0]}
    ratio = {name: median(each[name] / each["pyyaml"] for each in rounds) for name in ("cold", "warm", "push", "ours")}
    rows = [
        ("first plan of a process", "cold"),
        ("plan of a push that changed every master config", "push"),
        ("plan of the same files again", "warm"),
        ("our reader on the files of the plan", "ours"),
    ]
    lines = [f"| {text} | {middle[name]:.0f} | {ratio[name]:.2f} |" for text, name in rows]
    return "\n".join(
        (
            f"{middle['points']:.0f} speculative points, {middle['gates']:.0f} gates; {middle['files']:.0f} files of "
            f"{middle['bytes'] / 1024:.0f} KiB are parsed; medians of {len(rounds)} processes.",
            "",
            "| | ms | ÷ PyYAML |",
            "|---|---|---|",
            *lines,
            f"| PyYAML's CSafeLoader on the same files | {middle['pyyaml']:.0f} | 1.00 |",
            f"| reading the checkout from disk | {middle['reading']:.0f} | |",
            "",
            f"Peak memory of a process that plans: {middle['peak']:.0f} MiB.",
        )
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tree", type=Path, default=TREE, help="the checkout to plan")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--once", action="store_true", help="measure in this process and print JSON")
    args = parser.parse_args()
    if args.once:
        print(json.dumps(once(args.tree)))
        return
    words = [sys.executable, __file__, "--once", "--tree", str(args.tree)]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    rounds = [
        json.loads(subprocess.run(words, env=env, capture_output=True, check=True).stdout) for _ in range(args.rounds)
    ]
    print(report(rounds))


if __name__ == "__main__":
    main()
