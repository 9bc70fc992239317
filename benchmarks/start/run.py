"""What a command costs the processor from its start to its end, beside the same command of another checkout.

usage: python -m benchmarks.start.run --against DIR [--tree DIR] [--rounds N]
"""

import argparse
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from benchmarks.plan.run import AUGUST, ROOT, write_wide

GATEKIT = "import sys; from bot.cli.main import main; sys.exit(main(sys.argv[1:]))"
NOTHING = "pass"


@dataclass(frozen=True, slots=True)
class Side:
    """One checkout, and a folder for bytecode that nobody else writes to."""

    checkout: Path
    bytecode: Path

    @property
    def environment(self) -> Mapping[str, str]:
        ours = {"PYTHONPATH": str(self.checkout), "PYTHONPYCACHEPREFIX": str(self.bytecode)}
        return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"} | ours


@dataclass(frozen=True, slots=True)
class Case:
    name: str
    program: str
    words: tuple[str, ...] = ()


def seconds(side: Side, case: Case) -> float:
    """User and system time of one whole process. Raises SystemExit where it does not end well."""
    words = [sys.executable, "-c", case.program, *case.words]
    process = subprocess.Popen(words, cwd=side.checkout, env=side.environment, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"{case.name} ended with {process.returncode} in {side.checkout}")
    return used.ru_utime + used.ru_stime


def pairs(case: Case, ours: Side, other: Side, rounds: int) -> Sequence[tuple[float, float]]:
    """Ours and the other's, one after the other, so that both meet the same noise. The first pair is not counted."""
    return [(seconds(ours, case), seconds(other, case)) for _ in range(rounds + 1)][1:]


def row(case: Case, found: Sequence[tuple[float, float]]) -> str:
    ours, other = (median(each) for each in zip(*found, strict=True))
    ratios = sorted(mine / theirs for mine, theirs in found)
    return f"| {case.name} | {ours:.2f} | {other:.2f} | {median(ratios):.3f} | {ratios[0]:.3f} to {ratios[-1]:.3f} |"


def measure(args: argparse.Namespace, folder: Path) -> None:
    tree = args.tree or (AUGUST if AUGUST.is_dir() else write_wide(folder / "tree"))
    cases = (
        Case("`gatekit --help`", GATEKIT, ("--help",)),
        Case("`gatekit plan --tree TREE --all`", GATEKIT, ("plan", "--tree", str(tree.resolve()), "--all")),
        Case("`python -c pass`", NOTHING),
    )
    ours, other = Side(ROOT, folder / "ours"), Side(args.against.resolve(), folder / "other")
    print(f"TREE: {'made up' if tree.is_relative_to(folder) else tree.name}. {args.rounds} pairs.\n")
    print("| processor seconds, medians | this checkout | the other | ratio, pair by pair | from … to |")
    print("|---|---|---|---|---|")
    for case in cases:
        print(row(case, pairs(case, ours, other, args.rounds)), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--against", type=Path, required=True, metavar="DIR", help="a checkout of an earlier commit")
    parser.add_argument(
        "--tree", type=Path, metavar="DIR", help="what is planned; else the August tree or a made-up one"
    )
    parser.add_argument("--rounds", type=int, default=15)
    args = parser.parse_args()
    print(f"Load of the machine before: {os.getloadavg()[0]:.1f}, on {os.cpu_count()} cores.")
    with TemporaryDirectory() as folder:
        measure(args, Path(folder))


if __name__ == "__main__":
    main()
