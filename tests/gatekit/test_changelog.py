"""New changelog entries: found behind an untouched history, read strictly, and turned into config keys."""

import json
from dataclasses import replace

import pytest

from gatekit.changelog import Entry, Scenario, new_entries, selected_keys
from gatekit.patterns import matches
from gatekit.refusal import BadInput
from tests.shared import shared

BASE = b"- config-keys: [old]\n  description: [x]\n  pr-link: https://example.org/1\n"
NEW = b"""
- config-keys:
    - dsv4-*
    - glm5.2-b200
  scenario-type: [agentic-coding]
  description:
    - "one"
    - |
      two
      lines
  pr-link: https://example.org/XXX
"""


def entries(added: bytes, base: bytes | None = BASE) -> tuple[Entry, ...]:
    return new_entries(base, (base or b"") + added, "log.yaml")


def refusal(base: bytes | None, head: bytes) -> str:
    with pytest.raises(BadInput) as refused:
        new_entries(base, head, "log.yaml")
    return str(refused.value)


def test_the_entries_behind_the_base_are_new() -> None:
    assert entries(NEW + NEW.replace(b"XXX", b"2")) == (
        Entry(
            where="log.yaml:5",
            config_keys=("dsv4-*", "glm5.2-b200"),
            description=("one", "two\nlines\n"),
            pr_link="https://example.org/XXX",
            scenarios=frozenset({Scenario.AGENTIC_CODING}),
        ),
        Entry(
            where="log.yaml:16",
            config_keys=("dsv4-*", "glm5.2-b200"),
            description=("one", "two\nlines\n"),
            pr_link="https://example.org/2",
            scenarios=frozenset({Scenario.AGENTIC_CODING}),
        ),
    )


def test_every_entry_of_a_new_file_is_new() -> None:
    assert [entry.config_keys for entry in entries(BASE, base=None)] == [("old",)]


@pytest.mark.parametrize("added", [b"", b"\n", b"\n\n# a note\n"])
def test_nothing_added_is_no_entry(added: bytes) -> None:
    assert entries(added) == ()


def test_a_base_without_a_last_newline_may_be_continued() -> None:
    assert len(entries(b"\n" + NEW, base=BASE.rstrip())) == 1


@pytest.mark.parametrize(
    ("base", "head", "said"),
    [
        (BASE, b"", "log.yaml:1: changes what stood there before; restore it and add new entries at the end"),
        (BASE, NEW + BASE, "log.yaml:1: changes what stood there before; restore it and add new entries at the end"),
        (BASE, BASE.replace(b"/1", b"/2") + NEW, "log.yaml:3: changes what stood there before; restore it and add"),
        (BASE, BASE.replace(b"\n", b"\r\n") + NEW, "log.yaml:1: changes what stood there before"),
        (BASE, BASE.rstrip() + b" \n" + NEW, "log.yaml:3: changes what stood there before"),
        (
            BASE.rstrip(),
            BASE.rstrip() + b"2\n" + NEW,
            "log.yaml:3: changes what was the last line; restore it and start",
        ),
    ],
)
def test_a_history_that_changed_is_refused(base: bytes, head: bytes, said: str) -> None:
    assert refusal(base, head).startswith(said)


