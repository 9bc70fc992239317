"""Whatever stands in the files of a pull request, it is planned or refused, and a gate is only what policy allows."""

import copy
import random
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from gatekit.bench.recipes.roles import Role
from gatekit.bench.repo.snapshot import Snapshot
from gatekit.cluster.job import job_for, job_json
from gatekit.cluster.policy import breaches
from gatekit.domain.errors import Refusal
from gatekit.domain.gates import Gate
from gatekit.domain.ids import SweepId
from gatekit.engines.registry import ENGINES
from gatekit.plan.plan import plan
from tests.worlds.bench.small_bench import (
    CHANGELOG,
    CLUSTER,
    CLUSTERS,
    CONFIG,
    RECIPES,
    bench,
    config,
    entry,
    recipe,
    sources,
    text,
    tree,
)
from tests.worlds.cluster.jobs import parse_job

TRIES = 250  # for each recipe
NASTY: tuple[object, ...] = (
    *(None, True, False, 0, -1, 2**63 - 1, -(2**63), 1.5, -0.0, 1e308, [], {}, [[]], [{}], {"": ""}),
    *("", " ", "x", "-x", "--config", "../..", "/etc/passwd", "a\nb", "\u202e", "\u2028", "\x7f", "x" * 2000, "é"),
    *(
        '{"a":1}',
        "[1,2]",
        '{"model": "evil/x"}',
        "$(id)",
        "`id`",
        "{port}",
        "@dram.x",
        "*",
        "on",
        "NaN",
        "1e999",
        "0x10",
    ),
    *("hf:evil/x", "evil.Class", "--spec-synth-len 3", "synthetic", "SYNTHETIC_ACCEPTANCE", "LD_PRELOAD", "refs/pr/7"),
    {"a": {"b": [1, {"c": None}]}},
    ["--x", "y"],
    ["a", 1, None, True],
)
OLD = """
    model: {path: "hf:example/glow"}
    resources: {decode_nodes: 1, decode_workers: 1, gpus_per_decode: 8}
    backend:
      type: vllm
      vllm_config: {decode: {speculative-config: {method: mtp, num_speculative_tokens: 3}}}
      decode_environment: {VLLM_A: b}
    benchmark: {env: {CONC: 4, THINKING_MODE: "on"}}
    """
BUNDLE = """
    base: {engine: vllm, roles: {agg: {gpus: 8, args: {speculative-config: {method: mtp, num_speculative_tokens: 3}}}}}
    override_a: {benchmark: {env: {CONC: 4}}}
    zip_override_b: {benchmark: {env: {CONC: [8, 16]}}, roles: {agg: {args: {max-num-seqs: [1, 2]}}}}
    """


class _Written(yaml.SafeDumper):
    def ignore_aliases(self, data: object) -> bool:
        return True


def places(value: object, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield at
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, item in inner:
        yield from places(item, (*at, step))


def spoiled(value: object, rolls: random.Random) -> object:
    """The value with something nasty in one place: as a value, as the name of one, or beside the others."""
    nasty = copy.deepcopy(rolls.choice(NASTY))
    *way, last = rolls.choice([at for at in places(value) if at])
    whole = copy.deepcopy(value)
    inner: Any = whole
    for step in way:
        inner = inner[step]
    kind = rolls.random()
    if isinstance(inner, dict) and isinstance(nasty, str | int) and kind < 0.3:
        inner[nasty] = inner.pop(last) if kind < 0.15 else nasty
    elif isinstance(inner, dict) and kind < 0.4:
        del inner[last]
    else:
        inner[last] = nasty
    return whole


def hostile(files: dict[str, object], rolls: random.Random) -> Snapshot:
    for _ in range(rolls.randint(1, 3)):
        path = rolls.choice([path for path in files for _ in range(1 + (path not in (CONFIG, CHANGELOG)))])
        if files[path]:
            files = {**files, path: spoiled(files[path], rolls)}
    written = {path: yaml.dump(value, Dumper=_Written, sort_keys=False) for path, value in files.items()}
    return tree({**written, CHANGELOG: entry() + written[CHANGELOG]})


def check(gate: Gate) -> None:
    role = Role("agg", {}, {}, None, None, None, "args", "env")
    assert breaches(CLUSTER.policy, gate.launch, role) == ()
    job = job_for(gate, SweepId(1), 1, CLUSTER)
    assert parse_job(job_json(job)) == job
    known = ENGINES.by_name[gate.launch.engine].arguments
    flags = [word for word in job.engine.command[2:] if word.startswith("--")]
    assert all(known.known(flag.removeprefix("--")) or flag in ("--host", "--port") for flag in flags)


@pytest.mark.parametrize("content", [recipe(), text(OLD), text(BUNDLE)], ids=["roles", "backend", "bundle"])
def test_a_hostile_tree_is_planned_or_refused(content: str) -> None:
    rolls = random.Random(7)
    files: dict[str, object] = {
        CONFIG: yaml.safe_load(config()),
        CHANGELOG: yaml.safe_load(entry()),
        f"{RECIPES}/glow.yaml": yaml.safe_load(content),
    }
    gates, said = 0, list[str]()
    for _ in range(TRIES):
        try:
            made = plan(sources(hostile(files, rolls), bench()), CLUSTERS, "node")
        except Refusal as no:
            said.append(str(no))
            continue
        gates += len(made.gates)
        for gate in made.gates:
            check(gate)
        said += (point.detail for point in made.unresolved)
    assert gates
    assert all(sentence.isprintable() for sentence in said)
