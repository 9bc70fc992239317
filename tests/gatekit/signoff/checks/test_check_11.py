"""Check 11: simulated acceptance is golden where it must be, and nowhere else."""

import re
from collections import Counter
from dataclasses import replace

import pytest

from gatekit.bench.recipes.files import RECIPE_LIMITS
from gatekit.bench.recipes.roles import generating, roles
from gatekit.bench.recipes.variants import is_bundle, variants
from gatekit.bench.repo.settings import RepoSettings
from gatekit.domain.collection import Thinking
from gatekit.engines.registry import ENGINES
from gatekit.formats.yaml_document import read_yaml
from gatekit.serving.strip import strip
from gatekit.signoff.checklist.form import Form
from gatekit.signoff.checks.check import Outcome
from gatekit.signoff.checks.check_11_acceptance import CHECK, judge
from gatekit.signoff.checks.facts import NOT_READ
from gatekit.signoff.evidence.simulated_acceptance import Asking, forced_values, golden_of, matches
from tests.shared import shared_snapshot
from tests.worlds.bench import august
from tests.worlds.bench.small_bench import CHANGELOG, CONFIG, KEY, config, entry, row, text
from tests.worlds.signoff.checklist import form
from tests.worlds.signoff.signed import GLOW, RECIPE, change, clean, sign_off, whole_august

SERVED = config(row("[4, 8]"))
FINE = "every simulated acceptance length is the golden one"
FORCED = ',"rejection_sample_method":"synthetic","synthetic_acceptance_length":2.60'
OFF = "the value is golden for thinking off; look which mode the client asks for"
SCRIPT = "benchmarks/single_node/agentic/glow_fp8_h100_vllm_mtp.sh"


def switched(value: str, length: str = "") -> str:
    settings = f'"SYNTHETIC_ACCEPTANCE={value}"' + (f', "SYNTHETIC_ACCEPTANCE_LENGTH={length}"' if length else "")
    return config(row("[4, 8]").replace("tp: 8", f"tp: 8, additional-settings: [{settings}]"))


@pytest.mark.parametrize(
    ("old", "new", "served", "outcome", "said"),
    [
        ("", "", SERVED, Outcome.PASS, FINE),
        ("2.60", "2.604", SERVED, Outcome.PASS, FINE),
        (
            "2.60",
            "2.55",
            SERVED,
            Outcome.FAIL,
            "roles.agg.args.speculative-config.synthetic_acceptance_length forces 2.55, golden AL for K=3 is 2.6",
        ),
        (
            'tokens":3',
            'tokens":2',
            SERVED,
            Outcome.FAIL,
            "roles.agg.args.speculative-config.synthetic_acceptance_length forces 2.6, golden AL for K=2 is 2.3",
        ),
        ("2.60", "2.90", SERVED, Outcome.UNDECIDED, OFF),
        ("agg:", "agg:\n        env: {THINKING_MODE: x}", SERVED, Outcome.PASS, FINE),
        (
            "benchmark: {endpoint-type: chat}",
            "benchmark: {env: {THINKING_MODE: 'off'}}",
            SERVED,
            Outcome.FAIL,
            "roles.agg.args.speculative-config.synthetic_acceptance_length forces 2.6, golden AL for K=3 is 2.9",
        ),
        (
            '"rejection_sample_method":"synthetic",',
            "",
            SERVED,
            Outcome.FAIL,
            f"{RECIPE}: rejection_sample_method must be synthetic beside synthetic_acceptance_length",
        ),
        (FORCED, "", SERVED, Outcome.FAIL, f"{RECIPE} does not simulate acceptance"),
        (FORCED, "", switched("false"), Outcome.FAIL, f"{RECIPE} does not simulate acceptance"),
        (
            FORCED,
            "",
            switched("true"),
            Outcome.UNDECIDED,
            f"neither {RECIPE} nor the row names a value; look what the launcher sets",
        ),
        (FORCED, "", switched("true", "2.60"), Outcome.PASS, FINE),
        (FORCED, "", switched("true", "2.49"), Outcome.FAIL, "the row forces 2.49, golden AL for K=3 is 2.6"),
        ("", "", switched("true", "2.49"), Outcome.FAIL, "the row forces 2.49, golden AL for K=3 is 2.6"),
    ],
)
def test_a_recipe_and_its_row(old: str, new: str, served: str, outcome: Outcome, said: str) -> None:
    recipe = text(GLOW.replace(old, new) if old else GLOW)
    found = CHECK.run(replace(clean(), change=change({RECIPE: recipe, CONFIG: served})))
    assert (found.outcome, found.reason.removeprefix(f"{KEY}: ")) == (outcome, said)


def test_a_repository_that_injects_it_at_launch_is_for_a_person() -> None:
    launcher = {"runners/launch.sh": "export SYNTHETIC_ACCEPTANCE=1\n", RECIPE: text(GLOW.replace(FORCED, ""))}
    assert CHECK.run(replace(clean(), change=change(launcher))).outcome is Outcome.UNDECIDED


@pytest.mark.parametrize(
    ("details", "outcome"),
    [("- nothing to say about it", Outcome.FAIL), ("- acceptance length from our own run, 2.6", Outcome.UNDECIDED)],
)
def test_without_a_curve_the_details_name_the_source(details: str, outcome: Outcome) -> None:
    facts = replace(clean(), curves={}, sign_off=sign_off(form(details=details)))
    assert CHECK.run(facts).outcome is outcome


