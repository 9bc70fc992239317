"""How long the owners of 3,000 paths take in a CODEOWNERS file of 1 MB, parsing included.

usage: python benchmarks/codeowners/run.py [--rounds N]
"""

import argparse
import time
from collections.abc import Callable
from statistics import median

from gatekit.signoff.codeowners import parse_codeowners

MB = 1_000_000
PATHS = [f"src/area{number % 60}/part{number % 700}/module_{number}_test.py" for number in range(3_000)]

# Each makes the line of a number. In the last three every line has a wildcard in the same place.
KINDS: dict[str, Callable[[int], str]] = {
    "folders and files": lambda n: f"/src/area{n % 60}/part{n}/ @org/team-{n % 40} @user{n % 300}\n",
    "a mixture": lambda n: (
        f"/src/area{n % 60}/part{n}/ @user{n % 300}\n",
        f"*.ext{n} @user{n % 300}\n",
        f"/src/**/module_{n}_*.py @user{n % 300}\n",
        f"area{n}/*/ @user{n % 300}\n",
    )[n % 4],
    "endings, anywhere": lambda n: f"*_{n}_test.py @user{n % 300}\n",
    "parts of names, anywhere": lambda n: f"*module_{n}_* @user{n % 300}\n",
    "folders below any folder": lambda n: f"/src/**/part{n}/**/*.py @user{n % 300}\n",
}


def file_of(line: Callable[[int], str]) -> bytes:
    lines: list[str] = []
    size = number = 0
    while size < MB:
        lines.append(line(number))
        size += len(lines[-1])
        number += 1
    return "".join(lines).encode()


def once(data: bytes) -> tuple[float, float, int]:
    """Seconds of the processor to parse and to match; paths that a rule decided."""
    began = time.process_time()
    owners = parse_codeowners(data)
    parsed = time.process_time()
    found = sum(owners.rule_of(path) is not None for path in PATHS)
    return parsed - began, time.process_time() - parsed, found


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    print(f"| 1 MB of | rules | parse, ms | {len(PATHS):,} paths, ms | together, ms | paths with a rule |")
    print("|---|---:|---:|---:|---:|---:|")
    for name, line in KINDS.items():
        data = file_of(line)
        results = [once(data) for _ in range(rounds)]
        parse, match = (1000 * median(result[at] for result in results) for at in (0, 1))
        rules = data.count(b"\n")
        print(f"| {name} | {rules:,} | {parse:.0f} | {match:.0f} | {parse + match:.0f} | {results[0][2]:,} |")


if __name__ == "__main__":
    main()
