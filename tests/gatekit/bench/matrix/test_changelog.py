"""New changelog entries: found behind an untouched history, and read strictly."""

import json

import pytest

from gatekit.bench.matrix.changelog import Entry, Name, Scenario, new_entries
from gatekit.domain.errors import BadInput, Violations
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
            names=(Name("dsv4-*", "log.yaml:6"), Name("glm5.2-b200", "log.yaml:7")),
            description=("one", "two\nlines\n"),
            pr_link=Name("https://example.org/XXX", "log.yaml:14"),
            scenarios=frozenset({Scenario.AGENTIC_CODING}),
        ),
        Entry(
            where="log.yaml:16",
            names=(Name("dsv4-*", "log.yaml:17"), Name("glm5.2-b200", "log.yaml:18")),
            description=("one", "two\nlines\n"),
            pr_link=Name("https://example.org/2", "log.yaml:25"),
            scenarios=frozenset({Scenario.AGENTIC_CODING}),
        ),
    )


def test_every_entry_of_a_new_file_is_new() -> None:
    assert entries(BASE, base=None)[0].names == (Name("old", "log.yaml:1"),)


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
    ("old", "new", "corrects"),
    [
        (b"example.org/1", b"github.com/acme/bench/pull/17", True),
        (b"example.org/1", b"github.com/acme/bench/pull/XXX", False),
        (b"example.org/1", b"github.com/acme/bench/pull/17/files", False),
        (b"example.org/1", b"github.com/acme/bench/issues/17", False),
        (b"example.org/1", b"example.org/2", False),
        (b"  pr-link: https://example.org/1", b"   pr-link: https://github.com/acme/bench/pull/17", False),
        (b"[old]", b"[new]", False),
    ],
)
def test_a_change_that_only_corrects_links_adds_nothing(old: bytes, new: bytes, corrects: bool) -> None:
    base = BASE + BASE
    head = base.replace(old, new)
    if corrects:
        assert new_entries(base, head, "log.yaml") == ()
    else:
        assert "changes what stood there before" in refusal(base, head)
    assert "changes what stood there before" in refusal(base, head + NEW)


def test_the_last_entry_is_ended_by_a_line_break() -> None:
    assert refusal(BASE, BASE + NEW.rstrip()) == (
        "log.yaml:14: is not ended by a line break; add one at the end of the file"
    )
    assert entries(b"", BASE.rstrip()) == ()


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
        ("- config-keys: [a]\n  description: [x]", "5: lacks `pr-link`; add it"),
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


def test_every_entry_that_is_wrong_is_named() -> None:
    wrong = b"- config-keys: []\n- {config-keys: [a], description: [x], pr-link: y}\n- x\n- description: 4\n"
    with pytest.raises(Violations) as refused:
        new_entries(BASE, BASE + wrong, "log.yaml")
    assert [sentence.split(";")[0] for sentence in refused.value.sentences] == [
        "log.yaml:4: needs at least one line in the list `config-keys`",
        "log.yaml:6: is no entry",
        "log.yaml:7: needs at least one line in the list `config-keys`",
    ]
    assert str(refused.value) == "\n".join(refused.value.sentences)


def test_the_real_history_is_of_the_schema_and_its_last_entry_is_found() -> None:
    head = shared("data/inferencex/perf-changelog.yaml").read_bytes()
    assert len(new_entries(None, head, "log.yaml")) == 772
    base = head[: head.rindex(b"\n\n- config-keys:")]
    (last,) = new_entries(base, head, "log.yaml")
    assert [name.text for name in last.names] == ["dsv4-fp4-b200-vllm-agentic-mtp"]
    line = int(last.where.rpartition(":")[2])
    assert head.split(b"\n")[line - 1] == b"- config-keys:"


def merged() -> list[tuple[str, bytes, list[str]]]:
    """What real pull requests did to the changelog: number, added text, and the lines that they took away."""
    rows = map(json.loads, shared("data/inferencex/merged_prs.jsonl").read_text().splitlines())
    return [(row["pr"], row["changelog_added"].encode(), row["changelog_removed_nonblank"]) for row in rows]


def test_what_real_pull_requests_added_is_read() -> None:
    """The data holds their added lines without the last line break."""
    added = [text for _, text, removed in merged() if not removed]
    assert len(added) == 59
    assert all(entries(b"\n" + text + b"\n") for text in added)


def test_a_real_revert_is_refused_with_its_first_line() -> None:
    (reverted,) = [removed for _, _, removed in merged() if removed]
    base = BASE + b"\n" + "\n".join(reverted).encode() + b"\n"
    later = b"\n- config-keys: [later]\n  description: [x]\n  pr-link: y\n"
    assert refusal(base, BASE).startswith("log.yaml:4: changes what stood there before")
    assert refusal(base + later, BASE + later).startswith("log.yaml:5: changes what stood there before")
