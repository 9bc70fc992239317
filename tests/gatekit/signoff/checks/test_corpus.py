"""Real sign-offs and what they came to: each ground on which one was rejected, and what was accepted.

Three come with their text; of the others only the row of a list is known, and the sign-off is made from it.
"""

from dataclasses import replace
from datetime import date

import pytest

from bot.files import own_curves
from gatekit.domain.ids import Login
from gatekit.signoff.checklist.comment import CommentText
from gatekit.signoff.checklist.phrase import PHRASE
from gatekit.signoff.checklist.template import Current
from gatekit.signoff.checks.check import CheckFinding, Outcome
from gatekit.signoff.checks.facts import Facts
from gatekit.signoff.checks.verdict import Overall, verify
from gatekit.signoff.evidence.models_page import read_models
from gatekit.signoff.evidence.upstream import UpstreamPage, UpstreamPull
from gatekit.signoff.trigger import Action, Person, Post, TriggerAnswer, TriggerReason, trigger
from tests.gatekit.signoff.test_trigger import POSTED, STANDING
from tests.shared import shared
from tests.worlds.bench.small_bench import CHANGELOG, CONFIG, RECIPES, config, entry, row, text
from tests.worlds.signoff.checklist import ITEMS, form, open_box, page
from tests.worlds.signoff.signed import (
    GLOW,
    HEAD,
    MODELS,
    PAGE,
    RECIPE,
    SAID,
    URL,
    change,
    clean,
    described,
    files,
    revision,
    run,
    sign_off,
    signed,
)

PASS, FAIL, WARN, UNDECIDED, NOT_APPLICABLE = (
    *(Outcome.PASS, Outcome.FAIL, Outcome.WARN, Outcome.UNDECIDED),
    Outcome.NOT_APPLICABLE,
)
PULL = "https://github.com/sgl-project/sglang/pull/9"
DETAILS = f"- recipe: {URL}\n{SAID}"
SCRIPT = "benchmarks/single_node/agentic/glow_fp8_h100_vllm_mtp.sh"
SETUP = f"{RECIPES}/configs/prepare.sh"
WITH_SETUP = text(GLOW.replace("name: glow", "name: glow\n    setup_script: prepare.sh"))
OLDER = page().replace(f"- [ ] {ITEMS['16']}\n", "").replace(f"- [ ] {ITEMS['14']}\n", "")


def findings(facts: Facts) -> dict[int, CheckFinding]:
    return {each.number: each.finding for each in verify(facts, HEAD, Login("zed")).rows}


def pull(merged: bool, model: str = "example/glow") -> UpstreamPull:
    return UpstreamPull(merged, "closed" if merged else "open", ("docs/cookbook/x.md",), f"{model}\n{PAGE}")


def linking(upstream: UpstreamPull, boxes: dict[str, str] | None = None) -> Facts:
    body = form(boxes, f"- recipe: {PULL}\n{SAID}")
    return replace(signed(body), linked={PULL: upstream})


def stale(since: int) -> Facts:
    """A copy without the two items that the template got on that day of the month."""
    current = Current(revision(since), (), (revision(1, OLDER),))
    return replace(signed(form({"14": "", "16": ""}, DETAILS)), template=current)


FORM = [
    ("2170: two items are missing", stale(4), 5, "not in the sign-off: 14 (append-only), 16 (pareto points)"),
    (
        "2187: the linked recipe is not merged, two boxes are open",
        linking(pull(merged=False), {**open_box("12"), **open_box("12a")}),
        3,
        f"3b: {PULL} is open, and not merged",
    ),
    (
        "2187, its boxes",
        linking(pull(merged=False), {**open_box("12"), **open_box("12a")}),
        5,
        "open, and the details do not say why: 12 (production recipe), 12a (recipe link)",
    ),
    (
        "2213: the linked recipe is of another model",
        linking(pull(merged=True, model="example/dusk").__class__(True, "closed", ("x.md",), "example/dusk")),
        3,
        "3b: no linked recipe is for example/glow, which glow-fp8-h100-vllm-agentic serves",
    ),
    (
        "2576: `- []`, and the placeholder is left",
        signed(form({"13": f"[] {ITEMS['13']}"})),
        5,
        "no box that GitHub shows, write `- [x]`: 13 (no patches)",
    ),
    (
        "2590: the details are the placeholder, the recipe is not linked",
        signed(form()),
        3,
        "3a: no recipe is linked: a merged pull request, or a published page",
    ),
    ("2610: stale by minutes", stale(5), 5, "not in the sign-off: 14 (append-only), 16 (pareto points)"),
    ("2725: stale by days", stale(2), 5, "not in the sign-off: 14 (append-only), 16 (pareto points)"),
    ("2023: deliberately stale", stale(3), 5, "this is the copy of 2026-10-01, copy today's"),
]


