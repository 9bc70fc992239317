"""The master configs of a repository, and the AgentX points that they ask for."""

from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass

from gatekit.bench.matrix.points import Point, Row, row_points
from gatekit.bench.matrix.rows import Offloading
from gatekit.bench.matrix.runners import CLUSTER, Runners, read_runners
from gatekit.bench.repo.layout import Layout
from gatekit.bench.repo.snapshot import Snapshot, in_the_way
from gatekit.domain.errors import BadInput
from gatekit.domain.text import shown
from gatekit.formats.fields import Fields, top_fields
from gatekit.formats.yaml_document import ReadYaml, read_yaml

AGENTIC = "agentic-coding"
LONGEST_KEY = 200  # characters of a config key: it is stored for each point
MOST_CONFIGS = 5_000  # twenty times what a large repository has
MOST_POINTS = 10_000  # ten times what a large repository has in all
ENTRY_KEYS = (
    *("image", "model", "model-prefix", "precision", "framework", "runner", "multinode", "disagg"),
    *("router", "kv-p2p-transfer", "srt-recipe-dir", "scenarios"),
)


@dataclass(frozen=True, slots=True)
class Master:
    """The configs of all master files by key, in file order. An entry is read when its points are asked for."""

    entries: Mapping[str, Fields]
    runners: Runners

    def rows(self, keys: Set[str] | None = None) -> Iterator[Row]:
        """The AgentX rows of these config keys, None for all, in file order. Raises BadInput for a config."""
        for name, entry in self.entries.items():
            if keys is None or name in keys:
                yield from _rows(name, entry, self.runners)

    def points(self, keys: Set[str] | None = None) -> tuple[Point, ...]:
        """The AgentX points of these config keys, None for all, in file order.

        A key that no file has is left out: the changelog says which keys must exist. Raises BadInput for a row that is
        wrong, and for more than MOST_POINTS.
        """
        found: list[Point] = []
        for row in self.rows(keys):
            found += row_points(row)
            if len(found) > MOST_POINTS:
                raise row.entry.bad(
                    f"asks, with the configs before it, for more than {MOST_POINTS:,} points; take rows or "
                    "concurrencies out, or change fewer configs at once"
                )
        return tuple(found)


def read_master(
    snapshot: Snapshot, layout: Layout, runners: Runners | None = None, read: ReadYaml = read_yaml
) -> Master:
    """The master configs that a snapshot has. `runners` None: from the snapshot's own file.

    Raises BadInput where none of the files is there, one is no mapping, or a key is in two files; and for more configs
    than MOST_CONFIGS.
    """
    layout = layout.at(snapshot)
    entries: dict[str, Fields] = {}
    present = [path for path in layout.configs if path in snapshot.files]
    if not present:
        for path in layout.configs:
            if (problem := in_the_way(snapshot, path)) is not None:
                raise BadInput(path, problem)
        raise BadInput(" and ".join(layout.configs), "no such file; add one, or name yours in `layout.configs`")
    for path in present:
        top = top_fields(read(path, snapshot.files[path]))
        for name in top.names():
            if not isinstance(name, str) or not _is_key(name):
                problem = f"has the config key `{shown(name)}`; use one line of text without `*`, at most {LONGEST_KEY}"
                raise top.bad(f"{problem} characters", name)
            if name in entries:
                raise top.bad(f"has the config key `{name}`, as has {entries[name].where}; rename one of them", name)
            entry = top.inner(name)
            if entry is None:
                raise top.bad(f"has nothing under the config key `{name}`; fill it or take it out", name)
            entries[name] = entry
            if len(entries) > MOST_CONFIGS:
                raise top.bad(f"has, with the files before it, more than {MOST_CONFIGS:,} configs; take some out", name)
    return Master(entries, read_runners(snapshot, layout, read) if runners is None else runners)


def _is_key(name: str) -> bool:
    return 0 < len(name) <= LONGEST_KEY and name.isprintable() and "*" not in name


def _rows(key: str, entry: Fields, runners: Runners) -> Iterator[Row]:
    scenarios = entry.inner("scenarios")
    searches = scenarios.inners(AGENTIC) if scenarios else None
    if not searches:
        return
    entry.refuse_others(*ENTRY_KEYS)
    runner = entry.text("runner")
    if not runner.startswith(CLUSTER):
        raise entry.bad(f"needs a runner of the form {CLUSTER}<name> for {AGENTIC}", "runner")
    for search in searches:
        search.refuse_others("dram-utilization", "search-space")
        rows = search.inners("search-space")
        if not rows:
            raise search.bad("lacks rows in `search-space`; add one")
        utilization = search.fraction("dram-utilization")
        for row in rows:
            if utilization is None and row.value("kv-offloading") == Offloading.DRAM:
                raise search.bad("lacks `dram-utilization`, which kv-offloading to dram needs; add it")
            yield Row(key, entry, row, utilization, runners.node(runner))
