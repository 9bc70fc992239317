"""Check 10: the pinned image runs as shipped, or a waiver says why not."""

from dataclasses import replace

import pytest

from gatekit.signoff.checks.check import Outcome
from gatekit.signoff.checks.check_10_patches import CHECK, Strength, lacking, signs
from gatekit.signoff.checks.facts import NOT_READ
from gatekit.signoff.evidence.upstream import Link, links
from tests.shared import shared_snapshot
from tests.worlds.bench.small_bench import CHANGELOG, CONFIG, RECIPES, config, entry, row, text
from tests.worlds.signoff.checklist import form
from tests.worlds.signoff.signed import GLOW, RECIPE, change, clean, sign_off

SCRIPT = "benchmarks/single_node/agentic/glow_fp8_h100_vllm_mtp.sh"
SETUP = f"{RECIPES}/configs/prepare.sh"
WAIVER = "docs/waiver/7.md"
GOOD = """# Waiver

What is patched: one kernel. Why: the image cannot load the model.
Upstream: https://github.com/vllm-project/vllm/pull/1
Removal: with the next release.
"""
LINKED = form(details="- waiver: https://github.com/acme/bench/blob/main/docs/waiver/7.md")
SCRIPTED = config(row("[4, 8]", named=""))
PATCHES = "git apply fix.patch\n"


@pytest.mark.parametrize(
    ("line", "strength"),
    [
        ("git apply /tmp/fix.patch", Strength.STRONG),
        ("git -C /sgl-workspace/sglang cherry-pick abc", Strength.STRONG),
        ("patch -p1 < fix.diff", Strength.STRONG),
        ("cd x && patch --strip=1 < fix", Strength.STRONG),
        ("sed -i 's/a/b/' /usr/lib/python3/dist-packages/vllm/x.py", Strength.STRONG),
        ("sed -E -i.bak s/a/b/ x.py", Strength.STRONG),
        ("python3 -c 'import importlib.util as u; print(u.find_spec(\"vllm\"))'", Strength.STRONG),
        ("pip install --no-deps vllm==0.9", Strength.STRONG),
        ("uv pip install git+https://github.com/me/engine", Strength.STRONG),
        ("pip install /tmp/some.whl", Strength.STRONG),
        ("python3 - <<'EOF'", Strength.WEAK),
        ("export PYTHONPATH=/x", Strength.WEAK),
        ("cd /sgl-workspace/sglang", Strength.WEAK),
        ("ls /usr/lib/python3/site-packages", Strength.WEAK),
        ("export LD_PRELOAD=/x.so", Strength.WEAK),
        ("UCX_MODULE_DIR: /usr/lib/python3.12/dist-packages/ucx", None),  # of a recipe's environment
        ("- /mine:/usr/lib/python3.12/dist-packages/vllm", Strength.WEAK),
        ("PYTHONPATH: /x", Strength.WEAK),
        ("pip install aiperf==0.13", None),
        ("dispatch -p1", None),
        ("# git apply fix.patch", None),
        ("echo 'a # b'; git apply x", Strength.STRONG),
        ("sed s/a/b/ x > y", None),
        ("vllm serve m --patch-size 4", None),
    ],
)
def test_signs_of_a_patch(line: str, strength: Strength | None) -> None:
    found = list(signs("a.sh", line.encode()))
    assert [each.strength for each in found] == ([] if strength is None else [strength])


def patched(script: str = PATCHES, **files: str) -> dict[str, str | None]:
    return {CONFIG: SCRIPTED, SCRIPT: script, **files}


@pytest.mark.parametrize(
    ("files", "body", "outcome", "said"),
    [
        ({}, None, Outcome.PASS, "nothing that is started changes the engine"),
        (patched("vllm serve m\n"), None, Outcome.PASS, "nothing that is started changes the engine"),
        (
            patched(),
            None,
            Outcome.FAIL,
            f"{SCRIPT}:1 changes the engine (git apply), and there is no waiver {WAIVER}",
        ),
        (
            {**patched(), WAIVER: GOOD},
            LINKED,
            Outcome.UNDECIDED,
            f"{SCRIPT}:1 changes the engine (git apply); look whether the waiver {WAIVER} is good enough, and approved",
        ),
        (
            {**patched(), WAIVER: GOOD},
            form(),
            Outcome.FAIL,
            f"{SCRIPT}:1 changes the engine (git apply), and the sign-off does not link the waiver {WAIVER}",
        ),
        (
            {**patched(), WAIVER: "What: a kernel. Why: it must.\n"},
            LINKED,
            Outcome.FAIL,
            f"{SCRIPT}:1 changes the engine (git apply), and the waiver {WAIVER} lacks when it is removed, a link to "
            "an upstream pull request or issue",
        ),
        (
            {**patched(), "docs/waiver/8.md": GOOD},
            form(details="- owner accepts the patch as safe"),
            Outcome.FAIL,
            f"{SCRIPT}:1 changes the engine (git apply), and there is no waiver {WAIVER}",
        ),
        (
            patched("python3 - <<E\nE\n"),
            None,
            Outcome.UNDECIDED,
            f"look whether {SCRIPT}:1 changes the engine (Python from a script)",
        ),
        (
            {RECIPE: text(GLOW.replace("name: glow", "name: glow\n    setup_script: prepare.sh"))},
            None,
            Outcome.UNDECIDED,
            f"{SETUP}: is not in the repository; look whether it changes the engine",
        ),
        (
            {"benchmarks/fix.patch": "--- a/x.py\n+++ b/x.py\n"},
            None,
            Outcome.FAIL,
            f"benchmarks/fix.patch changes the engine (a patch file), and there is no waiver {WAIVER}",
        ),
    ],
)
def test_patches_and_waivers(files: dict[str, str | None], body: str | None, outcome: Outcome, said: str) -> None:
    facts = replace(clean(), change=change(files))
    found = CHECK.run(facts if body is None else replace(facts, sign_off=sign_off(body)))
    assert (found.outcome, found.reason) == (outcome, said)