@pytest.mark.parametrize(("facts", "check", "said"), [each[1:] for each in FORM], ids=[each[0][:4] for each in FORM])
def test_rejected_for_its_form(facts: Facts, check: int, said: str) -> None:
    found = findings(facts)[check]
    assert found.outcome is FAIL
    assert said in found.reason
    assert verify(facts, HEAD, Login("zed")).overall is Overall.REJECTED


@pytest.mark.parametrize(
    ("number", "template", "items"),
    [
        ("01", "2026-06-23_e788604cb", "open, and the details do not say why: 7 (production recipe)"),  # 1946
        ("02", "2026-06-23_e788604cb", "open, and the details do not say why: 7 (production recipe)"),  # 1917
        ("08", "2026-08-03_b4be78a29", "open, and the details do not say why: 3 (validation run), 4 (evals)"),  # 2328
    ],
)
def test_rejected_for_its_form_with_its_text(number: str, template: str, items: str) -> None:
    """Each lacks the link of a recipe, and leaves its box open."""
    body = shared(f"data/signoffs/full/{number}.md").read_text()
    used = revision(1, shared(f"data/checklist/{template}.md").read_text())
    found = findings(replace(signed(body), template=Current(used, (), ())))
    assert found[3].reason == "3a: no recipe is linked: a merged pull request, or a published page"
    assert found[5].outcome is FAIL
    assert items in found[5].reason


def test_posted_again_it_passes() -> None:
    """2610 and 2213: nothing changed but the text."""
    assert findings(replace(stale(5), sign_off=sign_off(form(details=DETAILS))))[5].outcome is PASS
    assert findings(linking(pull(merged=True)))[3].outcome is PASS


KIMI = """
    schema: 2
    name: kimi
    engine: vllm
    roles:
      agg:
        nodes: 1
        workers: 1
        gpus: 8
        args:
          speculative-config: '{"method":"dspark","num_speculative_tokens":2,"draft_sample_method":"SAMPLED",\
"model":"Inferact/Kimi-K3-DSpark","rejection_sample_method":"synthetic","synthetic_acceptance_length":2.51}'
    """


def kimi(sampled: str) -> Facts:
    served = config(row("[4, 8]"), prefix="kimik3")
    recipe = text(KIMI.replace("SAMPLED", sampled))
    return replace(clean(), change=change({CONFIG: served, RECIPE: recipe}), curves=own_curves())


def served(image: str) -> Facts:
    return replace(clean(), change=change({CONFIG: config(row("[4, 8]")).replace("vllm/vllm-openai", image)}))


def dispatched() -> Facts:
    external = run()
    return replace(clean(), runs=(replace(external, run=replace(external.run, event="workflow_dispatch")),))


def patched(script: str, body: str | None = None) -> Facts:
    facts = replace(clean(), change=change({}, {RECIPE: WITH_SETUP, SETUP: script}))
    return facts if body is None else replace(facts, sign_off=sign_off(body))


RETIRED = MODELS.replace("| Agentic coding, Single-turn 8k1k | |", "| Single-turn 8k1k | Agentic coding (removed) |")
LAST_DAY = MODELS.replace(
    "| Agentic coding, Single-turn 8k1k | |", "| Agentic coding | Agentic coding (last day 2026-10-06) |"
)
INDEXER = PAGE.replace("--tensor", "--kv-cache-dtype fp8 --tensor")
NO_DRAFTS = change({CONFIG: config(row("[4, 8]", spec="none"))}, {CONFIG: config(row("[4]", spec="none"))})

