"""Text of pull requests, logs and engines is shown as text, whatever it holds; secrets are not shown at all."""

import html
from dataclasses import replace

import pytest

from bot.pages.texts import ON_A_PAGE, texts, whole_texts
from gatekit.domain.gates import StrippedKnob, Unresolved
from gatekit.domain.ids import short
from gatekit.domain.job import Material
from gatekit.domain.sweep import GateState, SweepState
from gatekit.formats.redact import MAX_TEXT
from tests.bot.pages.house import House, with_leftovers
from tests.bot.pages.reading import Page
from tests.worlds.bench.plans import DRAFTING, GOLDEN, LAUNCH, gate, wish
from tests.worlds.bot.stories import FAILED, UNRESOLVED, WARNINGS

EVIL = (
    "\"'><script>document.title='ran'</script><img src=x onerror=document.title='ran'>{{ 7 * 7 }}</pre></td>"
    "<a href=javascript:alert(1)>click</a><base href=//evil.example><style>*{display:none}</style>&lt;b&gt;"
)
OURS = {
    *(
        "html",
        "head",
        "meta",
        "title",
        "link",
        "body",
        "header",
        "main",
        "a",
        "h1",
        "h2",
        "p",
        "strong",
        "small",
        "bdi",
    ),
    *("code", "pre", "table", "thead", "tbody", "tr", "th", "td", "div", "section", "dl", "dt", "dd", "details"),
    *("summary", "ul", "li", "br"),
}
OUR_ATTRIBUTES = {"data-name", "lang", "charset", "name", "content", "rel", "href", "class", "id"}


async def hostile(house: House) -> list[str]:
    """A sweep in which everything that comes from outside is hostile; the pages that show it."""
    one = gate(
        "evil",
        title=f"title {EVIL}",
        config_key=f"key {EVIL}",
        framework=EVIL,
        cluster=f"cluster {EVIL}",
        recipe=f"recipe {EVIL}",
        drafting=replace(DRAFTING, method=f"m {EVIL}", draft_model=f"d {EVIL}", draft_sample_method=f"s {EVIL}"),
        golden=replace(GOLDEN, curve=f"curve {EVIL}"),
        launch=replace(LAUNCH, image=f"image {EVIL}", model=f"model {EVIL}"),
        stripped=(StrippedKnob(f"at {EVIL}", f"knob {EVIL}", f"value {EVIL}"),),
    )
    new = with_leftovers(replace(wish(one), label=f"label {EVIL}", sender=f"sender {EVIL}"))
    unresolved = Unresolved(f"other {EVIL}", EVIL, 1, UNRESOLVED[0].reason, f"detail {EVIL}")
    warning = replace(WARNINGS[0], config_key=f"warned {EVIL}", detail=f"warning {EVIL}")
    plan = replace(
        new.plan,
        unresolved=(unresolved,),
        warnings=(warning,),
        uncovered=(f"uncovered {EVIL}",),
        repeats=(f"repeated {EVIL}",),
    )
    sweep = await house.plan(new=replace(new, plan=plan))
    await house.judge(sweep, one, replace(FAILED, reason=f"reason {EVIL}"), f"tail {EVIL}")
    await house.end(sweep, SweepState.CANCELLED, f"because {EVIL}")
    scrapes = {f"worker {EVIL}": f"scrape {EVIL}"}
    house.materials[one.key] = Material(f"result {EVIL}", scrapes, scrapes, EVIL, f"engine {EVIL}", f"job {EVIL}")
    return ["/", f"/sweeps/{sweep}", f"/sweeps/{sweep}/gates/{short(one.key)}"]


async def test_hostile_text_brings_no_tag_and_no_attribute(house: House) -> None:
    for path in await hostile(house):
        page = Page(await house.get(path))
        assert page.tags <= OURS, path
        assert page.attributes <= OUR_ATTRIBUTES, path
        assert all(link.startswith(("/", "#", "https://github.example/acme/bench/pull/")) for link in page.links)


