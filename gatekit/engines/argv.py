"""Arguments of a recipe as command-line words."""

import json
from collections.abc import Iterator, Mapping

from gatekit.domain.gates import ArgValue, Reason
from gatekit.domain.unusable import Unusable
from gatekit.engines.protocol import Args


def plain_name(name: str) -> str:
    """An argument's name with dashes: engines take `max_num_seqs` and `max-num-seqs` for the same."""
    return name.replace("_", "-")


def compact(value: object) -> str:
    """JSON in one spelling, so that the same setting gives the same word."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def arguments(args: Mapping[str, object], at: str, as_json: tuple[type, ...] = ()) -> Args:
    """Recipe arguments → pairs in recipe order: mappings become JSON, a list one pair per item, null nothing.

    Values of the types `as_json` become JSON instead.

    Raises Unusable where a name is there twice in two spellings, or a value is none that a command line can carry.
    """
    pairs: list[tuple[str, ArgValue]] = []
    seen: dict[str, str] = {}
    for written, value in args.items():
        name = plain_name(written)
        if name in seen:
            raise Unusable(Reason.RECIPE_INVALID, f"{at}.{written} is there twice, also as {seen[name]}: keep one")
        seen[name] = written
        pairs.extend((name, item) for item in _values(value, f"{at}.{written}", as_json))
    return tuple(pairs)


def _values(value: object, at: str, as_json: tuple[type, ...]) -> Iterator[ArgValue]:
    if isinstance(value, (Mapping, *as_json)):
        yield compact(value)
    elif value is None:
        return
    elif isinstance(value, str | int | float):  # a bool is an int
        yield value
    elif isinstance(value, list) and all(isinstance(item, str | int | float) for item in value):
        yield from value
    else:
        raise Unusable(Reason.RECIPE_INVALID, f"{at} holds {type(value).__name__} values that no argument can carry")


def words(args: Args) -> tuple[str, ...]:
    """`--flag value`; True is a bare flag, False is left out, pairs of one name give one flag with several values."""
    made: list[str] = []
    last: str | None = None
    for name, value in args:
        if value is False:
            continue
        if name != last:
            made.append(f"--{name}")
        last = name
        if value is not True:
            made.append(str(value))
    return tuple(made)