@pytest.mark.parametrize(
    ("added", "said"),
    [
        ("note: x", "4: adds what is no list of entries; start each entry with `- config-keys:`"),
        ("- x", "4: is no entry; start each entry with `- config-keys:`"),
        ("  - {config-keys: [a]}", "4: must start with `- config-keys:` at the left edge; move it there"),
        ("---\n- {config-keys: [a]}", "4: must start with `- config-keys:` at the left edge; move it there"),
        ("- description: [x]", "4: needs at least one line in the list `config-keys`; add it"),
        ("- config-keys: []", "4: needs at least one line in the list `config-keys`; add it"),
        ("- config-keys: a", "4: needs a list for `config-keys`"),
        ("- config-keys: [a, 4]", "4: needs text for `config-keys[1]`; put 4 in quotes"),
        ("- config-keys: [a]\n  description: text", "5: needs a list for `description`"),
        ("- config-keys: [a]\n  description: [x, '']", "5: needs text for `description[1]`; put it in quotes"),
        ("- config-keys: [a]\n  description: [x]", "4: lacks `pr-link`; add it"),
        (
            "- config-keys: [a]\n  config-keys: [b]",
            "5: has the key `config-keys` twice in one mapping; keep one of them",
        ),
        ("- config-keys: [a", "5: is no valid YAML: did not find expected ',' or ']'; correct this line or the"),
    ],
)
def test_what_is_no_entry_is_refused_with_its_line(added: str, said: str) -> None:
    assert refusal(BASE, BASE + added.encode() + b"\n").startswith(f"log.yaml:{said}")


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ("evals-onyl: true", "7: does not know the key `evals-onyl`; did you mean `evals-only`?"),
        ("evals-only: 'true'", "7: needs true or false for `evals-only`"),
        ("scenario-type: [agentic]", "7: needs a list out of fixed-seq-len, agentic-coding for `scenario-type`"),
        ("scenario-type: []", "7: needs a list out of fixed-seq-len, agentic-coding for `scenario-type`"),
        ("eval-min-prefill-ep: 0", "7: needs a whole number from 1 up for `eval-min-prefill-ep`"),
        (
            "no-evals: true\n  all-evals: true",
            "7: puts `no-evals` beside evals-only, all-evals or eval-min-prefill-ep;",
        ),
        (
            "evals-only: true\n  no-evals: true",
            "8: puts `no-evals` beside evals-only, all-evals or eval-min-prefill-ep;",
        ),
        ("eval-min-prefill-ep: 2\n  append-only: true", "8: puts `append-only` beside evals-only, all-evals or eval-"),
    ],
)
def test_a_wrong_line_in_an_entry_is_refused(more: str, said: str) -> None:
    added = f"- config-keys: [a]\n  description: [x]\n  pr-link: y\n  {more}\n"
    assert refusal(BASE, BASE + added.encode()).startswith(f"log.yaml:{said}")


KEYS = ("dsv4-fp4-b200", "dsv4-fp4-b300", "glm5.2-b200", "qwen3.5")


def entry(*keys: str) -> Entry:
    return Entry("log.yaml:9", keys, ("x",), "y")


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
    assert selected_keys(chosen, KEYS) == keys


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (entry("dsv5"), "names `dsv5`, but the config key is in no master config; correct it or add the config"),
        (entry("dsv5*"), "names `dsv5*`, but the pattern matches no config key; correct it or add the config"),
        (entry("dsv4"), "names `dsv4`, but the config key is in no master config; correct it or add the config"),
        (entry("dsv4-fp4-b?00"), "names `dsv4-fp4-b?00`, but the config key is in no master config; correct it"),
        (
            replace(entry("qwen3.5", "x"), evals_only=True),
            "names `x`, but the config key is in no master config; correct it",
        ),
    ],
)
def test_a_name_that_matches_nothing_is_refused(wrong: Entry, said: str) -> None:
    with pytest.raises(BadInput) as refused:
        selected_keys((wrong,), KEYS)
    assert str(refused.value).startswith(f"log.yaml:9: {said}")


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


def test_the_real_history_is_of_the_schema_and_its_last_entry_is_found() -> None:
    head = shared("data/inferencex/perf-changelog.yaml").read_bytes()
    assert len(new_entries(None, head, "log.yaml")) == 772
    base = head[: head.rindex(b"\n\n- config-keys:")]
    (last,) = new_entries(base, head, "log.yaml")
    assert last.config_keys == ("dsv4-fp4-b200-vllm-agentic-mtp",)
    line = int(last.where.rpartition(":")[2])
    assert head.split(b"\n")[line - 1] == b"- config-keys:"


def test_what_real_pull_requests_added_is_read() -> None:
    rows = map(json.loads, shared("data/inferencex/merged_prs.jsonl").read_text().splitlines())
    added = [row["changelog_added"].encode() for row in rows if not row["changelog_removed_nonblank"]]
    assert len(added) == 59
    assert all(entries(b"\n" + text) for text in added)