SUBSTANCE = [
    ("2031", signed(form(details="- disaggregated, no single-node recipe")), 3, FAIL),
    ("2139", patched("sed -i s/a/b/ x.py\n", form(details="- the owner accepts the patch as safe")), 10, FAIL),
    ("2159", signed(form({**open_box("3"), **open_box("4")}, "- boxes 3 and 4: the cluster was down")), 5, PASS),
    ("2162", replace(clean(), change=change({RECIPE: text(GLOW.split(',"rejection')[0] + "}'\n    ")})), 11, FAIL),
    ("2218", replace(signed(form(open_box("7"))), change=NO_DRAFTS), 5, PASS),
    ("2360", patched("git apply fix.patch\n"), 10, FAIL),
    ("2364", clean(), 2, NOT_APPLICABLE),
    ("2364", clean(), 1, PASS),
    ("2508", patched("patch -p1 < fix\n", form(open_box("13"))), 10, FAIL),
    ("2508", replace(clean(), linked={URL: UpstreamPage(200, INDEXER)}), 3, UNDECIDED),
    ("2697", replace(clean(), change=change({CONFIG: config(row("[4, 8]"), framework="atom")})), 3, NOT_APPLICABLE),
    ("2710", dispatched(), 1, FAIL),
    ("2710", served("vendor/vllm-fork"), 6, FAIL),
    ("2792", signed(form({"7": f"[x] Doesn't apply ({ITEMS['7']})"})), 5, PASS),
    ("2811", kimi("greedy"), 11, FAIL),
    ("2811", kimi("probabilistic"), 11, PASS),
    ("2851", replace(clean(), models=read_models(text(RETIRED), "M.md"), reuse=None), 7, FAIL),
    ("2851", replace(clean(), reuse=None), 4, WARN),
    ("2851", replace(clean(), models=read_models(text(LAST_DAY), "M.md")), 7, PASS),
    ("2851", replace(clean(), models=read_models(text(LAST_DAY), "M.md"), today=date(2026, 10, 7)), 7, FAIL),
    (
        "2910",
        replace(clean(), linked={URL: UpstreamPage(200, f"{PAGE} --enable-deepseek-v4-fp4-indexer")}),
        3,
        UNDECIDED,
    ),
    ("2118", signed(form({label: f"[ ] {said}" for label, said in ITEMS.items()})), 5, FAIL),
]


@pytest.mark.parametrize(("facts", "check", "outcome"), [each[1:] for each in SUBSTANCE], ids=[e[0] for e in SUBSTANCE])
def test_judged_on_its_substance(facts: Facts, check: int, outcome: Outcome) -> None:
    assert findings(facts)[check].outcome is outcome


def test_a_change_of_documents_alone_needs_nothing_measured() -> None:
    """3114: every box that asks for a measurement says N/A, and why."""
    documents = change({CONFIG: config(row("[4]")), CHANGELOG: entry(), "docs/a.md": "more\n"})
    said = {label: f"[ ] {ITEMS[label]} **N/A — documents only**" for label in list(ITEMS)[2:14]}
    facts = replace(
        signed(form(said)), change=documents, files=files("a.md"), description=described("Words."), reuse=None
    )
    found = findings(facts)
    assert {number for number, each in found.items() if each.outcome is NOT_APPLICABLE} == {
        *(1, 2, 3, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
    }
    assert (found[0].outcome, found[4].outcome, found[5].outcome) == (PASS, WARN, PASS)


@pytest.mark.parametrize(
    ("posted", "why"),
    [
        # 2093: the verifier took its own verdict for a sign-off, twice
        (
            replace(
                POSTED,
                body=CommentText(f"<!-- codeowner-signoff-verify sha=1 -->\n**REJECTED**\n\n{PHRASE}\n- [x] a\n"),
            ),
            TriggerReason.OWN_COMMENT,
        ),
        (
            replace(POSTED, author=Person(Login("gatekit[bot]"), ours=True), sender=Person(Login("gatekit[bot]"))),
            TriggerReason.OWN_COMMENT,
        ),
        # 2108: a reminder of a workflow held the phrase
        (
            replace(
                POSTED,
                author=Person(Login("github-actions[bot]")),
                sender=Person(Login("github-actions[bot]")),
                body=CommentText(f"Please have a CODEOWNER post this:\n\n{PHRASE}\n"),
            ),
            TriggerReason.BOT,
        ),
        (replace(POSTED, body=CommentText(f"Remember to post `{PHRASE}`, all of it.")), TriggerReason.NO_PHRASE),
        (replace(POSTED, action=Action.DELETED), TriggerReason.NOT_A_POST),
    ],
)
def test_what_was_no_sign_off_stays_silent(posted: Post, why: TriggerReason) -> None:
    found = trigger(posted, STANDING)
    assert (found.answer, found.why) == (TriggerAnswer.SILENT, why)
