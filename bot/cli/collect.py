"""`gatekit collect`: measures a golden curve on a cluster."""

import argparse
import asyncio
import shlex
import signal
import sys
import tempfile
import time
import uuid
from dataclasses import replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from bot.cluster.config import ClusterEntry, Local, read_clusters
from bot.cluster.node_program import build_node
from bot.cluster.start import start_clusters
from bot.collect.curve import Order, Place, collect
from bot.collect.files import read_curve_file, this_machine, try_writing
from bot.collect.runs import Runs
from bot.files import bytes_of
from bot.settings import Settings, read_settings
from gatekit.domain.collection import Thinking
from gatekit.domain.errors import BadInput, Refusal
from gatekit.domain.ids import SweepId
from gatekit.goldens.update import unrendered
from gatekit.plan.collect import numbers_of_tokens, sitting

LOCAL_POLL_SECONDS = 0.5


def register(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Serves a recipe with real drafting, once for each K, replays the collection that the curve file "
        "states, and writes the acceptance lengths into it. goldens/README.md has an example."
    )
    parser.add_argument("--cluster", required=True, metavar="NAME", help="a cluster of the clusters file")
    parser.add_argument("--recipe", required=True, metavar="FILE[:SEL]", help="what is served; K is set in it")
    parser.add_argument("--thinking", required=True, choices=[mode.value for mode in Thinking])
    parser.add_argument("--k", required=True, metavar="K", help="4, 1-8 or 1,3,5")
    parser.add_argument("--out", required=True, type=Path, metavar="FILE", help="the curve file; its other values stay")
    parser.add_argument(
        "--like", type=Path, metavar="FILE", help="a curve file whose settings a new --out is collected with"
    )
    parser.add_argument(
        "--hardware",
        metavar="TEXT",
        help="what to record; default: what this machine says of itself, where the cluster is local",
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """0 every K was measured, 1 one was not, 130 interrupted. Raises SettingsError or Refusal: nothing was started."""
    settings = read_settings()
    entry = _entry(settings.clusters_file, args.cluster)
    order = _order(args, entry)
    with tempfile.TemporaryDirectory(prefix="gatekit-") as folder:
        node = build_node(Path(folder))
        (running,) = start_clusters((entry,), node, allow_local=settings.allow_local)
        runs = Runs(running.executor, _poll_seconds(entry, settings), _say)
        run_number, submitter = SweepId(time.time_ns() // 1_000_000), f"gatekit collect {uuid.uuid4()}"
        try:
            missing = asyncio.run(
                _until_told(order, Place(entry.cluster, runs, node.digest, run_number, submitter, _say))
            )
        except asyncio.CancelledError:
            _say("stopped: what was measured stands in the file" + ("" if runs.stuck else ", nothing runs any more"))
            return 130
    return 1 if missing else 0


async def _until_told(order: Order, place: Place) -> tuple[int, ...]:
    """The first signal ends the work, whose jobs are then taken down; further ones do not disturb that."""
    work = asyncio.ensure_future(collect(order, place))
    loop = asyncio.get_running_loop()
    for one in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(one, lambda: None if work.cancelling() else work.cancel())
    try:
        return await work
    finally:
        await place.runs.executor.close()


def _order(args: argparse.Namespace, entry: ClusterEntry) -> Order:
    ks, thinking = numbers_of_tokens(args.k), Thinking(args.thinking)
    own = _owns_settings(args.out, args.like)
    read = read_curve_file(args.out if own else args.like)
    header = replace(read if own else unrendered(read), name=args.out.stem)
    path, colon, selector = args.recipe.partition(":")
    recipe = f"{Path(path).name}{colon}{selector}"
    return Order(
        what=sitting(header, recipe, bytes_of(Path(path), "a recipe"), thinking, entry.cluster),
        ks=ks,
        header=header,
        own=own,
        out=args.out,
        hardware=_hardware(args.hardware, entry),
        source=_source(args),
    )


def _owns_settings(out: Path, like: Path | None) -> bool:
    """Whether the settings stand in --out itself. Raises BadInput where nothing states them, or two files do."""
    if out.suffix != ".yaml":
        raise BadInput(str(out), "is no name for a curve file: let it end with .yaml")
    try_writing(out)
    if out.exists() and like is not None:
        raise BadInput(str(out), "is there and states its own settings: leave --like out, or name a new file")
    if not out.exists() and like is None:
        raise BadInput(str(out), "is not there: write it with its settings and `curves: {}`, or name a --like")
    return like is None


def _entry(clusters_file: Path, name: str) -> ClusterEntry:
    entries = {entry.cluster.name: entry for entry in read_clusters(clusters_file)}
    if name not in entries:
        raise Refusal(f"There is no cluster {name} in {clusters_file}; it has {', '.join(entries)}.")
    return entries[name]


def _hardware(stated: str | None, entry: ClusterEntry) -> str:
    if stated is None and not isinstance(entry.reach, Local):
        raise BadInput("--hardware", "is missing: say what measures, e.g. 8x B200; only this machine can be asked")
    return stated or this_machine()


def _poll_seconds(entry: ClusterEntry, settings: Settings) -> float:
    return LOCAL_POLL_SECONDS if isinstance(entry.reach, Local) else settings.poll_seconds


def _source(args: argparse.Namespace) -> str:
    """The command, by what is needed to repeat it, with version and day."""
    words = ["--cluster", args.cluster, "--recipe", args.recipe, "--thinking", args.thinking, "--k", args.k]
    return f"{shlex.join(['gatekit', 'collect', *words])} ({version('gatekit')}, {datetime.now(UTC):%Y-%m-%d})"


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
