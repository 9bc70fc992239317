"""Every rule of a changelog: one row that keeps it, and what is said of one that does not."""

import json

import pytest

from gatekit.bench.matrix.changelog import Log
from gatekit.bench.matrix.changelog_rules import breaches
from gatekit.domain.ids import PrRef, Repo
from tests.shared import shared

PULL = PrRef(Repo("acme", "bench"), 17)
LINK = b"https://github.com/acme/bench/pull/17"
BASE = b"- config-keys: [old]\n  description: [x]\n  pr-link: https://github.com/acme/bench/pull/XXX\n"
ENTRY = b"- config-keys: [new]\n  description: [x]\n  pr-link: " + LINK + b"\n"


def broken(base: bytes | None, head: bytes, pull: PrRef | None = PULL) -> list[str]:
    return [str(one) for one in breaches(Log("log.yaml", base, head), pull)]


@pytest.mark.parametrize(
    ("base", "head"),
    [
        (BASE, BASE + b"\n" + ENTRY),
        (BASE, BASE + b"\n" + ENTRY + b"\n" + ENTRY),
        (BASE.rstrip(), BASE + b"\n" + ENTRY),
        (None, ENTRY),
        (b"", ENTRY + b"\n" + ENTRY),
        (BASE, BASE + b"\n" + ENTRY.replace(b"pull/17", b"pull/XXX")),
        (BASE, BASE + b"\n" + ENTRY.replace(b"pull/17", b"pull/XXXXX")),
        (BASE, BASE + b"\n" + ENTRY.replace(b"acme", b"Acme")),
        (BASE, BASE + b"\n" + ENTRY.replace(b"[x]", b"\n    - |\n      two\n\n\n      lines")),
        (BASE, BASE.replace(b"XXX", b"16")),
        (BASE + b"\n" + BASE, (BASE + b"\n" + BASE).replace(b"XXX", b"16", 1)),
    ],
)
def test_a_changelog_that_keeps_every_rule(base: bytes | None, head: bytes) -> None:
    assert broken(base, head) == []


@pytest.mark.parametrize(
    ("head", "said"),
    [
        (BASE, ["3: has no new entry; add one at the end of the file"]),
        (BASE + b"\n# a note\n", ["5: has no new entry"]),
        (BASE + ENTRY, ["4: needs one empty line before it; leave exactly that"]),
        (BASE + b"\n\n" + ENTRY, ["6: needs one empty line before it"]),
        (BASE + b"  \n" + ENTRY, ["5: needs one empty line before it"]),
        (BASE + b"\n# note\n" + ENTRY, ["6: needs one empty line before it"]),
        (BASE + b"\n" + ENTRY + ENTRY, ["8: needs one empty line before it"]),
        (BASE + b"\n" + ENTRY + b"\n", ["8: is an empty line at the end of the file; take it out"]),
        (BASE + b"\n" + ENTRY + b"\n  \n\n", ["8: is an empty line at the end of the file"]),
        (BASE + b"\n" + ENTRY.rstrip(), ["7: is not ended by a line break"]),
        (BASE + b"\n" + ENTRY.replace(b"[x]", b'["a\tb"]'), ["6: holds a tab; use spaces"]),
        (BASE + b"\n" + ENTRY.replace(b"[x]\n", b"[x]\r\n"), ["6: holds a carriage return"]),
        (BASE + b"\n" + ENTRY.replace(b"[x]", b"[\0]"), ["6: holds the character NUL"]),
        (BASE + b"\n" + ENTRY.replace(b"[x]", b"[\xff]"), ["6: is no UTF-8"]),
        (BASE + b"\n" + ENTRY.replace(b"[x]", b"[x"), ["7: is no valid YAML"]),
        (
            BASE + b"\n- description: [x]\n  config-keys: [a]\n  pr-link: " + LINK + b"\n",
            ["5: starts an entry with another key; write `- config-keys:` first"],
        ),
        (BASE + b"\n" + ENTRY.replace(b"pr-link", b"pr-lnk"), ["7: does not know the key `pr-lnk`"]),
        (BASE + b"\nkeys: [a]\n", ["4: adds what is no list of entries", "5: has no new entry"]),
        (
            BASE + b"\n" + ENTRY.replace(b"pull/17", b"pull/18"),
            [
                "7: links to `https://github.com/acme/bench/pull/18`; write https://github.com/acme/bench/pull/17, "
                "or XXX for the number"
            ],
        ),
        (BASE + b"\n" + ENTRY.replace(b"acme", b"else"), ["7: links to `https://github.com/else/bench/pull/17`"]),
        (BASE + b"\n" + ENTRY.replace(b"pull/17", b"pull/17/files"), ["7: links to"]),
        (BASE + b"\n" + ENTRY.replace(LINK, b"XXX"), ["7: links to `XXX`"]),
        (BASE.replace(b"[old]", b"[older]"), ["1: changes what stood there before"]),
        (b"", ["1: changes what stood there before"]),
        (b"\n" + BASE, ["1: changes what stood there before"]),
        (BASE.replace(b"XXX", b"XX"), ["3: corrects a link to `https://github.com/acme/bench/pull/XX`; write"]),
        (
            BASE.replace(b"XXX", b"16") + b"\n" + ENTRY,
            ["3: corrects a link of an earlier entry beside new ones; do it in another change"],
        ),
        (
            BASE.replace(b"XXX", b"16").replace(b"[x]", b"[y]"),
            ["2: changes what stood there before"],
        ),
        (
            BASE + ENTRY.replace(b"config-keys", b"config-kyes").replace(b"[x]", b'["a\tb"]') + b"\n",
            [
                "4: does not know the key `config-kyes`",
                "5: holds a tab",
                "4: starts an entry with another key",
                "4: needs one empty line before it",
                "7: is an empty line at the end",
            ],
        ),
    ],
)
def test_a_rule_that_is_broken_is_said_with_its_line(head: bytes, said: list[str]) -> None:
    found = broken(BASE, head)
    assert len(found) == len(said), found
    for sentence, start in zip(found, said, strict=True):
        assert sentence.startswith(f"log.yaml:{start}")


def test_the_first_entry_of_a_file_has_nothing_before_it() -> None:
    assert broken(None, b"\n" + ENTRY) == ["log.yaml:2: needs nothing before it; leave exactly that"]


def test_without_a_pull_request_a_link_names_any() -> None:
    assert broken(BASE, BASE + b"\n" + ENTRY.replace(b"acme", b"else"), pull=None) == []
    (said,) = broken(BASE, BASE + b"\n" + ENTRY.replace(LINK, b"x"), pull=None)
    assert "write https://github.com/OWNER/NAME/pull/NUMBER, or XXX for the number" in said


def test_what_real_pull_requests_added_keeps_every_rule() -> None:
    """Set behind the real history as their merge did: one empty line between, one line break at the end."""
    history = shared("data/inferencex/perf-changelog.yaml").read_bytes()
    for row in map(json.loads, shared("data/inferencex/merged_prs.jsonl").read_text().splitlines()):
        added = row["changelog_added"].strip().encode()
        pull = PrRef(Repo("SemiAnalysisAI", "InferenceX"), int(row["pr"]))
        if not row["changelog_removed_nonblank"]:
            assert broken(history, history + b"\n" + added + b"\n", pull) == []
