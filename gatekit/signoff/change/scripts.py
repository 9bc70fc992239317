"""The shell scripts of a benchmark repository: which one starts a config, and what it sets."""

import re
from collections.abc import Iterator

from gatekit.bench.matrix.changelog import Scenario
from gatekit.bench.recipes.files import recipe_path
from gatekit.bench.repo.layout import Layout
from gatekit.bench.repo.snapshot import Snapshot
from gatekit.domain.gates import Unusable
from gatekit.signoff.change.configs import Config, Setup

_FOLDERS = {Scenario.AGENTIC_CODING: "agentic", Scenario.FIXED_SEQ_LEN: "fixed_seq_len"}
_NODES = ("single_node", "multi_node")
_SPECULATIVE = "_mtp"  # whatever the method
_SOURCED = re.compile(r"""^\s*(?:source|\.)\s+["']?(?P<path>[^\s"';]+)""")
_LIVE = re.compile(
    r"""(?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|(?<=\S)\#|[^#])*"""
)  # up to a `#` outside quotes, behind a blank


def scripts_of(config: Config, setup: Setup, snapshot: Snapshot, layout: Layout) -> Iterator[str]:
    """The scripts in the snapshot whose names say that they start this row: with the framework, else without."""
    if setup.recipe is not None:
        return
    hardware = config.sku or config.runner.removeprefix("cluster:").split("-")[0]
    stem = f"{config.prefix}_{config.precision}_{hardware}"
    endings = (_SPECULATIVE, "") if setup.speculative else ("",)
    for nodes in _NODES:
        folder = layout.under(f"benchmarks/{nodes}/{_FOLDERS[setup.scenario]}")
        names = [f"{folder}/{stem}{middle}{end}.sh" for end in endings for middle in (f"_{config.framework}", "")]
        found = next((name for name in names if name in snapshot.files), None)
        if found is not None:
            yield found


def named_file(reference: str | None, layout: Layout) -> str | None:
    """The path of what `path[:selector]` names; None: nothing, or what lies outside, which the shelf refuses."""
    try:
        return None if reference is None else recipe_path(reference, layout)
    except Unusable:
        return None


def live_lines(data: bytes) -> Iterator[tuple[int, str]]:
    """The lines of a script or a YAML file with their numbers, without comments and what is empty then."""
    for number, line in enumerate(data.decode(errors="replace").splitlines(), 1):
        found = _LIVE.match(line)
        if found is not None and found[0].strip():
            yield number, found[0]


def sourced(path: str, data: bytes, snapshot: Snapshot) -> Iterator[str]:
    """The files of the snapshot that a script sources, by the end of their names: folders stand in variables."""
    for _, line in live_lines(data):
        found = _SOURCED.match(line)
        if found is None:
            continue
        name = found["path"].rsplit("/", 1)[-1]
        near = f"{path.rpartition('/')[0]}/{name}"
        others = sorted(other for other in snapshot.files if other.endswith(f"/{name}"))
        yield from [near] if near in snapshot.files else others[:1]
