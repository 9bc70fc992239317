"""Gates and plans with everything filled in, to change one thing at a time."""

import hashlib
from dataclasses import replace

from gatekit.domain.collection import Collection, Endpoint, Rendering, Sampling, Thinking, Turns
from gatekit.domain.gates import Drafting, EngineName, Gate, GatePlan, Golden, Launch, Tolerance
from gatekit.domain.ids import GateKey, Login, PrRef, Repo, Sha
from gatekit.domain.sweep import Cause
from handlers.ports.memory import NewSweep

PR = PrRef(Repo("acme", "bench"), 7)
HEAD = Sha("a" * 40)
NEXT_HEAD = Sha("b" * 40)

COLLECTION = Collection(
    dataset="gatekit/demo",
    split="qualitative",
    category="coding",
    prompts=20,
    prompts_sha256="0" * 64,
    turns=Turns.FIRST,
    endpoint=Endpoint.CHAT,
    rendering=Rendering.SERVER,
    output_len=96,
    ignore_eos=True,
    concurrency=1,
    sampling={Thinking.ON: Sampling(temperature=0.0, seed=42)},
    thinking_marker=None,
    adaptive_verification=False,
    engine="llamacpp",
    hardware="cpu",
)
DRAFTING = Drafting("draft", 4, "gatekit-demo/draft-near.gguf", None, Thinking.ON)
GOLDEN = Golden("tiny_draft", 2.50, Tolerance(0.05, 0.05))
LAUNCH = Launch(
    engine=EngineName("llamacpp"),
    image="gatekit/demo-llamacpp:1",
    model="gatekit-demo/target.gguf",
    args=(("ctx-size", 4096),),
    env=(),
    unset=(),
    nodes=1,
    gpus=1,
    workers=1,
)


def gate(name: str = "near", **changes: object) -> Gate:
    """A gate whose key is made from its name."""
    key = GateKey(hashlib.sha256(name.encode()).hexdigest())
    whole = Gate(
        key=key,
        title=f"tiny {name}",
        config_key=f"tiny-{name}",
        framework="llamacpp",
        cluster="cluster:demo",
        recipe=f"recipes/{name}.yaml",
        drafting=DRAFTING,
        golden=GOLDEN,
        collection=COLLECTION,
        launch=LAUNCH,
        concurrencies=(1, 4),
        representative=4,
        stripped=(),
    )
    return replace(whole, **changes)  # type: ignore[arg-type]


def plan_of(*gates: Gate, head: Sha = HEAD) -> GatePlan:
    points = sum(len(one.concurrencies) for one in gates)
    return GatePlan(head=head, points=points, gates=gates, unresolved=(), uncovered=(), warnings=())


def wish(*gates: Gate, head: Sha = HEAD, pr: PrRef = PR) -> NewSweep:
    """What a handler stores for a plan."""
    return NewSweep(
        pr, head, "full-sweep-enabled", Login("mona"), Cause.LABEL, False, "a newer head", plan_of(*gates, head=head)
    )
