"""Golden curves: what their files must be, and which value a drafting configuration is held against."""

import textwrap
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from bot.files import own_curves
from gatekit.domain.collection import Endpoint, Rendering, Thinking, Turns
from gatekit.domain.errors import BadInput
from gatekit.domain.gates import Reason, Tolerance, Unusable
from gatekit.goldens.lookup import Question, collection_of, curve_for, curve_name, load_curves, lookup, parse_curve
from gatekit.plan.plan import plan_keys
from tests.shared import shared
from tests.worlds.bench.small_bench import CURVE, bench, config, curves, recipe, row, sources, text

FILE = text(CURVE)
DRAFTS = '{"method":"mtp","num_speculative_tokens":3}'
KIMI_LONG = "kimik3_dspark_probabilistic_sample_method_block_rejection_sample_method"


def line_of(part: str, content: str) -> int:
    return 1 + next(number for number, line in enumerate(content.splitlines()) if part in line)


def test_a_curve_is_read_whole() -> None:
    curve = parse_curve("goldens/glow_mtp.yaml", FILE + "tolerance: {below: 0.02, above: 0.03}\n")
    assert (curve.name, curve.method, curve.tolerance) == ("glow_mtp", "mtp", Tolerance(0.02, 0.03))
    assert curve.values[Thinking.ON] == {1: 1.80, 2: 2.30, 3: 2.60}
    collection = collection_of(curve, Thinking.OFF)
    assert (collection.turns, collection.endpoint) == (Turns.FIRST, Endpoint.COMPLETIONS)
    assert (collection.rendering, collection.prompts, collection.concurrency) == (Rendering.CLIENT, 80, 1)
    assert collection.sampling[Thinking.ON].template_kwargs == {"enable_thinking": True}
    assert collection.sampling[Thinking.OFF].top_p is None


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("3: 2.60}", "3: 2.60, 3: 2.61}", "`3` twice"),
        ("1: 1.80", "1: 2.01", "from 1 to 2"),
        ("1: 1.80", "1: 0.99", "from 1 to 2"),
        ("1: 1.80", "1: .nan", "finite"),
        ("1: 1.80", "1: .inf", "finite"),
        ("1: 1.80", "1: much", "curves.on.1"),
        ("1: 1.80", "0: 1.00", "curves.on.0"),
        ("1: 1.80", "one: 1.80", "curves.on.one"),
        ('"off": {3', "off: {3", "quotes"),
        ('"off": {3', '"never": {3', "curves.never"),
        ("prompts: 80", "prompts: 0", "collection.prompts"),
        ("prompts: 80", "prompts: '80'", "collection.prompts"),
        ("turns: first", "turns: second", "collection.turns"),
        ("turns: first", "turn: first", "collection.turn"),
        ('    "off": {temperature: 0.7}\n', "", "thinking off has values"),
        ("prompts_sha256: null", "prompts_sha256: abc", "collection.prompts_sha256"),
        ("method: mtp", "method: [mtp", "YAML"),
    ],
)
def test_a_curve_that_cannot_be_is_refused_with_its_line(old: str, new: str, said: str) -> None:
    broken = FILE.replace(old, new)
    assert broken != FILE
    with pytest.raises(BadInput) as refused:
        parse_curve("goldens/glow_mtp.yaml", broken)
    assert refused.value.where.startswith("goldens/glow_mtp.yaml:")
    assert said in str(refused.value)


def test_the_line_is_the_line_of_the_value() -> None:
    broken = FILE.replace('"off": {3: 2.90}', '"off": {3: 4.90}')
    with pytest.raises(BadInput) as refused:
        parse_curve("goldens/glow_mtp.yaml", broken)
    assert refused.value.where == f"goldens/glow_mtp.yaml:{line_of('4.90', broken)}"


def test_a_folder_is_read_by_name_and_other_files_are_left_alone() -> None:
    found = load_curves({"goldens/b_mtp.yaml": FILE.encode(), "goldens/README.md": b"# Curves", "goldens/a.txt": b""})
    assert list(found) == ["b_mtp"]
    with pytest.raises(BadInput, match="second file for the curve b_mtp"):
        load_curves({"x/b_mtp.yaml": FILE.encode(), "y/b_mtp.yml": FILE.encode()})