def test_the_thinking_mode_that_nobody_says() -> None:
    facts = replace(clean(), settings=RepoSettings(thinking=None))
    assert CHECK.run(facts).outcome is Outcome.PASS  # 2.60 is in one mode's cell alone
    other = replace(facts, change=change({RECIPE: text(GLOW.replace("2.60", "2.55"))}))
    found = CHECK.run(other)
    assert found.outcome is Outcome.UNDECIDED
    assert found.reason.endswith("glow_mtp has no value for thinking that is not known; look yourself")


def test_a_script_is_for_a_person_with_its_lines() -> None:
    served = {
        CONFIG: config(row("[4, 8]", named="")),
        SCRIPT: "# SYNTHETIC_ACCEPTANCE\nA=1 # x\nexport SYNTHETIC_ACCEPTANCE_LENGTH=2\n",
    }
    found = CHECK.run(replace(clean(), change=change(served)))
    assert found.outcome is Outcome.UNDECIDED
    assert [each.where for each in found.evidence][1:] == [f"{SCRIPT}:3"]


FIXED = """\
    fixed-seq-len:
    - {isl: 8192, osl: 1024, search-space: [{tp: 8, conc-list: [8], spec-decoding: mtp, srt-recipe: recipes/NAME}]}
"""


@pytest.mark.parametrize(
    ("name", "more", "outcome"),
    [
        ("plain.yaml", {}, Outcome.NOT_APPLICABLE),
        ("glow.yaml", {}, Outcome.FAIL),
        ("gone.yaml", {}, Outcome.UNDECIDED),
    ],
)
def test_outside_agentic_coding_nothing_may_simulate_it(name: str, more: dict[str, str], outcome: Outcome) -> None:
    served = config(row()).split("    agentic-coding")[0] + FIXED.replace("NAME", name)
    plain = {RECIPE.replace("glow", "plain"): text(GLOW.replace(FORCED, ""))}
    assert CHECK.run(replace(clean(), change=change({CONFIG: served, **plain}))).outcome is outcome


def test_nothing_that_drafts_is_not_applicable() -> None:
    plain = {CONFIG: config(row("[4, 8]", spec="none"))}
    assert CHECK.run(replace(clean(), change=change(plain, {CONFIG: config(row("[4]", spec="none"))}))).outcome is (
        Outcome.NOT_APPLICABLE
    )
    same = change({CONFIG: config(row("[4]")), CHANGELOG: entry()})
    assert CHECK.run(replace(clean(), change=same)).outcome is Outcome.NOT_APPLICABLE


@pytest.mark.parametrize("fact", ["change", "curves"])
def test_without_its_facts_it_says_so(fact: str) -> None:
    assert CHECK.run(replace(clean(), **{fact: NOT_READ})).outcome is Outcome.UNDECIDED


def test_every_point_of_the_real_tree() -> None:
    """34 points force the value of another K; every other one whose recipe can be read forces the golden one."""
    whole = whole_august()
    asking = Asking(whole, august.sources().curves, RepoSettings(), Form((), (), None))
    points = [point for of_key in whole.both.points.values() for point in of_key if point.speculative]
    found = Counter((point.framework, judge(point, asking).outcome) for point in points)
    assert found == {
        ("dynamo-vllm", Outcome.PASS): 75,
        ("dynamo-vllm", Outcome.FAIL): 34,
        ("dynamo-sglang", Outcome.PASS): 68,
        ("dynamo-trt", Outcome.PASS): 19,
        ("vllm", Outcome.PASS): 35,
        ("sglang", Outcome.UNDECIDED): 307,  # shell scripts, as the next four
        ("vllm", Outcome.UNDECIDED): 120,
        ("trt", Outcome.UNDECIDED): 22,
        ("atom", Outcome.UNDECIDED): 18,
        ("sglang-disagg", Outcome.UNDECIDED): 12,
    }


# Folders of recipes that are not called as the models' configs are.
PREFIXES = {
    "deepseek-v4": "dsv4",
    "kimi-k2.5": "kimik2.5",
    "kimi-k3": "kimik3",
    **dict.fromkeys(("minimax-m3", "minimax-m3-gb200-fp8", "minimax-m3-gb300-fp8"), "minimaxm3"),
}
VALUE = re.compile(rb"SIMULATE_ACC_LEN: |FORCE_NUM_ACCEPTED_TOKENS: |synthetic_acceptance_length\":")


def test_every_value_that_stands_in_a_real_recipe() -> None:
    """All 92 are golden for the K of the role that generates, in every variant of their file, used or not."""
    curves = august.sources().curves
    count, judged = 0, Counter[bool]()
    for path, data in shared_snapshot("data/inferencex/benchmarks/multi_node/srt-slurm-recipes").files.items():
        count += len(VALUE.findall(data))
        if VALUE.search(data) is None:
            continue
        framework, prefix = path.split("/")[:2]
        engine = ENGINES.by_framework[framework]
        content = read_yaml(path, data, RECIPE_LIMITS).data
        assert isinstance(content, dict)
        for each in [one.content() for one in variants(content, None)] if is_bundle(content) else [content]:
            drafted = engine.speculation(generating(roles(each)))
            assert drafted is not None
            golden = golden_of(curves, PREFIXES.get(prefix, prefix), drafted).by_mode[Thinking.ON]
            values = forced_values(strip(each).knobs, {}, drafted.k)
            judged.update(matches(value.al, golden) for value in values)
    assert count == 92
    assert judged[True] >= count
    assert judged[False] == 0
