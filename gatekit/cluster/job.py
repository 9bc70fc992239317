"""A gate and an attempt → the job description that the node program reads, and the container of its engine."""

from collections.abc import Iterable
from dataclasses import dataclass

from pydantic import TypeAdapter, ValidationError

from gatekit.cluster.policy import Cluster, Policy, pyxis_image
from gatekit.domain.collection import Scalar
from gatekit.domain.errors import Refusal
from gatekit.domain.gates import Gate
from gatekit.domain.ids import SweepId, job_name
from gatekit.domain.job import Container, EngineStart, Job, Replay
from gatekit.engines.registry import ENGINES, Registry

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


SCHEMA = 1
_JOB: TypeAdapter[Job] = TypeAdapter(Job)


@dataclass(frozen=True, slots=True)
class _Signed:
    """All that must be known of a job.json that stands already."""

    submitter: str = ""


def job_for(gate: Gate, sweep: SweepId, attempt: int, cluster: Cluster, engines: Registry = ENGINES) -> Job:
    """Raises Refusal where the operator has not said how this cluster starts the engine, or its image is none."""
    engine = engines.by_name[gate.launch.engine]
    start = cluster.engines.get(engine.name)
    if not start:
        raise Refusal(f"The cluster {cluster.name} does not say how to start {engine.name}; add it under its engines.")
    contained = cluster.container == PYXIS
    return Job(
        schema=SCHEMA,
        job=job_name(sweep, gate.key, attempt),
        gate=gate.key,
        attempt=attempt,
        model=engine.served_name(gate.launch),
        checkpoint=on_node(gate.launch.model, cluster.policy.mounts if contained else ()),
        engine=EngineStart(
            name=engine.name,
            command=(*start, *engine.argv(gate.launch)),
            env=gate.launch.env,
            unset=gate.launch.unset,
            health=engine.health,
            metrics=engine.metrics,
            start_seconds=cluster.start_minutes * 60,
            settle_seconds=engine.settle_seconds,
            files=engine.files(gate.launch),
            container=container_of(gate.launch.image, cluster.policy, cluster.gpus) if contained else None,
        ),
        replay=replay_of(gate, cluster),
        aiperf=cluster.aiperf,
        tokenizer=cluster.tokenizer,
        slice_seconds=engine.slice_seconds,
    )


def replay_of(gate: Gate, cluster: Cluster) -> Replay:
    """The gate's collection in its thinking mode, in the words of the node."""
    collection = gate.collection
    sampling = collection.sampling[gate.drafting.thinking]
    passed: dict[str, Scalar] = {
        "temperature": sampling.temperature,
        "top_p": sampling.top_p,
        "top_k": sampling.top_k,
        "presence_penalty": sampling.presence_penalty,
        "seed": sampling.seed,
    }
    return Replay(
        prompts=cluster.prompts,
        prompts_sha256=collection.prompts_sha256,
        category=collection.category,
        count=collection.prompts,
        turns=collection.turns,
        endpoint=collection.endpoint,
        rendering=collection.rendering,
        output_len=collection.output_len,
        ignore_eos=collection.ignore_eos,
        concurrency=collection.concurrency,
        sampling={name: value for name, value in passed.items() if value is not None},
        template_kwargs=None if sampling.template_kwargs is None else dict(sampling.template_kwargs),
        thinking_marker=collection.thinking_marker,
        seconds=cluster.replay_minutes * 60,
    )


def job_json(job: Job) -> str:
    """`job.json`."""
    return _JOB.dump_json(job, indent=1).decode() + "\n"


def refuse_foreign(standing: str, job: Job) -> None:
    """`standing`: the job.json that its run folder holds already. Raises Refusal where another bot put it there.

    A bot with a new database counts its sweeps from 1 again: what an older one left under the same name must not be
    taken for a measurement.
    """
    if submitter_of(standing) != job.submitter:
        raise Refusal(
            f"The run folder of {job.job} holds the job of another database: give this bot another root, or remove "
            "that folder."
        )


def submitter_of(standing: str) -> str | None:
    """Whose a job.json is; None: it cannot be read."""
    try:
        return TypeAdapter(_Signed).validate_json(standing).submitter
    except ValidationError:
        return None
