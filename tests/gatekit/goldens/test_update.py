"""Cells and where they come from: what was measured in different ways never stands in one file."""

from dataclasses import replace

import pytest

from gatekit.domain.collection import Rendering, Sampling, Thinking
from gatekit.domain.errors import BadInput
from gatekit.goldens.curve import Curve
from gatekit.goldens.lookup import parse_curve
from gatekit.goldens.update import (
    NOT_KNOWN_YET,
    Provenance,
    new_curve,
    refuse_other_drafts,
    rendered_so_far,
    server_of,
    unrendered,
    with_cell,
)
from tests.worlds.bench import plans
from tests.worlds.bench.small_bench import CURVE, text

GLOW = parse_curve("goldens/glow_mtp.yaml", text(CURVE))
FOUND = Provenance("llamacpp 1", "a CPU", {"ctx-size": 4096}, "0" * 64, "a" * 64, "gatekit collect --k 4")
ON, OFF = Thinking.ON, Thinking.OFF


def measured(*cells: tuple[Thinking, int], found: Provenance = FOUND) -> Curve:
    """A curve with these cells, collected at once."""
    curve = replace(GLOW, values={})
    for cell in cells:
        curve = with_cell(curve, cell, 1.5, found, frozenset(cells))
    return curve


def test_a_first_cell_brings_its_provenance() -> None:
    curve = with_cell(replace(GLOW, values={}), (ON, 4), 2.51617, FOUND, frozenset({(ON, 4)}))
    assert curve.values == {ON: {4: 2.52}}
    block = curve.collection
    assert block is not None
    assert (block.engine, block.hardware, block.server) == (FOUND.engine, FOUND.hardware, FOUND.server)
    assert (block.prompts_sha256, block.source) == (FOUND.prompts_sha256, FOUND.source)
    assert GLOW.collection is not None
    assert block.sampling[ON] == replace(GLOW.collection.sampling[ON], rendered_sha256="a" * 64)
    assert block.sampling[OFF] == GLOW.collection.sampling[OFF]


def test_a_cell_that_is_measured_alike_joins_the_others() -> None:
    again = replace(FOUND, source="gatekit collect --k 5")
    curve = with_cell(measured((ON, 4)), (OFF, 5), 3.0, again, frozenset({(OFF, 5)}))
    assert curve.values == {ON: {4: 1.5}, OFF: {5: 3.0}}
    assert curve.collection is not None
    assert curve.collection.source == "gatekit collect --k 4; gatekit collect --k 5"


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ({"engine": "llamacpp 2"}, "engine"),
        ({"hardware": "another CPU"}, "hardware"),
        ({"server": {"ctx-size": 8192}}, "server"),
        ({"prompts_sha256": "1" * 64}, "prompts_sha256"),
        ({"rendered_sha256": "b" * 64}, "rendered_sha256"),
        ({"rendered_sha256": None}, "rendered_sha256"),
    ],
)
def test_a_cell_that_is_measured_otherwise_does_not_join_but_may_replace_them_all(
    change: dict[str, object], name: str
) -> None:
    other = replace(FOUND, **change)
    before = measured((ON, 4), (ON, 5))
    with pytest.raises(BadInput, match=f"with another {name}"):
        with_cell(before, (ON, 4), 3.0, other, frozenset({(ON, 4)}))
    after = with_cell(before, (ON, 4), 3.0, other, frozenset({(ON, 4), (ON, 5)}))
    assert after.values == {ON: {4: 3.0}}


def test_each_thinking_mode_has_its_own_rendering() -> None:
    other = replace(FOUND, rendered_sha256="b" * 64)
    curve = with_cell(measured((ON, 4)), (OFF, 5), 3.0, other, frozenset({(OFF, 5)}))
    assert curve.collection is not None
    assert {mode: each.rendered_sha256 for mode, each in curve.collection.sampling.items()} == {
        ON: "a" * 64,
        OFF: "b" * 64,
    }
    assert curve.values == {ON: {4: 1.5}, OFF: {5: 3.0}}


@pytest.mark.parametrize(
    ("rendering", "recorded", "expected"),
    [
        (Rendering.CLIENT, "a" * 64, "a" * 64),
        (Rendering.CLIENT, None, NOT_KNOWN_YET),  # so values beside it are refused before anything is measured
        (Rendering.SERVER, None, None),
    ],
)
def test_what_a_rendering_will_be(rendering: Rendering, recorded: str | None, expected: str | None) -> None:
    sampling = {ON: Sampling(1.0, rendered_sha256=recorded)}
    block = replace(plans.COLLECTION, rendering=rendering, sampling=sampling)
    assert rendered_so_far(block, ON) == expected


def test_another_models_settings_come_without_its_renderings() -> None:
    block = unrendered(measured((ON, 4))).collection
    assert block is not None
    assert {each.rendered_sha256 for each in block.sampling.values()} == {None}


def test_a_cell_that_is_measured_again_alike_keeps_the_others() -> None:
    after = with_cell(measured((ON, 4), (ON, 5)), (ON, 4), 3.0, FOUND, frozenset({(ON, 4)}))
    assert after.values == {ON: {4: 3.0, 5: 1.5}}
    assert after.collection is not None
    assert after.collection.source == FOUND.source


def test_a_new_curve_takes_the_settings_of_another_and_its_own_drafts() -> None:
    gate = plans.gate()
    curve = new_curve(replace(GLOW, name="tiny_draft", note="not ours"), gate)
    assert (curve.name, curve.model, curve.method) == ("tiny_draft", gate.launch.model, "draft")
    assert (curve.draft_model, curve.values, curve.note) == (gate.drafting.draft_model, {}, None)
    assert curve.collection == GLOW.collection


@pytest.mark.parametrize(
    ("stated", "said"),
    [
        ({}, None),
        ({"draft_model": "gatekit-demo/draft-near.gguf"}, None),
        ({"method": "mtp"}, "method"),
        ({"draft_model": "gatekit-demo/draft-far.gguf"}, "draft.model"),
        ({"draft_sample_method": "greedy"}, "draft.sample_method"),
    ],
)
def test_cells_of_other_drafts_are_refused(stated: dict[str, object], said: str | None) -> None:
    curve = replace(GLOW, name="tiny_draft", **{"method": "draft"} | stated)
    if said is None:
        refuse_other_drafts(curve, plans.gate())
        return
    with pytest.raises(BadInput, match=said):
        refuse_other_drafts(curve, plans.gate())


def test_a_head_by_another_name_is_the_same_method() -> None:
    drafting = replace(plans.DRAFTING, method="mtp", draft_model=None)
    refuse_other_drafts(replace(GLOW, method="nextn"), plans.gate(drafting=drafting))


def test_the_recorded_server_says_nothing_of_drafting() -> None:
    args = (("ctx-size", 4096), ("draft-max", 4), ("model-draft", "a"), ("device", "x"), ("device", "y"))
    assert server_of(plans.gate(launch=replace(plans.LAUNCH, args=args))) == {"ctx-size": 4096, "device": "x y"}
