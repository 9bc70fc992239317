"""One speculative point → the gate that it asks for, or the reason why there can be none."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from gatekit.bench.matrix.points import Point
from gatekit.bench.recipes.roles import Role
from gatekit.bench.repo.settings import RepoSettings
from gatekit.domain.collection import Collection, Thinking
from gatekit.domain.gates import Drafting, Golden, Launch, Reason, StrippedKnob, Unusable
from gatekit.engines.engine import Engine
from gatekit.goldens.curve import Curve
from gatekit.goldens.lookup import Question, collection_of, curve_for, family, lookup
from gatekit.serving.deployment import Deployment, deployment_of
from gatekit.serving.drafts import PointDrafts
from gatekit.serving.launch import launch_of
from gatekit.serving.overreach import OverreachingKey

_BARE = MappingProxyType({True: Thinking.ON, False: Thinking.OFF})  # YAML reads a bare `on` and `off` as these


@dataclass(frozen=True, slots=True)
class Candidate:
    """A point that can be gated. Points of one deployment and drafting configuration share one gate."""

    point: Point
    recipe: str  # path[:selector]
    role: Role
    drafting: Drafting
    golden: Golden
    collection: Collection
    launch: Launch
    stripped: tuple[StrippedKnob, ...]
    deployment: Deployment
    overreach: tuple[OverreachingKey, ...]  # what the recipe asks of the machine beside its engine


def candidate_of(drafts: PointDrafts, settings: RepoSettings, curves: Mapping[str, Curve]) -> Candidate:
    """Finds the golden AL and builds the launch. Raises Unusable."""
    point, real = drafts.point, drafts.real
    drafting = drafting_of(drafts, settings)
    curve = curve_for(
        curves, Question(point.model_prefix, drafting.method, drafting.draft_model, drafting.draft_sample_method)
    )
    collection = collection_of(curve, drafting.thinking)
    golden = Golden(curve.name, lookup(curve, drafting.k, drafting.thinking), curve.tolerance or settings.tolerance)
    served = real.as_written if collection.adaptive_verification else real.verifying_all
    switched = () if served.role is real.role else _adaptive(served.role, real.engine)
    return Candidate(
        point=point,
        recipe=drafts.reference,
        role=served.role,
        drafting=drafting,
        golden=golden,
        collection=replace(collection, prompts_sha256=collection.prompts_sha256 or settings.prompts_sha256),
        launch=launch_of(point, real.stripped.content, served, real.engine),
        stripped=(*real.stripped.knobs, *switched),
        deployment=deployment_of(point, served.keys),
        overreach=real.overreach,
    )


def drafting_of(drafts: PointDrafts, settings: RepoSettings) -> Drafting:
    """What selects a golden AL. Raises Unusable where nothing says the thinking mode."""
    speculation = drafts.real.speculation
    return Drafting(
        method=family(drafts.point.model_prefix, speculation.method),
        k=speculation.k,
        draft_model=speculation.draft_model,
        draft_sample_method=speculation.draft_sample_method,
        thinking=thinking_of(drafts, settings),
    )


def thinking_of(drafts: PointDrafts, settings: RepoSettings) -> Thinking:
    """What the row says, else the recipe's benchmark, else the repository's setting. Raises Unusable."""
    stated = dict(drafts.point.settings).get("THINKING_MODE")
    benchmark = drafts.recipe.content.get("benchmark")
    env = benchmark.get("env") if isinstance(benchmark, Mapping) else None
    if stated is None and isinstance(env, Mapping):
        stated = env.get("THINKING_MODE")
    stated = _BARE[stated] if isinstance(stated, bool) else stated
    if stated is None and settings.thinking is not None:
        return settings.thinking
    if stated not in (Thinking.ON, Thinking.OFF):
        said = "says no THINKING_MODE" if stated is None else f"says THINKING_MODE={stated}"
        raise Unusable(Reason.NO_THINKING_MODE, f"the point {said}; set THINKING_MODE=on or off in its row")
    return Thinking(stated)


def _adaptive(role: Role, engine: Engine) -> tuple[StrippedKnob, ...]:
    if engine.adaptive is None:
        return ()
    argument, setting = engine.adaptive
    return (StrippedKnob(f"{role.args_at}.{argument}", setting, "true"),)
