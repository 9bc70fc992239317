"""A curve that is written reads back as the same curve."""

from dataclasses import replace

import pytest

from bot.files import own_curves
from gatekit.domain.collection import Sampling, Thinking
from gatekit.domain.gates import Tolerance
from gatekit.goldens.curve import Curve, curve_text
from gatekit.goldens.lookup import parse_curve
from tests.worlds.bench.small_bench import CURVE, text

GLOW = parse_curve("goldens/glow_mtp.yaml", text(CURVE))


@pytest.mark.parametrize("curve", own_curves().values(), ids=lambda curve: curve.name)
def test_every_curve_of_ours_survives(curve: Curve) -> None:
    assert parse_curve(f"goldens/{curve.name}.yaml", curve_text(curve)) == curve


@pytest.mark.parametrize(
    "changes",
    [
        {"model": None},
        {"draft_model": "a/b", "draft_sample_method": "greedy", "rejection_sample_method": "block"},
        {"tolerance": Tolerance(0.02, 0.03)},
        {"note": "it's [odd]: {yes} # and more"},
        {"note": "null"},
        {"collection": None},
        {"values": {}},
        {"values": {Thinking.OFF: {10: 3.125, 2: 2.0}}},
    ],
    ids=str,
)
def test_every_key_survives(changes: dict[str, object]) -> None:
    curve = replace(GLOW, **changes)
    assert parse_curve("goldens/glow_mtp.yaml", curve_text(curve)) == curve


def test_the_digest_of_rendered_prompts_survives() -> None:
    assert GLOW.collection is not None
    sampling = {Thinking.ON: Sampling(1.0, template_kwargs={"a": None}, rendered_sha256="0" * 64)}
    values = {Thinking.ON: {1: 1.5}}
    curve = replace(GLOW, values=values, collection=replace(GLOW.collection, sampling=sampling))
    assert parse_curve("goldens/glow_mtp.yaml", curve_text(curve)) == curve


def test_it_is_laid_out_as_people_write_it() -> None:
    lines = curve_text(replace(GLOW, draft_model="a/b")).splitlines()
    assert lines[:4] == ["model: example/glow", "method: mtp", "draft: {model: a/b}", "collection:"]
    assert '    "on": {temperature: 0.6, top_p: 0.95, template_kwargs: {enable_thinking: true}}' in lines
    assert lines[-3:] == ["curves:", '  "on": {1: 1.80, 2: 2.30, 3: 2.60}', '  "off": {3: 2.90}']
