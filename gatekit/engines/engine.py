"""What Gatekit must know of an engine. A new engine is one file that fills `Engine`, and one row in the registry."""

import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

from gatekit.bench.recipes.roles import Role
from gatekit.bench.recipes.shelf import Parallelism
from gatekit.domain.gates import ArgValue, EngineName, Launch, Reason, Unusable
from gatekit.engines.counters import Counters
from gatekit.engines.forced_acceptance import Forcing
from gatekit.engines.traits import Footprint, OpenEngine, Variables

Args = tuple[tuple[str, ArgValue], ...]
Files = tuple[tuple[str, str], ...]  # name, text


@dataclass(frozen=True, slots=True)
class Speculation:
    """What a role drafts with, as its recipe writes it."""

    method: str  # lower case
    k: int
    draft_model: str | None  # None: the head is inside the target
    draft_sample_method: str | None  # None: not stated


@dataclass(frozen=True, slots=True)
class Arguments:
    """What an engine may be told by a recipe. Names are written with dashes.

    `allowed` takes any value but a list of options; `values` gives the pattern that a value must match in full;
    `nested` gives the keys that a JSON argument may have. What is named nowhere is refused.
    """

    allowed: frozenset[str]
    values: Mapping[str, re.Pattern[str]]
    nested: Mapping[str, frozenset[str]]
    models: frozenset[str]  # arguments that name a model, e.g. model-draft
    served: str = "served-model-name"  # the argument that names the model in requests
    as_json: tuple[type, ...] = ()  # values of these types go on as JSON, as mappings always do
    negations: bool = False  # `no-x` is allowed where `x` is

    def known(self, name: str) -> bool:
        plain = name.removeprefix("no-") if self.negations else name
        return any(name in group or plain in group for group in (self.allowed, self.values, self.nested, self.models))


def names(text: str) -> frozenset[str]:
    """The blank-separated names of a table."""
    return frozenset(text.split())


class Counted(Protocol):
    """An engine whose scrapes can be read."""

    name: EngineName
    counters: Counters


class Engine(Counted, Protocol):
    """Functions raise `Unusable` where a recipe cannot be served or read."""

    label: str  # what people call it
    frameworks: tuple[str, ...]  # of the master configs, in which it drafts and verifies
    exempt: frozenset[str]  # those of them that are never gated
    unseen: str | None  # one sentence: what nobody knows of it, since it was never run here; None: it was run
    health: str  # path that answers 200 when the engine serves
    metrics: str  # path of its Prometheus text
    settle_seconds: float  # from the last answer until the counters hold it
    slice_seconds: float  # between two scrapes during a replay; finer than the engine's own pace tells nothing more
    arguments: Arguments
    deployment: frozenset[str]  # arguments that say how a server is built: parallelism and numbers, no limits
    drafting: frozenset[str]  # arguments that say how it drafts
    foreign: tuple[str, ...]  # beginnings of argument names that belong to an orchestrator, not to the engine
    adaptive: tuple[str, str] | None  # the argument, and the setting in it, that verifies only a part of a draft
    forcing: Forcing  # how it is made to simulate acceptance
    sizes: Mapping[str, tuple[str, ...]]  # tp, pp, dp, dcp, ep, as titles of gates have them → its arguments for it
    parallelism: Parallelism  # as its recipes write it
    variables: Variables
    footprint: Footprint
    open: OpenEngine | None  # None: a sign-off takes it for a vendor's engine

    def speculation(self, role: Role) -> Speculation | None:
        """What the role drafts with; None where it drafts nothing."""

    def verifying_all(self, role: Role) -> Role:
        """The role with adaptive verification off: every draft token is verified. Unchanged where it was off."""

    def with_k(self, role: Role, k: int) -> Role:
        """The role with drafts of `k` tokens; everything else stays as it was."""

    def model_of(self, role: Role) -> str | None:
        """The target that the role's own arguments name; None where they leave it to the recipe."""

    def argv(self, launch: Launch) -> tuple[str, ...]:
        """What follows the operator's command; `{port}` stands for the port."""

    def files(self, launch: Launch) -> Files:
        """What `argv` names beside the command line: put into the engine's working folder."""

    def served_name(self, launch: Launch) -> str:
        """The model's name in requests."""

    def models(self, args: Args) -> Collection[tuple[str, str]]:
        """Every model that the arguments name beside the target: where, and which."""


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
