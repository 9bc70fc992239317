"""A stripped role → how the engine is launched for a gate, with what a recipe leaves to point and cluster."""

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from gatekit.bench.matrix.points import Point
from gatekit.bench.matrix.runners import BYTES_PER_GB
from gatekit.bench.recipes.roles import Role
from gatekit.domain.errors import BadInput
from gatekit.domain.gates import ArgValue, Launch, Reason, Unusable
from gatekit.engines.engine import Args, Engine, Speculation, arguments, compact
from gatekit.engines.forced_acceptance import ForcedKnobs
from gatekit.engines.registry import ENGINES
from gatekit.formats.bounded_json import bounded_object
from gatekit.serving.deployment import RoleKey, role_keys
from gatekit.serving.strip import prove

Values: TypeAlias = Mapping[str, str | int]  # by the whole reference, e.g. @dram.total-gb
Env: TypeAlias = tuple[tuple[str, str], ...]

REFERENCES = ("@dram.", "@fabric.")


def values_for(point: Point) -> Values:
    """What is known of a point's memory budget and of its cluster's network."""
    found: dict[str, str | int] = {f"@fabric.{name}": text for name, text in (point.fabric or {}).items()}
    if point.dram is not None:
        gb, gpus = point.dram.gb, point.dram.gpus
        found |= {
            "@dram.total-gb": gb,
            "@dram.total-bytes": gb * BYTES_PER_GB,
            "@dram.per-gpu-gb": gb // gpus,
            "@dram.per-gpu-bytes": gb * BYTES_PER_GB // gpus,
        }
    return found


def fill_args(args: Args, values: Values) -> Args:
    return tuple((name, _filled(value, values)) for name, value in args)


def fill_env(env: Env, values: Values) -> Env:
    return tuple((name, str(values.get(value, value))) for name, value in env)


def refers(text: str) -> bool:
    return any(reference in text for reference in REFERENCES)


def _filled(value: ArgValue, values: Values) -> ArgValue:
    if not isinstance(value, str) or not refers(value):
        return value
    if value[0] not in "{[":
        return values.get(value, value)
    try:
        parsed = bounded_object(f'{{"": {value}}}', "")
    except BadInput:
        return value
    return compact(_inside(parsed[""], values))


def _inside(value: object, values: Values) -> object:
    if isinstance(value, dict):
        return {name: _inside(item, values) for name, item in value.items()}
    if isinstance(value, list):
        return [_inside(item, values) for item in value]
    return values.get(value, value) if isinstance(value, str) else value


# Where a site keeps downloaded models: the operator's mounts say that, a recipe's folders mean nothing there. And how
# an orchestrator installs itself into the image: a gate installs nothing.
_SITE_ENV = frozenset(
    {
        "HF_HOME",
        "HF_HUB_CACHE",
        "HUGGINGFACE_HUB_CACHE",
        "TRANSFORMERS_CACHE",
        "PIP_BREAK_SYSTEM_PACKAGES",
        "PIP_CONSTRAINT",
    }
)
_OURS = frozenset({"model", "model-path", "m"})  # arguments that become a field of the launch
_REMOTE = "hf:"
MOST_FILLED = 50  # ways to fill a recipe in that are kept: rows of one recipe on one cluster have a few

Filled: TypeAlias = tuple[Args, Env]


@dataclass(frozen=True, slots=True)
class Served:
    """What a recipe brings to the launch of its generation role, whatever the point; no forced acceptance is in it."""

    role: Role
    args: Args
    env: tuple[tuple[str, str], ...]
    keys: tuple[RoleKey, ...]  # its part of a deployment
    open: bool  # whether it leaves values to the point and its cluster
    forced: ForcedKnobs  # what must not be in it
    filled: dict[Hashable, Filled] = field(default_factory=dict, repr=False, compare=False)  # by those values

    def with_values(self, values: Values) -> Filled:
        """Arguments and environment for one point. Raises Unusable where what was filled in forces acceptance."""
        if not self.open:
            return self.args, self.env
        key = tuple(values.items())
        if key not in self.filled:
            if len(self.filled) >= MOST_FILLED:
                self.filled.clear()
            args, env = fill_args(self.args, values), fill_env(self.env, values)
            prove(args, env, self.forced)
            self.filled[key] = args, env
        return self.filled[key]


def serve(role: Role, found: Mapping[str, Role], engine: Engine, forced: ForcedKnobs = ENGINES.forced) -> Served:
    """`role` generates; `found` are all roles of the recipe, stripped of forced acceptance.

    Arguments of an orchestrator and folders of its site are left out. Raises Unusable where the role cannot be served,
    or forced acceptance is still visible.
    """
    own = {name: value for name, value in role.args.items() if name not in _OURS}
    args = arguments(own, role.args_at, engine.arguments.as_json)
    args = tuple((name, value) for name, value in args if not name.startswith(engine.foreign))
    env = tuple(_environment(role))
    prove(args, env, forced)
    leaves_open = any(refers(str(value)) for _, value in (*args, *env))
    return Served(role, args, env, role_keys(role, found, engine), leaves_open, forced)


def launch_of(point: Point, content: Mapping[str, object], served: Served, engine: Engine) -> Launch:
    """How a point is served from its recipe, with the values that the recipe leaves to it filled in.

    Raises Unusable where the recipe's model is no text, or what was filled in forces acceptance.
    """
    args, env = served.with_values(values_for(point))
    return Launch(
        engine=engine.name,
        image=point.image,
        model=_model(point, content, served.role, engine),
        args=args,
        env=env,
        unset=served.forced.unset,
        nodes=point.nodes,
        gpus=point.gpus,
        workers=1 if served.role.workers is None else served.role.workers,
    )


def prove_unchanged(before: Speculation, role: Role, engine: Engine) -> None:
    """Raises Unusable where stripping changed what is drafted."""
    if engine.speculation(role) != before:
        raise Unusable(
            Reason.RECIPE_INVALID,
            f"{role.args_at}: without forced acceptance the recipe would draft otherwise; write the two apart",
        )


def _model(point: Point, content: Mapping[str, object], role: Role, engine: Engine) -> str:
    """What the engine loads: what its arguments name, else the recipe's model path, else the row's model.

    A path without a slash is a short name that only the repository's own launcher understands.
    """
    block = content.get("model")
    path = block.get("path") if isinstance(block, Mapping) else None
    recipe = path if isinstance(path, str) and "/" in path else None
    return (engine.model_of(role) or recipe or point.model).removeprefix(_REMOTE)


def _environment(role: Role) -> Iterator[tuple[str, str]]:
    for name, value in role.env.items():
        if value is None or name in _SITE_ENV:
            continue
        if not isinstance(value, str | int | float):
            raise Unusable(Reason.RECIPE_INVALID, f"{role.env_at}.{name} is no text: put the value in quotes")
        yield name, str(value).lower() if isinstance(value, bool) else str(value)
