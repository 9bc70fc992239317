"""From a speculative point to what its recipe drafts with."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from gatekit.bench.matrix.points import Point
from gatekit.bench.recipes.book import Recipe
from gatekit.bench.recipes.roles import Role, engine_named, generating, roles
from gatekit.bench.recipes.shelf import RecipeShelf
from gatekit.bench.repo.layout import Layout
from gatekit.domain.gates import Reason, Unusable
from gatekit.domain.text import matches
from gatekit.engines.engine import Engine, Speculation
from gatekit.engines.forced_acceptance import ForcedKnobs
from gatekit.engines.registry import ENGINES, Registry
from gatekit.serving.launch import Served, prove_unchanged, serve
from gatekit.serving.overreach import OverreachingKey, overreach
from gatekit.serving.strip import Stripped, strip


@dataclass(frozen=True)  # without slots: what many points ask for is made once and kept
class Real:
    """A recipe with forced acceptance taken out, as one engine reads it."""

    engine: Engine
    stripped: Stripped
    roles: Mapping[str, Role]
    role: Role  # the generation role
    speculation: Speculation
    forced: ForcedKnobs  # what is held against the launch

    @cached_property
    def as_written(self) -> Served:
        """Raises Unusable."""
        return serve(self.role, self.roles, self.engine, self.forced)

    @cached_property
    def verifying_all(self) -> Served:
        """The same with every draft token verified. Raises Unusable."""
        role = self.engine.verifying_all(self.role)
        return self.as_written if role is self.role else serve(role, self.roles, self.engine, self.forced)

    @cached_property
    def overreach(self) -> tuple[OverreachingKey, ...]:
        """What the recipe asks of the machine beside its engine."""
        return overreach(self.stripped.content)


@dataclass(frozen=True, slots=True)
class PointDrafts:
    """What a point drafts with."""

    point: Point
    recipe: Recipe
    real: Real

    @property
    def reference(self) -> str:
        """path[:selector]"""
        return self.recipe.reference


class DraftReader:
    """Reads the recipes of one tree, each variant once, however many points it serves."""

    def __init__(self, shelf: RecipeShelf, layout: Layout, engines: Registry = ENGINES) -> None:
        self._shelf = shelf
        self._layout = layout
        self._engines = engines

    def read(self, point: Point) -> PointDrafts:
        """Raises Unusable where the point has no recipe, or one that does not draft or cannot be read."""
        engine = engine_of(point.framework, self._engines)
        recipe = self._shelf.take(named_recipe(point, self._layout), point.concurrency, point)
        key = self._engines, engine.name
        known = recipe.made.get(key)
        if not isinstance(known, Real | Unusable):
            known = recipe.made[key] = _real_or_not(recipe, engine, self._engines)
        if isinstance(known, Unusable):
            raise Unusable(known.reason, known.detail)
        return PointDrafts(point, recipe, known)


def engine_of(framework: str, engines: Registry) -> Engine:
    """The engine that drafts in a framework. Raises Unusable for an exempt one, and for one that is not known."""
    if framework in engines.exempt:
        raise Unusable(Reason.EXEMPT_FRAMEWORK, f"{framework} is exempt from gates")
    engine = engines.by_framework.get(framework)
    if engine is None:
        known = ", ".join(known for known in engines.by_framework if known not in engines.exempt)
        raise Unusable(Reason.RECIPE_UNREADABLE, f"framework {framework} is not supported yet; supported are {known}")
    return engine


def named_recipe(point: Point, layout: Layout) -> str:
    """What the row names; for a point that starts from a script, what the repository's settings name instead."""
    if point.recipe is not None:
        return point.recipe
    for pattern, recipe in layout.scripts:
        if matches(pattern, point.config_key):
            return recipe
    raise Unusable(
        Reason.RECIPE_UNREADABLE,
        "the point starts from a shell script; name its recipe under layout.scripts in .github/gatekit.yml",
    )


def _real_or_not(recipe: Recipe, engine: Engine, engines: Registry) -> Real | Unusable:
    try:
        return _real(recipe, engine, engines)
    except Unusable as no:
        return no


def _real(recipe: Recipe, engine: Engine, engines: Registry) -> Real:
    named = engine_named(recipe.content)
    if named is not None and engines.by_framework.get(named) is not engine:
        raise Unusable(Reason.RECIPE_INVALID, f"{recipe.path} is one of {named}, and the row's engine is {engine.name}")
    before = engine.speculation(generating(roles(recipe.content)))
    stripped = strip(recipe.content, engines.forced)
    found = roles(stripped.content)
    role = generating(found)
    if before is None:
        where = f"{recipe.path}: {role.args_at}"
        raise Unusable(Reason.NOT_DRAFTING, f"{where} drafts nothing, though the row says that it does")
    prove_unchanged(before, role, engine)
    return Real(engine, stripped, found, role, before, engines.forced)
