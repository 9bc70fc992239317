"""The import contracts hold what they say: one wrong import in any room breaks the contract of that room."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import grimp
import pytest
from importlinter.api import read_configuration
from importlinter.contracts.forbidden import ForbiddenContract
from importlinter.contracts.layers import LayersContract

CONFIGURATION = read_configuration()
SESSION: dict[str, Any] = CONFIGURATION["session_options"]
LAYERED = [one for one in CONFIGURATION["contracts_options"] if one["type"] == "layers"]
FORBIDDING = [one for one in CONFIGURATION["contracts_options"] if one["type"] == "forbidden"]


@pytest.fixture(scope="module")
def house() -> grimp.ImportGraph:
    """Every import of the product as it stands; tests add one and take it away again."""
    return grimp.build_graph(*SESSION["root_packages"], include_external_packages=True)


def layered(options: dict[str, Any], house: grimp.ImportGraph) -> bool:
    return bool(LayersContract(options["name"], SESSION, options).check(house, verbose=False).kept)


def forbidding(options: dict[str, Any], house: grimp.ImportGraph) -> bool:
    return bool(ForbiddenContract(options["name"], SESSION, options).check(house, verbose=False).kept)


def kept_with(house: grimp.ImportGraph, check: Any, options: dict[str, Any], importer: str, imported: str) -> bool:
    if imported not in house.modules:
        house.add_module(imported, is_squashed=True)  # somebody else's: its inside is not looked at
    house.add_import(importer=importer, imported=imported)
    try:
        return bool(check(options, house))
    finally:
        house.remove_import(importer=importer, imported=imported)


def steps(options: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Each layer with the one above it, of each container."""
    for container in options.get("containers", [""]):
        rows = [[f"{container}.{one.strip()}".lstrip(".") for one in row.split("|")] for row in options["layers"]]
        for above, below in pairwise(rows):
            for lower in below:
                yield lower, above[0]
        for row in rows:
            yield from pairwise(row)
            yield from pairwise(row[::-1])


def a_module_of(house: grimp.ImportGraph, room: str) -> str:
    return min(house.find_descendants(room) or {room})


UPWARDS = [pytest.param(one, low, high, id=f"{low} to {high}") for one in LAYERED for low, high in steps(one)]
OUTSIDE = [
    pytest.param(one, source, foreign, id=f"{source} to {foreign}")
    for one in FORBIDDING
    for source in one["source_modules"]
    for foreign in one["forbidden_modules"]
]


@pytest.mark.parametrize(("options", "low", "high"), UPWARDS)
def test_an_import_upwards_or_sideways_breaks_the_contract(
    house: grimp.ImportGraph, options: dict[str, Any], low: str, high: str
) -> None:
    importer, imported = a_module_of(house, low), a_module_of(house, high)
    assert layered(options, house)
    assert not kept_with(house, layered, options, importer, imported)
    assert layered(options, house)


@pytest.mark.parametrize(("options", "source", "foreign"), OUTSIDE)
def test_an_import_of_what_a_room_must_not_touch_breaks_the_contract(
    house: grimp.ImportGraph, options: dict[str, Any], source: str, foreign: str
) -> None:
    importer = a_module_of(house, source)
    ours = foreign.partition(".")[0] in SESSION["root_packages"]
    imported = a_module_of(house, foreign) if ours else foreign
    assert forbidding(options, house)
    assert not kept_with(house, forbidding, options, importer, imported)


def test_a_room_that_no_layer_names_breaks_the_contract(house: grimp.ImportGraph) -> None:
    for options in LAYERED[1:]:
        (container,) = options["containers"]
        house.add_module(f"{container}.annex")
        try:
            assert not layered(options, house)
        finally:
            house.remove_module(f"{container}.annex")
