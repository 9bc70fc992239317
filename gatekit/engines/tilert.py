"""TileRT: decodes beside a prefill of vLLM. Exempt from gates, so that no gate starts it and nothing of it is allowed.

What it drafts with is read for `gatekit recipe`. It draws acceptance from TILERT_SIMULATE_ACC_LEN and _METHOD of its
environment; how often it really accepts, it publishes nowhere that is known.
"""

from collections.abc import Collection, Mapping
from dataclasses import replace
from types import MappingProxyType

from gatekit.bench.recipes.roles import Role
from gatekit.bench.recipes.shelf import Parallelism
from gatekit.domain.gates import EngineName, Launch, Reason, Unusable
from gatekit.domain.verdict import Unmeasured
from gatekit.engines.counters import Counters, Counts, Gains, Unread
from gatekit.engines.engine import Args, Arguments, Files, Speculation, names, plain_name
from gatekit.engines.forced_acceptance import Asked, Forcing
from gatekit.engines.traits import Footprint, OpenEngine, Variables

DRAFTS, TOKENS = "with-mtp", "num-mtp"


class NoCounters:
    """An engine that counts neither drafts nor what was accepted of them."""

    prefix = "tilert"
    families: tuple[str, ...] = ()
    growing: frozenset[str] = frozenset()
    at_request_end = False

    def read(self, gains: Gains, k: int | None) -> Counts:
        raise Unread(
            Unmeasured.COUNTERS_MISSING,
            f"{gains.worker} is TileRT, which counts no drafts: its AL is not known.",
        )


class TileRt:
    name = EngineName("tilert")
    label = "TileRT"
    frameworks: tuple[str, ...] = ("tilert",)
    exempt = frozenset({"tilert"})
    unseen: str | None = None  # no gate starts it
    health = "/health"
    metrics = "/metrics"
    counters: Counters = NoCounters()
    settle_seconds = 0.0
    slice_seconds = 10.0
    arguments = Arguments(frozenset(), MappingProxyType({}), MappingProxyType({}), frozenset())
    deployment = names("kv-cache-dtype")
    drafting = frozenset({DRAFTS, TOKENS})
    foreign: tuple[str, ...] = ()
    adaptive: tuple[str, str] | None = None
    forcing = Forcing(
        names=("simulate_acc",),
        lengths={"acc_len": Asked.LENGTH},
        unset=("TILERT_SIMULATE_ACC_LEN", "TILERT_SIMULATE_ACC_METHOD"),
    )
    sizes: Mapping[str, tuple[str, ...]] = MappingProxyType({})
    parallelism = Parallelism()
    variables = Variables()
    footprint = Footprint()
    open: OpenEngine | None = None

    def speculation(self, role: Role) -> Speculation | None:
        args = {plain_name(name): value for name, value in role.args.items()}
        if args.get(DRAFTS) is not True:
            return None
        k = args.get(TOKENS)
        if isinstance(k, bool) or not isinstance(k, int) or k < 1:
            said = "does not say how many tokens are drafted" if k is None else f"has {TOKENS} {k!r}"
            raise Unusable(Reason.RECIPE_INVALID, f"{role.args_at} {said}: set {TOKENS} to a whole number above 0")
        return Speculation("mtp", k, None, None)

    def verifying_all(self, role: Role) -> Role:
        return role  # every draft token is verified

    def with_k(self, role: Role, k: int) -> Role:
        kept = {name: value for name, value in role.args.items() if plain_name(name) != TOKENS}
        return replace(role, args={**kept, TOKENS: k})

    def model_of(self, role: Role) -> str | None:
        return None  # what its arguments call a model is a kind of its own

    def argv(self, launch: Launch) -> tuple[str, ...]:
        raise Unusable(Reason.EXEMPT_FRAMEWORK, "TileRT is exempt from gates: none starts it")

    def files(self, launch: Launch) -> Files:
        return ()

    def served_name(self, launch: Launch) -> str:
        return launch.model

    def models(self, args: Args) -> Collection[tuple[str, str]]:
        return ()