async def test_hostile_text_is_shown_to_the_letter(house: House) -> None:
    index, page, _ = [Page(await house.get(path)).words for path in await hostile(house)]
    assert f"because {EVIL}" in index
    for told in ("title", "key", "cluster", "recipe", "m", "d", "s", "curve", "image", "model", "at", "knob", "value"):
        assert f"{told} {EVIL}" in page, told
    for told in (
        "label",
        "sender",
        "other",
        "detail",
        "warned",
        "warning",
        "repeated",
        "uncovered",
        "reason",
        "tail",
        "because",
    ):
        assert f"{told} {EVIL}" in page, told
    for told in ("result", "worker", "scrape", "engine", "job"):
        assert f"{told} {EVIL}" in page, told


@pytest.mark.parametrize(
    ("sign", "shown"),
    [
        ("\u202e", "�"),  # right-to-left override
        ("\u2066", "�"),
        ("\u200b", "�"),  # zero width space
        ("\u0000", "�"),
        ("\u001b", "�"),
        ("\ufeff", "�"),
        ("\U000e0041", "�"),  # tag letter
        ("é", "é"),
        ("界", "界"),
        ("שלום", "שלום"),
    ],
)
async def test_what_cannot_be_seen_becomes_a_sign_that_can(house: House, sign: str, shown: str) -> None:
    sweep = await house.plan(gate("evil", title=f"before{sign}after"))
    text = await house.get(f"/sweeps/{sweep}")
    assert f"before{shown}after" in text
    assert "before" not in text.replace(f"before{shown}after", "")


async def test_secrets_of_logs_and_scrapes_are_not_shown_anywhere(house: House) -> None:
    one = gate()
    sweep = await house.plan(one)
    await house.bring(sweep, one, GateState.RUNNING)
    secret = "hf_" + "a1B2" * 8
    padding = "a line that is no secret\n" * (MAX_TEXT // 20)  # beyond what one look of the redaction takes
    flag, label = f"--hf-token {secret}", f'x{{label="{secret}"}} 1'
    log = f"TOKEN here: {secret}\n{padding}"
    house.materials[one.key] = Material(flag, {"agg-0": label}, {"agg-0": flag}, label, log, label)
    own = f"/sweeps/{sweep}/gates/{short(one.key)}"
    for path in (f"/sweeps/{sweep}", own, f"/api{own}"):
        text = await house.get(path)
        assert secret not in text
        assert "a line that is no secret" in text
    assert "TOKEN here" in await house.get(f"/api{own}")


@pytest.mark.parametrize("length", [ON_A_PAGE, 2 * ON_A_PAGE, MAX_TEXT])
def test_no_cut_leaves_half_a_secret(length: int) -> None:
    """Wherever the end of a log begins: each of these cuts lies at another place in the secret."""
    secret = "hf_" + "a1B2" * 8
    lines = "\n".join(["x" * 63] * (length // 64))
    for cut in range(1, len(secret), 6):
        log = f"{secret}\n{lines[: len(lines) - cut]}"
        (shown,) = texts(Material(None, {}, {}, None, log, None))
        assert "1B2" not in shown.text
        assert "1B2" not in whole_texts(Material(None, {}, {}, log, None, None))["slices.jsonl"]


@pytest.mark.parametrize("length", [10, MAX_TEXT - 20, MAX_TEXT - 1, MAX_TEXT, 2 * MAX_TEXT])
def test_a_whole_text_keeps_its_lines_and_no_secret(length: int) -> None:
    secret = "hf_" + "a1B2" * 8
    log = "\n".join(("first", "y" * length, secret, "z" * length, "last"))
    shown = whole_texts(Material(None, {}, {}, None, log, None))["engine.log"].split("\n")
    assert (len(shown), shown[0], shown[2], shown[4]) == (5, "first", "***", "last")


def test_the_hostile_text_is_hostile() -> None:
    """Without escaping it would bring what the other tests look for."""
    page = Page(f"<p>{EVIL}</p>")
    assert {"script", "img", "base", "style"} <= page.tags
    assert "onerror" in page.attributes
    assert Page(html.escape(EVIL)).tags == set()
