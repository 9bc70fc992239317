"""Which config keys the entries name, and which of them are gated."""

import json
from dataclasses import replace

import pytest

from gatekit.bench.matrix.changelog import Entry, Name, Scenario, new_entries
from gatekit.bench.matrix.master import read_master
from gatekit.bench.repo.layout import Layout
from gatekit.domain.errors import BadInput, Violations
from gatekit.domain.text import matches
from gatekit.plan.selection import gated_keys, named_keys, select
from tests.shared import shared, shared_snapshot
from tests.worlds.bench.small_bench import CONFIG, bench

KEYS = ("dsv4-fp4-b200", "dsv4-fp4-b300", "glm5.2-b200", "qwen3.5")
KNOWN = read_master(bench("".join(f"{key}: {{image: x}}\n" for key in KEYS)), Layout()).entries


def entry(*keys: str) -> Entry:
    names = tuple(Name(key, f"log.yaml:{at}") for at, key in enumerate(keys, 10))
    return Entry("log.yaml:9", names, ("x",), Name("y", "log.yaml:99"))


@pytest.mark.parametrize(
    ("chosen", "keys"),
    [
        ((), set()),
        ((entry("qwen3.5"),), {"qwen3.5"}),
        ((entry("dsv4-*"), entry("dsv4-fp4-b200", "*")), set(KEYS)),
        ((entry("*-b200"),), {"dsv4-fp4-b200", "glm5.2-b200"}),
        ((replace(entry("qwen3.5"), evals_only=True),), set()),
        ((replace(entry("qwen3.5"), all_evals=True), entry("qwen3.5")), {"qwen3.5"}),
        ((replace(entry("qwen3.5"), no_evals=True),), {"qwen3.5"}),
        ((replace(entry("qwen3.5"), append_only=True),), {"qwen3.5"}),
        ((replace(entry("qwen3.5"), scenarios=frozenset({Scenario.FIXED_SEQ_LEN})),), set()),
        ((replace(entry("qwen3.5"), scenarios=frozenset(Scenario)),), {"qwen3.5"}),
    ],
)
def test_entries_with_agentx_throughput_select_their_keys(chosen: tuple[Entry, ...], keys: set[str]) -> None:
    selected = select(chosen, KNOWN)
    assert gated_keys(selected) == keys
    assert named_keys(selected) == {key for one in selected for key in one.keys} >= keys


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (entry("dsv5"), "10: names `dsv5`, but the config key is in no master config; correct it or add the config"),
        (entry("dsv5*"), "10: names `dsv5*`, but the pattern matches no config key; correct it or add the config"),
        (entry("dsv4"), "10: names `dsv4`, but the config key is in no master config; correct it or add the config"),
        (
            entry("dsv4-fp4-b?00"),
            f"10: names `dsv4-fp4-b?00`, but the config key is in no master config, did you mean `dsv4-fp4-b200` "
            f"({CONFIG}:1); correct it",
        ),
        (
            replace(entry("qwen3.5", "x"), evals_only=True),
            "11: names `x`, but the config key is in no master config; correct it",
        ),
    ],
)
def test_a_name_that_matches_nothing_is_refused(wrong: Entry, said: str) -> None:
    with pytest.raises(BadInput) as refused:
        select((entry("qwen3.5"), wrong), KNOWN)
    assert str(refused.value).startswith(f"log.yaml:{said}")


def test_every_name_that_matches_nothing_is_said_at_its_line() -> None:
    with pytest.raises(Violations) as refused:
        select((entry("dsv5", "qwen3.5", "x*"),), KNOWN)
    assert [sentence.split(",")[0] for sentence in refused.value.sentences] == [
        "log.yaml:10: names `dsv5`",
        "log.yaml:12: names `x*`",
    ]


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("dsv4-fp4-b20", "dsv4-fp4-b200` (configs/nvidia-master.yaml:1)"),
        ("dsv4-fp4-b2000", "dsv4-fp4-b200` (configs/nvidia-master.yaml:1)"),
        ("glm52-b200", "glm5.2-b200` (configs/nvidia-master.yaml:3)"),
        ("lgm5.2-b200", "glm5.2-b200` (configs/nvidia-master.yaml:3)"),
        ("glm5.3-b100", None),
        ("qwen35", "qwen3.5` (configs/nvidia-master.yaml:4)"),
        ("qwen4", None),
        ("dsv4-fp4-c*", None),
    ],
)
def test_a_slip_in_a_config_key_is_answered_with_the_key(text: str, hint: str | None) -> None:
    with pytest.raises(BadInput) as refused:
        select((entry(text),), KNOWN)
    said = str(refused.value)
    assert (f"did you mean `{hint}; correct it" in said) if hint else ("did you mean" not in said)


def test_of_very_many_names_the_first_hundred_are_said() -> None:
    with pytest.raises(Violations) as refused:
        select((entry(*(f"no-{n}" for n in range(1_500))),), KNOWN)
    assert len(refused.value.sentences) == 100


def test_where_an_entry_names_a_key_is_where_it_does_first() -> None:
    (one,) = select((entry("dsv4-*", "dsv4-fp4-b200", "*"),), KNOWN)
    assert one.keys == {
        "dsv4-fp4-b200": "log.yaml:10",
        "dsv4-fp4-b300": "log.yaml:10",
        "glm5.2-b200": "log.yaml:12",
        "qwen3.5": "log.yaml:12",
    }


@pytest.mark.parametrize(
    ("pattern", "name", "same"),
    [
        ("a", "a", True),
        ("a", "ab", False),
        ("*", "", True),
        ("a*", "a", True),
        ("*b*", "abc", True),
        ("a*c", "abcb", False),
        ("ab*ba", "aba", False),
        ("a**c", "abc", True),
        ("a.c*", "abc", False),
        ("a*" * 40 + "b", "a" * 200, False),
    ],
)
def test_a_star_stands_for_any_text(pattern: str, name: str, same: bool) -> None:
    assert matches(pattern, name) is same


def test_what_real_pull_requests_added_selects_keys_of_the_tree_or_says_which_it_lacks() -> None:
    tree = shared_snapshot("data/inferencex")
    known = read_master(tree, Layout()).entries
    rows = map(json.loads, shared("data/inferencex/merged_prs.jsonl").read_text().splitlines())
    selected, lacking = 0, 0
    for row in rows:
        history = tree.files["perf-changelog.yaml"]
        head = history + f"\n{row['changelog_added']}\n".encode()
        entries = new_entries(history, head, "perf-changelog.yaml")
        names = [name for entry in entries for name in entry.names]
        missing = [name for name in names if not any(matches(name.text, key) for key in known)]
        if not missing:
            selected += bool(named_keys(select(entries, known)))
            continue
        lacking += 1
        with pytest.raises(BadInput if len(missing) == 1 else Violations) as refused:
            select(entries, known)
        lines = head.decode().split("\n")
        for name, sentence in zip(missing, refused.value.sentences, strict=True):
            assert sentence.startswith(f"{name.where}: names `{name.text}`")
            assert name.text in lines[int(name.where.rpartition(":")[2]) - 1]
    assert (selected, lacking) == (43, 16)
