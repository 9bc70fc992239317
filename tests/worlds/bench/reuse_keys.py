"""Reuse keys of real gates, written down: one that changes measures everything anew, on every pull request.

A deliberate change of `bot/node`, or of what a key is made from, writes them anew:
`python -m tests.worlds.bench.reuse_keys`.
"""

import json
import tempfile
from collections.abc import Mapping
from pathlib import Path

from bot.cluster.node_program import build_node
from bot.demo import sample_pr
from gatekit.bench.repo.settings_file import SETTINGS_PATH, parse_settings
from gatekit.bench.repo.snapshot import Snapshot
from gatekit.domain.gates import GatePlan
from gatekit.domain.ids import Sha
from gatekit.goldens.lookup import load_curves
from gatekit.plan.plan import PlanSources, plan
from tests.worlds.bench import august
from tests.worlds.bot.bot_world import CLUSTER

FILE = Path(__file__).parents[2] / "data" / "reuse_keys.json"
NODE = "node"  # in place of the node program's digest, so that each key says only what it is about


def node_digest() -> str:
    with tempfile.TemporaryDirectory() as folder:
        return build_node(Path(folder)).digest


def demo() -> Mapping[str, Mapping[str, str]]:
    """Of the demo's pull request, and of its second push."""
    base = sample_pr.base()
    pull = {**base, **sample_pr.proposal().first.edits}
    push = {**pull, **sample_pr.second_push().edits}
    return {"pull": _keys(_planned(base, pull)), "push": _keys(_planned(base, push))}


def of_august() -> Mapping[str, str]:
    return _keys(august.planned())


def _planned(base: Mapping[str, bytes], head: Mapping[str, bytes]) -> GatePlan:
    settings = parse_settings(base.get(SETTINGS_PATH))
    goldens = {path: data for path, data in base.items() if path.startswith(f"{settings.layout.goldens}/")}
    before, now = Snapshot(Sha("0" * 40), base), Snapshot(Sha("1" * 40), head)
    sources = PlanSources(now, before, before, settings, load_curves(goldens))
    return plan(sources, dict.fromkeys(CLUSTER.serves, CLUSTER), NODE)


def _keys(made: GatePlan) -> Mapping[str, str]:
    """By the gates' titles."""
    return {gate.title: gate.key for gate in made.gates}


def written() -> dict[str, object]:
    found = json.loads(FILE.read_text(encoding="utf-8"))
    assert isinstance(found, dict)
    return found


def main() -> None:
    whole = {"node": node_digest(), "demo": demo(), "august": of_august()}
    FILE.write_text(json.dumps(whole, indent=1, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
