"""One speculative point → the gate that it asks for, or the reason why there can be none."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from gatekit.collection import Collection, Thinking
from gatekit.deployment import Deployment, deployment_of
from gatekit.engines import ENGINES, EXEMPT, FRAMEWORKS
from gatekit.engines.protocol import Engine, Speculation
from gatekit.gates import Drafting, Golden, Launch, Reason, StrippedKnob
from gatekit.goldens import Curve, Question, collection_of, curve_for, family, lookup
from gatekit.layout import Layout
from gatekit.matrix import Point
from gatekit.recipes import Recipe, RecipeInvalid, RecipeMissing, RecipeShelf, RecipeUnreadable
from gatekit.roles import Role, engine_named, generating, roles
from gatekit.serving import launch_of, prove_unchanged
from gatekit.settings import RepoSettings
from gatekit.strip import Stripped, strip
from gatekit.unusable import Unusable

_BARE = MappingProxyType({True: Thinking.ON, False: Thinking.OFF})  # YAML reads a bare `on` and `off` as these


@dataclass(frozen=True, slots=True)
class Ground:
    """What every point of one plan is judged by."""

    shelf: RecipeShelf
    layout: Layout  # as the head has it
    settings: RepoSettings
    curves: Mapping[str, Curve]


@dataclass(frozen=True, slots=True)
class Drafts:
    """What a point's recipe drafts with, and what it is stripped of."""

    point: Point
    recipe: Recipe
    engine: Engine
    stripped: Stripped
    roles: Mapping[str, Role]
    role: Role  # the generation role
    speculation: Speculation


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


def drafts_of(point: Point, ground: Ground) -> Drafts:
    """Reads the point's recipe. Raises Unusable."""
    engine = engine_of(point.framework)
    recipe = resolved(point, _named_recipe(point, ground.layout), ground.shelf)
    named = engine_named(recipe.content)
    if named is not None and FRAMEWORKS.get(named) is not engine.name:
        raise Unusable(
            Reason.RECIPE_INVALID, f"the recipe is one of {named}, and the row's framework is {point.framework}"
        )
    before = engine.speculation(generating(roles(recipe.content)))
    stripped = strip(recipe.content)
    found = roles(stripped.content)
    role = generating(found)
    if before is None:
        detail = f"{role.args_at} of {_reference(recipe)} drafts nothing, though the row says that it does"
        raise Unusable(Reason.NOT_DRAFTING, detail)
    prove_unchanged(before, role, engine)
    return Drafts(point, recipe, engine, stripped, found, role, before)


def candidate_of(drafts: Drafts, ground: Ground) -> Candidate:
    """Finds the golden AL and builds the launch. Raises Unusable."""
    point, speculation = drafts.point, drafts.speculation
    thinking = thinking_of(drafts, ground.settings)
    curve = curve_for(
        ground.curves,
        Question(point.model_prefix, speculation.method, speculation.draft_model, speculation.draft_sample_method),
    )
    collection = collection_of(curve, thinking)
    al = lookup(curve, speculation.k, thinking)
    role = drafts.role if collection.adaptive_verification else drafts.engine.verifying_all(drafts.role)
    switched = () if role is drafts.role else (_adaptive(role),)
    launch = launch_of(point, drafts.stripped.content, role, drafts.engine)
    return Candidate(
        point=point,
        recipe=_reference(drafts.recipe),
        role=role,
        drafting=Drafting(
            method=family(point.model_prefix, speculation.method),
            k=speculation.k,
            draft_model=speculation.draft_model,
            draft_sample_method=speculation.draft_sample_method,
            thinking=thinking,
        ),
        golden=Golden(curve.name, al, curve.tolerance or ground.settings.tolerance),
        collection=replace(collection, prompts_sha256=collection.prompts_sha256 or ground.settings.prompts_sha256),
        launch=launch,
        stripped=(*drafts.stripped.knobs, *switched),
        deployment=deployment_of(point, drafts.roles, role, drafts.engine),
    )


def engine_of(framework: str) -> Engine:
    """The engine that drafts in a framework. Raises Unusable for an exempt one, and for one that is not known."""
    if framework in EXEMPT:
        raise Unusable(Reason.EXEMPT_FRAMEWORK, f"{framework} is exempt from gates")
    name = FRAMEWORKS.get(framework)
    if name is None:
        known = ", ".join(FRAMEWORKS)
        raise Unusable(
            Reason.RECIPE_UNREADABLE, f"the framework {framework} is not supported yet; supported are {known}"
        )
    return ENGINES[name]


def _named_recipe(point: Point, layout: Layout) -> str:
    """What the row names; for a point that starts from a script, what the repository's settings name instead."""
    if point.recipe is not None:
        return point.recipe
    for pattern, recipe in layout.scripts:
        if re.fullmatch(".*".join(map(re.escape, pattern.split("*"))), point.config_key):
            return recipe
    raise Unusable(
        Reason.RECIPE_UNREADABLE,
        "the point starts from a shell script; name its recipe under layout.scripts in .github/gatekit.yml",
    )


def resolved(point: Point, reference: str, shelf: RecipeShelf) -> Recipe:
    """The recipe of a point. Raises Unusable with the reason that fits."""
    try:
        return shelf.take(reference, point.concurrency, point)
    except RecipeMissing as error:
        raise Unusable(Reason.RECIPE_MISSING, str(error)) from None
    except RecipeInvalid as error:
        raise Unusable(Reason.RECIPE_INVALID, str(error)) from None
    except RecipeUnreadable as error:
        raise Unusable(Reason.RECIPE_UNREADABLE, str(error)) from None


def thinking_of(drafts: Drafts, settings: RepoSettings) -> Thinking:
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


def _reference(recipe: Recipe) -> str:
    return recipe.path if recipe.selector is None else f"{recipe.path}:{recipe.selector}"


def _adaptive(role: Role) -> StrippedKnob:
    return StrippedKnob(f"{role.args_at}.speculative-config", "enable_adaptive_verification", "true")
