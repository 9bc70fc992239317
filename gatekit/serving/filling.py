"""Values that a recipe leaves to the point and its cluster: `@dram.<name>` and `@fabric.<name>`.

A reference is a whole value: an argument, a variable, or a value inside an argument's JSON. What is not known stays as
it is written.
"""

from collections.abc import Mapping
from typing import TypeAlias

from gatekit.bench.matrix.dram import BYTES_PER_GB
from gatekit.bench.matrix.points import Point
from gatekit.domain.gates import ArgValue
from gatekit.domain.refusal import BadInput
from gatekit.engines.argv import compact
from gatekit.engines.protocol import Args
from gatekit.formats.documents import read_json_object

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
        parsed = read_json_object("", f'{{"": {value}}}')
    except BadInput:
        return value
    return compact(_inside(parsed[""], values))


def _inside(value: object, values: Values) -> object:
    if isinstance(value, dict):
        return {name: _inside(item, values) for name, item in value.items()}
    if isinstance(value, list):
        return [_inside(item, values) for item in value]
    return values.get(value, value) if isinstance(value, str) else value
