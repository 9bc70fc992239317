"""The configs of a repository as the checks see them: every scenario, every row, what it starts from."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from gatekit.bench.matrix.changelog import Scenario
from gatekit.bench.matrix.master import Master
from gatekit.bench.matrix.points import RecipeKey, row_recipe
from gatekit.bench.matrix.rows import ROLES, SpecDecoding, read_concurrencies, read_settings
from gatekit.engines.registry import ENGINES
from gatekit.formats.fields import Fields

_SKU = re.compile(r"(?:cluster:)?(?P<sku>gb200|gb300|b200|b300|h100|h200|mi300x|mi325x|mi355x)(?![a-z0-9])")
_OPEN = frozenset(framework for engine in ENGINES.open.values() for framework in engine.frameworks)


def sku_of(runner: str) -> str | None:
    """The established hardware that a runner's name begins with; None: new hardware, or a name that is not known."""
    found = _SKU.match(runner)
    return None if found is None else found["sku"]


@dataclass(frozen=True, slots=True)
class Setup:
    """One row of a search space."""

    where: str  # path:line
    scenario: Scenario
    sequence: str | None  # of a fixed length, e.g. 8k1k
    speculative: bool
    concurrencies: tuple[int, ...]
    recipe: str | None  # path[:selector] as written; None: a script starts it
    eval_recipe: str | None
    settings: tuple[tuple[str, str], ...]  # NAME=VALUE of all its roles, recipes left out


@dataclass(frozen=True, slots=True)
class Config:
    """One key of a master config."""

    key: str
    where: str  # path:line
    image: str
    model: str
    prefix: str
    precision: str
    framework: str
    runner: str
    setups: tuple[Setup, ...]

    @property
    def sku(self) -> str | None:
        """The established hardware of its runner, e.g. b200; None: new hardware, or a name that is not known."""
        return sku_of(self.runner)

    @property
    def open_engine(self) -> bool:
        return self.framework in _OPEN

    @property
    def engine(self) -> str:
        """The name of the open engine that it serves with; else its framework."""
        return next((name for name in ENGINES.open if name in self.framework), self.framework)


def read_configs(master: Master) -> Mapping[str, Config]:
    """Every config by its key, in file order. Raises BadInput with the line of what cannot be read."""
    return {key: _config(key, entry) for key, entry in master.entries.items()}


def _config(key: str, entry: Fields) -> Config:
    return Config(
        key=key,
        where=entry.where,
        image=entry.text("image"),
        model=entry.text("model"),
        prefix=entry.text("model-prefix"),
        precision=entry.text("precision"),
        framework=entry.text("framework"),
        runner=entry.text("runner"),
        setups=tuple(_setups(entry)),
    )


def _setups(entry: Fields) -> Iterator[Setup]:
    scenarios = entry.inner("scenarios")
    for scenario in Scenario:
        for search in (scenarios.inners(scenario) if scenarios else None) or ():
            isl, osl = search.count("isl"), search.count("osl")
            sequence = f"{_thousands(isl)}{_thousands(osl)}" if isl and osl else None
            for row in search.inners("search-space") or ():
                yield _setup(entry, row, scenario, sequence)


def _setup(entry: Fields, row: Fields, scenario: Scenario, sequence: str | None) -> Setup:
    settings = read_settings(row, *_roles(row))
    return Setup(
        where=row.where,
        scenario=scenario,
        sequence=sequence,
        speculative=row.choice("spec-decoding", SpecDecoding, SpecDecoding.NONE) is not SpecDecoding.NONE,
        concurrencies=read_concurrencies(row),
        recipe=row_recipe(entry, row, RecipeKey.SERVED) or settings.recipe,
        eval_recipe=row_recipe(entry, row, RecipeKey.EVALS) or settings.eval_recipe,
        settings=settings.others,
    )


def _roles(row: Fields) -> Iterator[Fields]:
    for name in ROLES:
        role = row.inner(name)
        if role is not None:
            yield role


def _thousands(tokens: int) -> str:
    return f"{tokens // 1024}k" if tokens % 1024 == 0 else str(tokens)
