"""What makes two points one deployment, and what makes them draft alike."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from gatekit.bench.matrix.points import Point
from gatekit.bench.recipes.roles import Role, json_mapping
from gatekit.domain.collection import Scalar
from gatekit.domain.gates import ArgValue
from gatekit.engines.engine import Args, Engine, arguments, compact, plain_name

RoleKey: TypeAlias = tuple[str, int | None, int | None, int | None, Args]


@dataclass(frozen=True, slots=True)
class Deployment:
    """Equal values mean one deployment that drafts in one way.

    From the row: what is served, on what, and every field that shapes the server. From the recipe, by role: nodes,
    workers, GPUs per worker, and the arguments that the engine calls part of a deployment: parallelism and number
    formats. From the generation role: how it drafts. Limits (batch sizes, sequences, captured graph sizes, memory
    shares), the recipe's name and its benchmark block vary with the concurrency and are no part of it; neither is what
    a prefill role drafts with, because nothing of it is verified there.
    """

    config_key: str
    image: str
    model: str
    model_prefix: str
    precision: str
    framework: str
    runner: str
    nodes: int
    gpus: int
    shape: tuple[tuple[str, Scalar], ...]
    roles: tuple[RoleKey, ...]


def role_keys(generation: Role, found: Mapping[str, Role], engine: Engine) -> tuple[RoleKey, ...]:
    """The recipe's part of a deployment. `generation` as it is launched; `found` are all roles of the recipe."""
    alike = engine.deployment | engine.drafting
    others = [_role_key(role, engine.deployment) for name, role in sorted(found.items()) if name != generation.name]
    return _role_key(generation, alike), *others


def deployment_of(point: Point, roles: tuple[RoleKey, ...]) -> Deployment:
    return Deployment(
        config_key=point.config_key,
        image=point.image,
        model=point.model,
        model_prefix=point.model_prefix,
        precision=point.precision,
        framework=point.framework,
        runner=point.runner,
        nodes=point.nodes,
        gpus=point.gpus,
        shape=point.shape,
        roles=roles,
    )


def _role_key(role: Role, names: frozenset[str]) -> RoleKey:
    own = {name: value for name, value in role.args.items() if plain_name(name) in names}
    given = ((name, value) for name, value in arguments(own, role.args_at) if not _usual(name, value))
    args = sorted((name, _one_spelling(value)) for name, value in given)
    return role.name, role.nodes, role.workers, role.gpus, tuple(args)


def _usual(name: str, value: ArgValue) -> bool:
    """What every engine does without being told: one of a size, and a switch that is off."""
    return value is False or (name.endswith("-size") and value == 1)


def _one_spelling(value: ArgValue) -> str:
    """JSON with its keys in order: the same settings are the same, however a recipe writes them."""
    parsed = json_mapping(value)
    return str(value) if parsed is None else compact(dict(sorted(parsed.items())))
