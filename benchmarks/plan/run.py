"""How long the gate plan of a whole tree takes, beside PyYAML's C loader that only parses the same files.

usage: python -m benchmarks.plan.run [--tree DIR] [--rounds N]
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
from tempfile import TemporaryDirectory

import yaml

from bot.cli.folder import read_folder
from bot.files import own_curves
from bot.github.cache import ParsedFiles
from gatekit.bench.repo.settings_file import SETTINGS_PATH, parse_settings
from gatekit.bench.repo.snapshot import Snapshot
from gatekit.domain.gates import GatePlan
from gatekit.formats.yaml_document import DEFAULT_LIMITS, Document, read_yaml
from gatekit.formats.yaml_reader import YamlLimits
from gatekit.plan.plan import PlanSources, plan_keys
from tests.worlds.bench.wide_tree import wide_tree

ROOT = Path(__file__).resolve().parents[2]
AUGUST = Path(os.environ.get("GATEKIT_SHARED", ROOT.parent / "shared")) / "data" / "inferencex"
WARM = 5  # plans after the first, the fastest counts
MIB = 1024 * 1024


def spent(name: str, work: Callable[[], object], times: int = 1) -> dict[str, float]:
    """Milliseconds of the fastest of so many runs: by the clock, and of the processor, which a busy machine hides."""
    clock, processor = [], []
    for _ in range(times):
        began = time.perf_counter(), time.process_time()
        work()
        clock.append(time.perf_counter() - began[0])
        processor.append(time.process_time() - began[1])
    return {name: min(clock) * 1000, f"{name} cpu": min(processor) * 1000}


def planned(head: Snapshot, sources: PlanSources) -> GatePlan:
    return plan_keys(replace(sources, head=head, base=head), None, None, "node")


def pushed(head: Snapshot, paths: list[str]) -> Snapshot:
    """The next push: every master config is another one, the recipes stay."""
    changed = {path: head.files[path] + b"\n# another line\n" for path in paths if path.endswith("-master.yaml")}
    return replace(head, files={**head.files, **changed})


def write_wide(folder: Path) -> Path:
    """The made-up tree of 1,347 points, as a checkout."""
    for path, data in wide_tree().files.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
    return folder


def once(tree: Path) -> dict[str, float]:
    """One process: what it measured, in milliseconds and MiB."""
    head = read_folder(tree)
    read: dict[str, tuple[bytes, YamlLimits]] = {}

    def noted(path: str, data: bytes, limits: YamlLimits = DEFAULT_LIMITS) -> Document:
        found = read_yaml(path, data, limits)
        read[path] = data, limits
        return found

    sources = PlanSources(head, head, None, parse_settings(head.files.get(SETTINGS_PATH)), own_curves(), ParsedFiles())
    cold = spent("cold", lambda: planned(head, sources))
    warm = spent("warm", lambda: planned(head, sources), WARM)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / MIB
    plan = planned(head, replace(sources, read=noted))
    texts = [data for data, _ in read.values()]
    return {
        **cold,
        **warm,
        **spent("push", lambda: planned(pushed(head, list(read)), sources)),
        **spent("ours", lambda: [read_yaml(path, *one) for path, one in read.items()], WARM),
        **spent("pyyaml", lambda: [yaml.load(data, yaml.CSafeLoader) for data in texts], WARM),
        **spent("reading", lambda: read_folder(tree)),
        "peak": peak,
        "points": plan.points,
        "gates": len(plan.gates),
        "files": len(read),
        "bytes": sum(map(len, texts)),
    }


def report(rounds: list[dict[str, float]]) -> str:
    middle = {name: median(each[name] for each in rounds) for name in rounds[0]}
    rows = [
        ("first plan of a process", "cold"),
        ("plan of a push that changed every master config", "push"),
        ("plan of the same files again", "warm"),
        ("our reader on the files of the plan", "ours"),
        ("PyYAML's CSafeLoader on the same files", "pyyaml"),
        ("reading the checkout from disk", "reading"),
    ]
    lines = [
        f"| {text} | {middle[name]:.0f} | {middle[f'{name} cpu']:.0f} | {_share(rounds, name)} |" for text, name in rows
    ]
    return "\n".join(
        (
            f"{middle['points']:.0f} speculative points, {middle['gates']:.0f} gates; {middle['files']:.0f} files of "
            f"{middle['bytes'] / 1024:.0f} KiB are parsed; medians of {len(rounds)} processes.",
            "",
            "| | ms | of the processor | ÷ PyYAML |",
            "|---|---|---|---|",
            *lines,
            "",
            f"Peak memory of a process that plans: {middle['peak']:.0f} MiB.",
        )
    )


def _share(rounds: list[dict[str, float]], name: str) -> str:
    return f"{median(each[f'{name} cpu'] / each['pyyaml cpu'] for each in rounds):.2f}"


def measure(tree: Path, rounds: int) -> str:
    words = [sys.executable, "-m", "benchmarks.plan.run", "--once", "--tree", str(tree)]
    made = [json.loads(subprocess.run(words, cwd=ROOT, capture_output=True, check=True).stdout) for _ in range(rounds)]
    return report(made)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tree", type=Path, help="one checkout to plan; else the August tree and a made-up one")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--once", action="store_true", help="measure in this process and print JSON")
    args = parser.parse_args()
    if args.once:
        print(json.dumps(once(args.tree)))
        return
    print(f"Load of the machine before: {os.getloadavg()[0]:.1f}, on {os.cpu_count()} cores.\n")
    if args.tree is not None:
        print(measure(args.tree.resolve(), args.rounds))
        return
    with TemporaryDirectory() as folder:
        for name, tree in (("August", AUGUST), ("Made up, later layout", write_wide(Path(folder)))):
            print(f"### {name}\n\n{measure(tree, args.rounds)}\n")


if __name__ == "__main__":
    main()
