"""From a recipe and the settings of a collection to one gate for each K: what a golden curve is measured with."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from gatekit.bench.matrix.points import Point
from gatekit.bench.recipes.roles import engine_named, generating, roles
from gatekit.bench.recipes.shelf import TYPED, RecipeShelf
from gatekit.bench.repo.layout import Layout
from gatekit.bench.repo.settings import RepoSettings
from gatekit.bench.repo.snapshot import Snapshot
from gatekit.cluster.policy import Cluster
from gatekit.domain.collection import Collection, Thinking
from gatekit.domain.errors import BadInput
from gatekit.domain.gates import Gate, Reason, Unusable
from gatekit.engines.registry import ENGINES
from gatekit.goldens.curve import Curve
from gatekit.goldens.lookup import Question, curve_name
from gatekit.plan.candidate import candidate_of
from gatekit.plan.grouping import GateGround, gates_of
from gatekit.plan.placement import place
from gatekit.serving.drafts import DraftReader, PointDrafts, Real

MOST_K = 64

_PART = re.compile(r"(?P<first>[0-9]{1,3})(-(?P<last>[0-9]{1,3}))?")


@dataclass(frozen=True, slots=True)
class Sitting:
    """One collection: everything but K. `curve` is the name of the curve that is measured."""

    curve: str
    drafts: PointDrafts
    collection: Collection
    thinking: Thinking
    cluster: Cluster


def numbers_of_tokens(text: str) -> tuple[int, ...]:
    """The Ks of `4`, `1-8` or `1,3,5-7`, in order, each once. Raises BadInput."""
    found: set[int] = set()
    for part in text.split(","):
        read = _PART.fullmatch(part.strip())
        if read is None:
            raise BadInput("--k", f"{text!r} is no number of tokens; write 4, 1-8 or 1,3,5")
        first, last = int(read["first"]), int(read["last"] or read["first"])
        if not 1 <= first <= last <= MOST_K:
            raise BadInput("--k", f"{part.strip()} is not between 1 and {MOST_K}, the smaller number first")
        found.update(range(first, last + 1))
    return tuple(sorted(found))


def sitting(curve: Curve, reference: str, data: bytes, thinking: Thinking, cluster: Cluster) -> Sitting:
    """Reads the recipe `name[:selector]` whose text is `data`. `curve` brings the settings to collect with.

    Raises Unusable and BadInput.
    """
    collection = curve.collection
    if collection is None:
        raise BadInput(curve.name, "has no collection block: state the settings to collect with")
    if thinking not in collection.sampling:
        raise BadInput(curve.name, f"collection.sampling does not say how to sample with thinking {thinking.value}")
    tree = Snapshot(None, {reference.partition(":")[0]: data})
    shelf, layout = RecipeShelf(tree, Layout(), ENGINES.parallelism, written_in=TYPED), Layout().at(tree)
    content = shelf.take(reference, collection.concurrency).content
    point = _point(curve, reference, content, thinking, cluster)
    return Sitting(curve.name, DraftReader(shelf, layout).read(point), collection, thinking, cluster)


def gate_of(what: Sitting, k: int, node_digest: str) -> Gate:
    """The gate that measures one K. Its golden AL is none: only what it realizes counts.

    Raises Unusable where the recipe cannot draft so, or the cluster cannot or may not serve it.
    """
    drafts = replace(what.drafts, real=_with_k(what.drafts.real, k))
    speculation = drafts.real.speculation
    name = curve_name(
        Question(
            drafts.point.model_prefix, speculation.method, speculation.draft_model, speculation.draft_sample_method
        )
    )
    candidate = candidate_of(drafts, RepoSettings(), {name: _blank(what, k)})
    clusters = {drafts.point.runner: what.cluster}
    place(candidate, clusters)
    (gate,) = gates_of((candidate,), GateGround(node_digest, clusters))
    return gate


def _blank(what: Sitting, k: int) -> Curve:
    """A curve in the place of the one that is not measured yet."""
    return Curve(
        name=what.curve,
        model=None,
        method=what.drafts.real.speculation.method,
        draft_model=None,
        draft_sample_method=None,
        rejection_sample_method=None,
        collection=what.collection,
        tolerance=None,
        values={what.thinking: {k: 1.0}},
        note=None,
    )


def _with_k(real: Real, k: int) -> Real:
    role, wanted = real.engine.with_k(real.role, k), replace(real.speculation, k=k)
    if real.engine.speculation(role) != wanted:
        raise Unusable(Reason.RECIPE_INVALID, f"{role.args_at} cannot be set to K={k}: state K in one place")
    return replace(real, role=role, roles={**real.roles, role.name: role}, speculation=wanted)


def _point(curve: Curve, reference: str, content: Mapping[str, object], thinking: Thinking, cluster: Cluster) -> Point:
    """What a row of a master config would say, read from the recipe."""
    framework = engine_named(content)
    if framework is None:
        raise Unusable(Reason.RECIPE_INVALID, f"{reference} names no engine: write `engine:` at its top")
    model = content.get("model")
    block = model if isinstance(model, Mapping) else {}
    for name in ("path", "container"):
        if not isinstance(block.get(name), str):
            raise Unusable(Reason.RECIPE_INVALID, f"{reference}: model.{name} is missing: state what was served")
    role = generating(roles(content))
    return Point(
        config_key=curve.name,
        framework=framework,
        concurrency=1,
        image=str(block["container"]),
        model=str(block["path"]),
        model_prefix=curve.name.partition("_")[0],
        precision=str(block.get("precision", "")),
        runner=cluster.serves[0],
        speculative=True,
        recipe=reference,
        settings=(("THINKING_MODE", thinking.value),),
        nodes=role.nodes or 1,
        gpus=(role.gpus or 1) * (role.workers or 1),
        shape=(),
    )