@pytest.mark.parametrize(
    ("prefix", "method", "draft_model", "sampling", "name"),
    [
        ("dsv4", "mtp", None, None, "dsv4_mtp"),
        ("dsv4", "EAGLE", None, None, "dsv4_mtp"),
        ("dsv4", "dspark", None, "probabilistic", "dsv4-pro-0813-dspark"),
        ("dsv4dspark", "dspark", None, None, "dsv4-pro-0813-dspark"),
        ("dsv4dsparkprob", "dspark", None, None, "dsv4-pro-0813-dspark"),
        ("qwen3.5", "NEXTN", None, None, "qwen3.5_mtp"),
        ("minimaxm3", "eagle3", "Inferact/MiniMax-M3-EAGLE3-GQA", None, "minimaxm3_eagle3_gqa"),
        ("minimaxm3", "nextn", "some/gqa-head", None, "minimaxm3_eagle3_gqa"),
        ("minimaxm3", "eagle", "Inferact/MiniMax-M3-EAGLE3", None, "minimaxm3_eagle3"),
        ("kimik3", "dspark", "Inferact/Kimi-K3-DSpark", "greedy", "kimik3_dspark"),
        ("kimik3", "dspark", "Inferact/Kimi-K3-DSpark", "probabilistic", KIMI_LONG),
        ("dsv41flash", "dspark", None, None, "dsv41flash_dspark"),
        ("never-heard-of", "draft", "x/y", None, "never-heard-of_draft"),
    ],
)
def test_which_curve(prefix: str, method: str, draft_model: str | None, sampling: str | None, name: str) -> None:
    assert curve_name(Question(prefix, method, draft_model, sampling)) == name


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("curves:", "cuvres:", "22: cuvres is no key that is known here"),
        ("  category:", "  catgeory:", "6: collection.catgeory is no key that is known here"),
        ("  category: coding\n", "", "6: collection.category is missing"),
        ("method: mtp\n", "", "2: method is missing"),
        ("temperature: 0.7", "", "17: collection.sampling.off.temperature is missing"),
    ],
)
def test_a_key_that_is_misspelt_or_missing_is_said_where_it_belongs(old: str, new: str, said: str) -> None:
    assert old in FILE
    with pytest.raises(BadInput) as refused:
        parse_curve("goldens/glow_mtp.yaml", FILE.replace(old, new, 1))
    assert str(refused.value).startswith(f"goldens/glow_mtp.yaml:{said}")


@pytest.mark.parametrize("sampling", [None, "nucleus"])
def test_a_draft_that_leaves_its_curve_open_is_ambiguous(sampling: str | None) -> None:
    with pytest.raises(Unusable) as refused:
        curve_name(Question("kimik3", "dspark", None, sampling))
    assert refused.value.reason is Reason.AMBIGUOUS_DRAFT
    assert "greedy, probabilistic" in refused.value.detail


def test_a_curve_of_other_draft_sampling_is_not_taken() -> None:
    with pytest.raises(Unusable) as refused:
        curve_for(own_curves(), Question("dsv4", "dspark", None, "greedy"))
    assert refused.value.reason is Reason.AMBIGUOUS_DRAFT
    assert curve_for(own_curves(), Question("dsv4", "dspark", None, "probabilistic")).name == "dsv4-pro-0813-dspark"


def test_a_value_that_the_curve_has() -> None:
    (curve,) = curves().values()
    assert lookup(curve, 3, Thinking.ON) == 2.60
    assert lookup(curve, 3, Thinking.OFF) == 2.90


@pytest.mark.parametrize(
    ("prefix", "k", "thinking", "reason", "said"),
    [
        ("glimmer", 3, Thinking.ON, Reason.NO_CURVE, "glimmer_mtp"),
        ("glow", 4, Thinking.ON, Reason.NO_K, "it has K=1, 2, 3"),
        ("glow", 2, Thinking.OFF, Reason.NO_K, "it has K=3"),
    ],
)
def test_each_miss_has_its_own_reason(prefix: str, k: int, thinking: Thinking, reason: Reason, said: str) -> None:
    with pytest.raises(Unusable) as refused:
        lookup(curve_for(curves(), Question(prefix, "mtp", None, None)), k, thinking)
    assert refused.value.reason is reason
    assert said in refused.value.detail


def test_a_mode_that_was_not_collected_and_a_curve_without_collection() -> None:
    ours = own_curves()
    with pytest.raises(Unusable) as refused:
        lookup(ours["kimik3_dspark"], 3, Thinking.OFF)
    assert refused.value.reason is Reason.NO_THINKING_MODE
    for name in ("qwen3.8next_mtp", "dsv41flash_dspark", "minimaxm31flash_dspark", "musespark_dflash"):
        with pytest.raises(Unusable) as refused:
            collection_of(ours[name], Thinking.ON)
        assert refused.value.reason is Reason.NO_COLLECTION


