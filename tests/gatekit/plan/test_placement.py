"""What a cluster does not give a recipe, though it runs its gate, is said with the plan."""

from dataclasses import replace

import pytest

from gatekit.domain.gates import WarningCode
from gatekit.plan.plan import plan_keys
from tests.worlds.bench.small_bench import CLUSTER, KEY, bench, sources


@pytest.mark.parametrize(
    ("container", "launcher", "used"), [("pyxis", "command", True), ("", "command", False), ("", "srtctl", True)]
)
def test_an_image_that_is_not_used_is_said_so(container: str, launcher: str, used: bool) -> None:
    """srt-slurm brings its own containers."""
    cluster = replace(CLUSTER, container=container, launcher=launcher)
    made = plan_keys(sources(bench()), None, {"cluster:h100": cluster}, "node")
    assert len(made.gates) == 1
    said = [(one.config_key, one.code, one.detail) for one in made.warnings]
    sentence = "its image is not used: the cluster h100 runs the vllm that is installed there"
    assert said == ([] if used else [(KEY, WarningCode.IMAGE_NOT_USED, sentence)])
