"""The step of a job in which an engine runs in a container, as srun with pyxis takes it.

Of a recipe only the image's name stands here. Its arguments and its environment follow as words of their own, behind
these: pyxis would hand the environment to its helpers too, gives the image's own values the last word, and reads some
names as words for itself; srun's --export splits at commas.
"""

from collections.abc import Iterable

from gatekit.cluster.images import pyxis_image
from gatekit.cluster.policy import Policy
from gatekit.domain.job import Container
from gatekit.domain.refusal import Refusal

PYXIS = "pyxis"
SCRATCH = "{scratch}"  # stands for the engine's folder on the node, which only the node knows
FOLDER = "/gatekit"  # the same folder, in the container


def on_node(path: str, mounts: Iterable[str]) -> str:
    """What a file in the container is called on the node. A name of the hub, or a path of the image, stays as it is."""
    for mount in mounts:
        source, target, *_ = mount.split(":")
        if path == target or path.startswith(target + "/"):
            return source + path.removeprefix(target)
    return path


def container_of(image: str, policy: Policy, gpus: int) -> Container:
    """The step that may see the operator's mounts and the engine's own folder. Raises Refusal for what is no image."""
    name = pyxis_image(image)
    if name is None:
        raise Refusal(f"{image!r} is no name of an image: correct it in the recipe")
    mounts = (f"{SCRATCH}:{FOLDER}", *policy.mounts)
    return Container(
        image=name,
        step=(
            "srun",
            "--nodes=1",
            "--ntasks=1",
            "--overlap",  # with the batch script, which has everything already
            *((f"--gres=gpu:{gpus}",) if gpus else ()),
            "--cpu-bind=none",
            "--mpi=none",
            "--input=none",
            "--export=ALL",  # of what the node gives it; sbatch's --export=NONE would hold for a step too
            f"--container-image={name}",
            f"--container-mounts={','.join(mounts)}",
            f"--container-workdir={FOLDER}",
            "--no-container-mount-home",
            "--no-container-remap-root",  # what it writes belongs to the account
            "--no-container-entrypoint",  # the operator's command starts the engine
        ),
        folder=FOLDER,
    )