def test_a_patch_in_a_file_that_does_not_change_counts() -> None:
    recipe = text(GLOW.replace("name: glow", "name: glow\n    setup_script: prepare.sh"))
    files = {RECIPE: recipe, SETUP: "sed -i s/a/b/ /opt/vllm/x.py\n"}
    found = CHECK.run(replace(clean(), change=change({}, files)))
    assert found.outcome is Outcome.FAIL
    assert found.reason.startswith(f"{SETUP}:1 changes the engine (sed -i)")


def test_a_command_inside_a_recipe_counts() -> None:
    recipe = text(GLOW.replace("name: glow", "name: glow\n    prepare: bash -c 'git apply fix.patch'"))
    found = CHECK.run(replace(clean(), change=change({RECIPE: recipe})))
    assert (found.outcome, found.reason) == (
        Outcome.FAIL,
        f"{RECIPE}:3 changes the engine (git apply), and there is no waiver {WAIVER}",
    )


def test_the_real_recipes_show_no_sign() -> None:
    files = shared_snapshot("data/inferencex/benchmarks").files
    assert [sign for path, data in files.items() for sign in signs(path, data)] == []


def test_a_helper_that_did_not_change_counts_only_where_it_is_certain() -> None:
    base = {SCRIPT: "source ./lib.sh\n", CONFIG: config(row("[4]", named=""))}
    for lib, outcome in (("python3 - <<E\n", Outcome.PASS), ("patch -p1 < x\n", Outcome.FAIL)):
        files = {**base, "benchmarks/single_node/agentic/lib.sh": lib}
        assert CHECK.run(replace(clean(), change=change({CONFIG: SCRIPTED}, files))).outcome is outcome
    changed = change({CONFIG: SCRIPTED, "benchmarks/single_node/agentic/lib.sh": "python3 - <<E\n"}, base)
    assert CHECK.run(replace(clean(), change=changed)).outcome is Outcome.UNDECIDED


def test_a_waiver_of_an_earlier_change_counts_where_it_is_linked() -> None:
    linked = form(details="- waiver: https://github.com/acme/bench/blob/main/docs/waiver/3.md#why")
    found = CHECK.run(replace(clean(), change=change(patched(), {"docs/waiver/3.md": GOOD}), sign_off=sign_off(linked)))
    assert found.outcome is Outcome.UNDECIDED


def test_nothing_that_serves_is_not_applicable() -> None:
    same = change({CONFIG: config(row("[4]")), CHANGELOG: entry()})
    assert CHECK.run(replace(clean(), change=same)).outcome is Outcome.NOT_APPLICABLE
    assert CHECK.run(replace(clean(), change=NOT_READ)).outcome is Outcome.UNDECIDED


@pytest.mark.parametrize(
    ("page", "missing"),
    [
        (GOOD, 0),
        (GOOD.replace("Removal: with", "TODO with"), 2),
        (GOOD.replace("vllm-project/vllm/pull/1", "vllm-project/vllm"), 1),
        ("", 4),
    ],
)
def test_a_waiver_says_four_things(page: str, missing: int) -> None:
    assert len(lacking(page)) == missing


def test_links() -> None:
    body = "see https://a.b/c). [x](https://a.b/d) <https://a.b/e>\n<!-- https://a.b/f -->\n(https://a.b/g_(h)), https://a.b/c"
    assert links(body) == (
        Link("https://a.b/c", 1),
        Link("https://a.b/d", 1),
        Link("https://a.b/e", 1),
        Link("https://a.b/g_(h)", 3),
    )
