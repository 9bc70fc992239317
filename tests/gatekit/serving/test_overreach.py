"""What a recipe may not ask of the machine, and what of the real ones means nothing to a gate."""

from dataclasses import replace

import pytest

from gatekit.cluster.policy import Cluster
from gatekit.domain.gates import GatePlan, Reason, WarningCode
from gatekit.formats.yaml_document import read_yaml
from gatekit.plan.plan import plan_keys
from gatekit.serving.overreach import overreach
from tests.worlds.bench.small_bench import CLUSTER, KEY, bench, config, recipe, sources


def asked(text: str) -> list[str]:
    """The places of what a recipe asks for, each with its kind."""
    content = read_yaml("recipe.yaml", text.encode()).data
    assert isinstance(content, dict)
    return [f"{one.kind.name.lower()} {one.place}" for one in overreach(content)]


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("setup_script: install.sh", ["script setup_script"]),
        ("services: [{name: store, preamble: pip install x}]", ["script services[0].preamble"]),
        ("roles: {agg: {preamble: id}}", ["script roles.agg.preamble"]),
        ("extra_mount: ['/:/host']", ["mount extra_mount"]),
        ("container_mounts: {/: /host}", ["mount container_mounts"]),
        ("roles: {agg: {mounts: ['/:/host']}}", ["mount roles.agg.mounts"]),
        (
            "sbatch_directives: {mem: '0', wrap: id, uid: 0}",
            ["word sbatch_directives.wrap", "word sbatch_directives.uid"],
        ),
        ("sbatch_directives: ['--uid=0']", ["word sbatch_directives"]),
        ("srun_options: {container-mounts: '/:/host'}", ["word srun_options.container-mounts"]),
        ("setup_script: a\nextra_mount: [b]", ["script setup_script", "mount extra_mount"]),
        # what real recipes have, and a gate does without
        ("sbatch_directives: {mem: '0', cpus-per-task: '144', segment: 1, comment: '{}'}", []),
        ("srun_options: {mem: '0', container-remap-root: ''}", []),
        ("benchmark: {command: bash /workspace/agentic.sh}", []),
        ("dynamo: {install: true}\nfrontend: {nginx_container: nginx}", []),
        ("setup_script: null\nextra_mount: []", []),
    ],
)
def test_what_is_asked_for_is_found_with_its_place(text: str, places: list[str]) -> None:
    assert asked(text) == places


def planned(more: str, cluster: Cluster | None) -> GatePlan:
    made = sources(bench(config(), {"glow.yaml": f"{recipe()}{more}\n"}))
    return plan_keys(made, None, None if cluster is None else {"cluster:h100": cluster}, "node")


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ("extra_mount: ['/:/host']", "glow.yaml: extra_mount: a gate mounts only what the operator's file names"),
        ("srun_options: {uid: 0}", "glow.yaml: srun_options.uid: a gate's words for SLURM are the operator's"),
    ],
)
def test_mounts_and_words_are_refused_where_a_cluster_starts_the_engine_itself(more: str, says: str) -> None:
    found = planned(more, CLUSTER)
    assert found.gates == ()
    assert {point.reason for point in found.unresolved} == {Reason.POLICY}
    assert all(says in point.detail for point in found.unresolved)
    for plan in (planned(more, None), planned(more, replace(CLUSTER, launcher="srtctl"))):
        assert (len(plan.gates), plan.warnings) == (1, ())


def test_a_script_is_left_out_and_named() -> None:
    found = planned("setup_script: install.sh", CLUSTER)
    assert len(found.gates) == 1
    ((key, code, said),) = [(one.config_key, one.code, one.detail) for one in found.warnings]
    assert (key, code) == (KEY, WarningCode.SCRIPT_LEFT_OUT)
    assert said.startswith("setup_script of the recipe is left out: a gate runs no script")
    assert "install.sh" not in str(found.gates[0].launch)
