"""The runners file: how many GPUs a node of a cluster has."""

from collections.abc import Mapping

from gatekit.documents import ReadYaml, read_yaml
from gatekit.fields import Fields, top_fields
from gatekit.layout import Layout
from gatekit.snapshot import Snapshot

CLUSTER = "cluster:"


def gpus_per_node(snapshot: Snapshot, layout: Layout, read: ReadYaml = read_yaml) -> Mapping[str, int]:
    """GPUs per node by runner, e.g. {"cluster:gb200-nv": 4}, of the runners that state it; no file: empty.

    Both layouts of the file are read: `hardware` by runner, and `clusters` by the name behind "cluster:".
    """
    path = layout.at(snapshot).runners
    data = snapshot.files.get(path)
    if data is None:
        return {}
    top = top_fields(read(path, data))
    return _stated(top.inner("hardware"), "") | _stated(top.inner("clusters"), CLUSTER)


def _stated(records: Fields | None, prefix: str) -> dict[str, int]:
    found = {}
    for name in map(str, records.names() if records else ()):
        record = records.inner(name) if records else None
        count = record.count("gpus-per-node") if record else None
        if count is not None:
            found[name if name.startswith(prefix) else prefix + name] = count
    return found
