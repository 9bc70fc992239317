"""The engines that Gatekit knows, one row each. What is asked of several engines at once is made of these rows."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

from gatekit.bench.recipes.shelf import Parallelism
from gatekit.domain.gates import EngineName
from gatekit.engines.atom import Atom
from gatekit.engines.counters import Counters
from gatekit.engines.engine import Counted, Engine
from gatekit.engines.forced_acceptance import ForcedKnobs
from gatekit.engines.llamacpp import LlamaCpp
from gatekit.engines.lmdeploy import LmDeploy
from gatekit.engines.sglang import Sglang
from gatekit.engines.tilert import TileRt
from gatekit.engines.traits import OpenEngine
from gatekit.engines.trtllm import TrtLlm
from gatekit.engines.vllm import Vllm


@dataclass(frozen=True)  # without slots: what follows from the rows is made once and kept
class Registry:
    """A closed list of engines. Where several could be meant, the earlier row comes first."""

    engines: tuple[Engine, ...]
    only_read: tuple[Counted, ...] = ()  # whose scrapes `gatekit al` reads, and whose recipes nobody does

    @cached_property
    def by_name(self) -> Mapping[EngineName, Engine]:
        return MappingProxyType({engine.name: engine for engine in self.engines})

    @cached_property
    def by_framework(self) -> Mapping[str, Engine]:
        """The framework of a master config → the engine that drafts and verifies in it."""
        return MappingProxyType({name: engine for engine in self.engines for name in engine.frameworks})

    @cached_property
    def exempt(self) -> frozenset[str]:
        """Frameworks that are never gated."""
        return frozenset(name for engine in self.engines for name in engine.exempt)

    @cached_property
    def gated(self) -> tuple[EngineName, ...]:
        """Those that a gate may start."""
        return tuple(engine.name for engine in self.engines if set(engine.frameworks) > engine.exempt)

    @cached_property
    def open(self) -> Mapping[EngineName, OpenEngine]:
        """Those that a sign-off takes for open ones."""
        return MappingProxyType({engine.name: engine.open for engine in self.engines if engine.open is not None})

    @cached_property
    def counters(self) -> Mapping[str, Counters]:
        """How each engine counts, by its name."""
        return MappingProxyType({one.name: one.counters for one in (*self.engines, *self.only_read)})

    @cached_property
    def forced(self) -> ForcedKnobs:
        return ForcedKnobs(tuple(engine.forcing for engine in self.engines))

    @cached_property
    def parallelism(self) -> Parallelism:
        """As the recipes of any of them write it."""
        each = [engine.parallelism for engine in self.engines]
        return Parallelism(
            experts=tuple(name for one in each for name in one.experts),
            attention_data=tuple(name for one in each for name in one.attention_data),
        )

    def read_as(self, framework: str) -> str:
        """Whose recipes one of a framework is read like: of an exempt one a gated framework of the same engine."""
        if framework not in self.exempt:
            return framework
        engine = self.by_framework[framework]
        return next((name for name in engine.frameworks if name not in engine.exempt), framework)


ENGINES = Registry((Vllm(), Sglang(), TrtLlm(), Atom(), TileRt(), LlamaCpp()), only_read=(LmDeploy(),))