def test_the_readme_shows_a_curve_that_is_read() -> None:
    readme = (Path(__file__).parents[3] / "goldens" / "README.md").read_text()
    example = textwrap.dedent(readme.split("```yaml\n")[1].split("```")[0])
    shown, kept = parse_curve("README.yaml", example), own_curves()["qwen3.5_mtp"]
    assert shown.values[Thinking.ON].items() <= kept.values[Thinking.ON].items()


def test_our_curves_are_the_measured_ones() -> None:
    """Every official value, mode by mode, and how it was collected."""
    measured = yaml.safe_load(shared("data/goldens.yaml").read_text())["curves"]
    official = {name: curve for name, curve in measured.items() if not name.startswith("branch:")}
    ours = own_curves()
    assert set(ours) == set(official)
    for name, theirs in official.items():
        values = {mode.value: dict(by_k) for mode, by_k in ours[name].values.items()}
        assert values == {mode.removeprefix("thinking_"): by_k for mode, by_k in (theirs["curves"] or {}).items()}, name
        collection, recorded = ours[name].collection, theirs.get("collection") or {}
        assert (collection is None) == (recorded.get("client_concurrency") is None), name
        if collection is not None:
            assert collection.concurrency == recorded["client_concurrency"]
            assert (collection.prompts, collection.output_len) == (recorded["prompts"], recorded["output_len"])
            for mode, sampling in collection.sampling.items():
                said = theirs["sampling"][f"thinking_{mode.value}"]
                kwargs = None if sampling.template_kwargs is None else dict(sampling.template_kwargs)
                assert kwargs == said["chat_template_kwargs"], name
                assert (sampling.temperature, sampling.top_p) == (said["temperature"], said.get("top_p")), name
                assert (sampling.top_k, sampling.presence_penalty) == (said.get("top_k"), said.get("presence_penalty"))


@pytest.mark.parametrize("text", ["", "# only a comment\n", "null\n"])
def test_an_empty_file_is_said_to_be_empty(text: str) -> None:
    with pytest.raises(BadInput, match=r"^goldens/glow_mtp.yaml:1: the file is empty; write a curve"):
        parse_curve("goldens/glow_mtp.yaml", text)


def test_a_file_without_a_mapping_is_said_to_need_one() -> None:
    with pytest.raises(BadInput, match="the file must be a mapping of keys to values"):
        parse_curve("goldens/glow_mtp.yaml", "- 1\n")


@pytest.mark.parametrize(
    ("curve", "k", "reason"),
    [
        ("dsv41flash_dspark", 5, Reason.NO_COLLECTION),
        ("dsv41flash_dspark", 3, Reason.NO_COLLECTION),
        ("minimaxm31flash_dspark", 3, Reason.NO_COLLECTION),
        ("musespark_dflash", 3, Reason.NO_COLLECTION),
        ("qwen3.8next_mtp", 3, Reason.NO_COLLECTION),
        ("glm5.3_mtp", 3, None),
        ("glm5.3_mtp", 5, Reason.NO_K),
    ],
)
def test_points_of_curves_that_are_not_complete(curve: str, k: int, reason: Reason | None) -> None:
    """Each has its reason, with what the curve's own note says; none borrows another curve's value."""
    prefix, method = curve.rsplit("_", 1)
    spec = f'{{"method":"{method}","num_speculative_tokens":{k}}}'
    head = bench(config(row("[4]"), prefix=prefix), {"glow.yaml": recipe().replace(DRAFTS, spec)})
    made = plan_keys(replace(sources(head), curves=own_curves()), None, None, "node")
    if reason is None:
        assert [(gate.golden.curve, gate.drafting.k) for gate in made.gates] == [(curve, k)]
        return
    (point,) = made.unresolved
    assert point.reason is reason
    assert curve in point.detail
    note = own_curves()[curve].note
    assert reason is not Reason.NO_COLLECTION or (note is not None and note in point.detail)


def test_every_curve_that_is_not_complete_is_documented() -> None:
    readme = (Path(__file__).parents[3] / "goldens" / "README.md").read_text()
    told = readme.split("## Curves that are not complete")[1]
    incomplete = [name for name, curve in own_curves().items() if curve.collection is None or len(curve.values) == 0]
    assert [name for name in incomplete if f"| `{name}` |" not in told] == []
