"""Prompts that the client rendered: those of the collection, or nothing is judged."""

from dataclasses import replace

import pytest

from gatekit.domain.collection import Endpoint, Rendering, Sampling, Thinking
from gatekit.domain.verdict import Judged, NotMeasured, Unmeasured
from gatekit.measure.judge import judge
from tests.worlds.cluster.attempts import GATE, JOB, NAMES, Attempt

KNOWN = "a" * 64


def rendered(digest: str | None) -> Attempt:
    """An attempt in which all went well, for a curve with this digest."""
    sampling = {Thinking.ON: Sampling(0.0, seed=42, rendered_sha256=digest)}
    collection = replace(GATE.collection, endpoint=Endpoint.COMPLETIONS, rendering=Rendering.CLIENT, sampling=sampling)
    return Attempt(replace(GATE, collection=collection))


@pytest.mark.parametrize(
    ("known", "found", "words"),
    [
        (KNOWN, KNOWN, None),
        (KNOWN, KNOWN.upper(), None),
        (None, KNOWN, None),
        (
            KNOWN,
            "1" * 64,
            "The rendered prompts have the digest 111111111111…, the curve was collected with aaaaaaaaaaaa…",
        ),
        (KNOWN, None, "The rendered prompts were not digested by the node"),
    ],
)
def test_other_rendered_prompts_are_not_judged(known: str | None, found: str | None, words: str | None) -> None:
    attempt = rendered(known).having("rendered_sha256", found)
    verdict = judge(attempt.gate, JOB, attempt.material(), NAMES)
    if words is None:
        assert isinstance(verdict, Judged), verdict
        return
    assert isinstance(verdict, NotMeasured), verdict
    assert (verdict.why, verdict.reason.startswith(words)) == (Unmeasured.PROMPTS_DIFFER, True), verdict.reason


@pytest.mark.parametrize(("known", "warned"), [(KNOWN, False), (None, True)])
def test_a_rendering_that_could_not_be_checked_is_a_warning(known: str | None, warned: bool) -> None:
    attempt = rendered(known)
    verdict = judge(attempt.gate, JOB, attempt.material(), NAMES)
    assert isinstance(verdict, Judged), verdict
    assert any("their rendering could not be checked" in warning for warning in verdict.warnings) is warned
