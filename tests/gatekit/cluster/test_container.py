"""The step in which an engine runs in its image: every word of it, and that no word of a recipe can become another."""

import json
from dataclasses import replace

import pytest

from gatekit.cluster.job import container_of, job_for, job_json, on_node
from gatekit.cluster.policy import Policy
from gatekit.domain.errors import Refusal
from gatekit.domain.ids import SweepId
from tests.worlds.bench.plans import gate
from tests.worlds.bench.small_bench import CLUSTER
from tests.worlds.cluster.jobs import parse_job

POLICY = Policy(("vllm/",), ("example/",), ("/models:/models:ro", "/scratch:/s"))


def test_every_word() -> None:
    found = container_of("nvcr.io/nvidia/vllm:v0.20", POLICY, 8)
    assert found.step == (
        "srun",
        "--nodes=1",
        "--ntasks=1",
        "--overlap",
        "--gres=gpu:8",
        "--cpu-bind=none",
        "--mpi=none",
        "--input=none",
        "--export=ALL",
        "--container-image=nvcr.io#nvidia/vllm:v0.20",
        "--container-mounts={scratch}:/gatekit,/models:/models:ro,/scratch:/s",
        "--container-workdir=/gatekit",
        "--no-container-mount-home",
        "--no-container-remap-root",
        "--no-container-entrypoint",
    )
    assert (found.image, found.folder) == ("nvcr.io#nvidia/vllm:v0.20", "/gatekit")


def test_a_cluster_without_gpus_or_mounts() -> None:
    step = container_of("/images/vllm.sqsh", Policy((), ()), 0).step
    assert [word for word in step if "gpu" in word] == []
    assert "--container-mounts={scratch}:/gatekit" in step
    assert "--container-image=/images/vllm.sqsh" in step


@pytest.mark.parametrize(
    ("path", "there"),
    [
        ("/models/glow", "/raid/models/glow"),
        ("/models", "/raid/models"),
        ("/models-2/glow", "/models-2/glow"),
        ("/hub/glow", "/raid/hub/glow"),
        ("example/glow", "example/glow"),
        ("/opt/of/the/image", "/opt/of/the/image"),
    ],
)
def test_what_a_file_of_a_mount_is_called_on_the_node(path: str, there: str) -> None:
    """The node program reads a model's chat template from there."""
    assert on_node(path, ("/raid/models:/models:ro", "/raid/hub:/hub")) == there


@pytest.mark.parametrize("image", ["", "a b", "x --container-mounts=/:/h", "x,y", "$(id)", "../x", "docker://x"])
def test_what_is_no_image_starts_nothing(image: str) -> None:
    with pytest.raises(Refusal, match="is no name of an image"):
        container_of(image, POLICY, 8)


def test_a_job_is_contained_where_the_operator_says_so() -> None:
    vllm = gate(
        launch=replace(gate().launch, engine="vllm", image="vllm/vllm-openai:v0.20", args=(), env=(("A", "b,c"),))
    )
    cluster = replace(CLUSTER, policy=POLICY, gpus=4)
    job = job_for(vllm, SweepId(1), 1, cluster)
    assert job.engine.container == container_of("vllm/vllm-openai:v0.20", POLICY, 4)
    assert parse_job(job_json(job)) == job
    assert not any("A" in word.split("=") for word in job.engine.container.step)
    elsewhere = replace(cluster, policy=Policy((), (), ("/raid:/models",)))
    mounted = replace(vllm, launch=replace(vllm.launch, model="/models/glow"))
    assert job_for(mounted, SweepId(1), 1, elsewhere).checkpoint == "/raid/glow"
    bare = job_for(vllm, SweepId(1), 1, replace(CLUSTER, container=""))
    assert bare.engine.container is None
    assert (bare.engine.command, bare.engine.env) == (job.engine.command, job.engine.env)
    assert json.loads(job_json(bare))["engine"]["container"] is None
