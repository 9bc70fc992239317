"""How fast a delivery is acknowledged.

Gatekit, which stores it first, beside gidgethub and probot, which store nothing.

usage: python benchmarks/ack/run.py [--rounds N] [--requests N] [--kills N]
Needs two cores, node ≥ 20 and npm. Everything it installs goes to .cache/ack.
"""

import argparse
import asyncio
import json
import os
import sqlite3
import sys
import tempfile
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from load import Requests, Result, closed_loop, paced, until_gone
from subjects import CACHE, ROOT, Subject, install, running, subjects

PACE = 500  # requests a second
AGAINST = "gidgethub 6"


@dataclass(frozen=True)
class Round:
    wide: Result  # 32 connections
    narrow: Result  # 8 connections
    paced: Result
    rss_mib: float
    cpu_us: float  # of the server for one request of `wide`


COLUMNS: list[tuple[str, str, Callable[[Round], float]]] = [
    ("32 connections: req/s", ",.0f", lambda r: r.wide.rate),
    ("p50 ms", ".1f", lambda r: r.wide.quantile_ms(0.5)),
    ("p99 ms", ".1f", lambda r: r.wide.quantile_ms(0.99)),
    ("CPU µs/req", ".0f", lambda r: r.cpu_us),
    ("8 connections: req/s", ",.0f", lambda r: r.narrow.rate),
    ("p99 ms", ".1f", lambda r: r.narrow.quantile_ms(0.99)),
    (f"{PACE}/s: p99 ms", ".1f", lambda r: r.paced.quantile_ms(0.99)),
    ("RSS MiB", ".0f", lambda r: r.rss_mib),
]


def payload() -> bytes:
    """A real `pull_request` payload of 26,935 bytes."""
    examples = json.loads((ROOT / "tests/data/webhooks/pull_request.json").read_text(encoding="utf-8"))
    return max((json.dumps(one, separators=(",", ":")).encode() for one in examples), key=len)


async def measure(subject: Subject, body: bytes, requests: int) -> Round:
    with running(subject) as server:
        sent = Requests(server.port, "/webhook", body)
        await closed_loop(sent, 32, requests // 4)  # warm
        before = server.cpu_seconds
        wide = await closed_loop(sent, 32, requests)
        cpu = (server.cpu_seconds - before) / requests
        narrow = await closed_loop(sent, 8, requests)
        steady = await paced(sent, PACE, requests / PACE / 2)
        return Round(wide, narrow, steady, server.rss_mib, cpu * 1e6)


async def lost_to_kill(subject: Subject, database: Path, body: bytes, after: int) -> tuple[int, int]:
    """(acknowledged, of these not in the store) of a server that is killed -9 at its answer number `after`."""
    acknowledged: list[str] = []
    with running(subject) as server:

        def answered(delivery: str) -> None:
            acknowledged.append(delivery)
            if len(acknowledged) == after:
                server.process.kill()

        await until_gone(Requests(server.port, "/webhook", body), 32, answered)
    with closing(sqlite3.connect(database)) as conn:
        stored = {row[0] for row in conn.execute("SELECT id FROM deliveries")}
    return len(acknowledged), len(set(acknowledged) - stored)


def table(rounds: dict[str, list[Round]]) -> str:
    """Medians over the rounds. The ratio is the median of the ratios within each round."""
    titles = [title for title, _, _ in COLUMNS]
    lines = ["| | ÷ " + " | ".join([AGAINST, *titles]) + " |", "|---" * (len(COLUMNS) + 2) + "|"]
    for name, own in rounds.items():
        ratio = median(a.wide.rate / b.wide.rate for a, b in zip(own, rounds[AGAINST], strict=True))
        cells = [format(median(map(pick, own)), form) for _, form, pick in COLUMNS]
        lines.append("| " + " | ".join([name, f"{ratio:.2f}", *cells]) + " |")
    return "\n".join(lines)


async def main(args: argparse.Namespace) -> None:
    install()
    os.sched_setaffinity(0, {(os.cpu_count() or 1) - 1})
    body = payload()
    with tempfile.TemporaryDirectory(dir=CACHE) as folder:
        database = Path(folder) / "ack.db"
        compared = subjects(database)
        rounds: dict[str, list[Round]] = {subject.name: [] for subject in compared}
        for number in range(args.rounds):
            first = number % len(compared)
            for subject in compared[first:] + compared[:first]:
                _forget(database)
                rounds[subject.name].append(await measure(subject, body, args.requests))
            print(f"round {number + 1} of {args.rounds}", file=sys.stderr)
        print(f"{len(body):,} bytes, {args.rounds} rounds of {args.requests:,} requests, medians\n\n{table(rounds)}\n")
        _forget(database)
        kills = [await lost_to_kill(compared[0], database, body, 200 + 50 * n) for n in range(args.kills)]
    acknowledged, lost = (sum(column) for column in zip(*kills, strict=True)) if kills else (0, 0)
    print(f"kill -9, {len(kills)} times under 32 connections: {acknowledged:,} acknowledged, {lost} lost")


def _forget(database: Path) -> None:
    for file in database.parent.glob("ack.db*"):
        file.unlink()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--requests", type=int, default=3000, help="of each measurement")
    parser.add_argument("--kills", type=int, default=20)
    asyncio.run(main(parser.parse_args()))
