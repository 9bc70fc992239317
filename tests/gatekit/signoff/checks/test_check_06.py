"""Check 6: upstream images; an open engine before a vendor's."""

from dataclasses import replace

import pytest

from gatekit.signoff.checks.check import Outcome
from gatekit.signoff.checks.check_06_images import CHECK, organisation
from gatekit.signoff.checks.facts import NOT_READ
from tests.worlds.bench.small_bench import CHANGELOG, CONFIG, config, entry, row
from tests.worlds.signoff.checklist import ITEMS, form
from tests.worlds.signoff.signed import change, clean, sign_off, whole_august

UPSTREAM = "vllm/vllm-openai:v0.21.0"
FINE = "images are upstream's, and open engines came first"


@pytest.mark.parametrize(
    ("image", "name"),
    [
        (UPSTREAM, "vllm"),
        ("vllm/vllm-openai@sha256:00", "vllm"),
        ("docker.io/vllm/vllm-openai:x", "vllm"),
        ("docker.io#lmsysorg/sglang:x", "lmsysorg"),
        ("lmsysorg#sglang:x", "lmsysorg"),
        ("nvcr.io#vllm/vllm-openai:x", "nvcr.io"),
        ("quay.io/vllm/vllm:x", "quay.io"),
        ("evil/docker.io/vllm", "evil"),
        ("vllm-fork/vllm:x", "vllm-fork"),
    ],
)
def test_the_organisation_of_an_image(image: str, name: str) -> None:
    assert organisation(image) == name


def configured(image: str = UPSTREAM, framework: str = "vllm", runner: str = "cluster:h100", more: str = "") -> str:
    text = config(row("[4, 8]"), framework=framework).replace(UPSTREAM, image)
    return text.replace("cluster:h100", runner) + more


OPEN = config(key="glow-open").replace("cluster:h100", "cluster:h100-nv")


@pytest.mark.parametrize(
    ("text", "outcome", "said"),
    [
        (configured(), Outcome.PASS, FINE),
        (configured("lmsysorg/sglang:x", "sglang"), Outcome.PASS, FINE),
        (
            configured("acme/vllm:x"),
            Outcome.FAIL,
            "glow-fp8-h100-vllm-agentic runs acme/vllm:x, which is not of vllm/",
        ),
        (
            configured("vllm/vllm-openai:x", "sglang"),
            Outcome.FAIL,
            "glow-fp8-h100-vllm-agentic runs vllm/vllm-openai:x, which is not of lmsysorg/",
        ),
        (configured("acme/vllm:x", runner="cluster:gb500"), Outcome.PASS, FINE),  # new hardware
        (configured("acme/sglang:x", "sglang-disagg"), Outcome.PASS, FINE),  # only the two must; noted
        (configured("acme/atom:x", "atom", more=OPEN), Outcome.PASS, FINE),
        (
            configured("acme/atom:x", "atom"),
            Outcome.FAIL,
            "glow-fp8-h100-vllm-agentic serves with atom, and no open engine serves glow on h100",
        ),
        (
            configured("acme/atom:x", "atom", more=OPEN.replace("h100", "h200")),
            Outcome.FAIL,
            "glow-fp8-h100-vllm-agentic serves with atom, and no open engine serves glow on h100",
        ),
        (
            configured("acme/atom:x", "atom", more=OPEN.replace("prefix: glow", "prefix: dusk")),
            Outcome.FAIL,
            "glow-fp8-h100-vllm-agentic serves with atom, and no open engine serves glow on h100",
        ),
    ],
)
def test_images_and_engines(text: str, outcome: Outcome, said: str) -> None:
    found = CHECK.run(replace(clean(), change=change({CONFIG: text})))
    assert (found.outcome, found.reason) == (outcome, said)


def test_an_image_that_only_the_wide_rule_minds_is_noted() -> None:
    found = CHECK.run(replace(clean(), change=change({CONFIG: configured("acme/sglang:x", "sglang-disagg")})))
    assert any("only vllm and sglang must have it" in each.what for each in found.evidence)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (form({"10": f"[ ] {ITEMS['10']}"}, "- item 10: this is a fork for a kernel"), "item 10: this is a fork"),
        (form(details="- exception: new architecture that upstream lacks"), "exception: new architecture that"),
    ],
)
def test_an_exception_that_is_given_is_for_a_person_to_judge(body: str, reason: str) -> None:
    facts = replace(clean(), change=change({CONFIG: configured("acme/vllm:x")}), sign_off=sign_off(body))
    found = CHECK.run(facts)
    assert found.outcome is Outcome.UNDECIDED
    assert f"look whether it is a real one: {reason}" in found.reason
    assert CHECK.run(replace(facts, change=clean().change)).outcome is Outcome.PASS


def test_nothing_changed_is_not_applicable() -> None:
    same = change({CONFIG: config(row("[4]")), CHANGELOG: entry()})
    assert CHECK.run(replace(clean(), change=same)).outcome is Outcome.NOT_APPLICABLE
    assert CHECK.run(replace(clean(), change=NOT_READ)).outcome is Outcome.UNDECIDED


def test_the_real_configs() -> None:
    """89 configs of vllm and sglang, 87 of them on established hardware, and none that runs another's image."""
    whole = whole_august()
    strict = [each for each in whole.configs.values() if each.framework in ("vllm", "sglang")]
    assert (len(strict), sum(each.sku is not None for each in strict)) == (89, 87)
    found = CHECK.run(replace(clean(), change=whole))
    assert found.reason == "glm5.1-fp8-b200-tilert serves with tilert, and no open engine serves glm5.1 on b200"
    noted = [each for each in found.evidence if "only vllm and sglang must have it" in each.what]
    assert len(noted) == 2
    vendors = [each for each in whole.configs.values() if not each.open_engine]
    assert (len(vendors), sum(each.sku is None for each in whole.configs.values())) == (47, 2)
