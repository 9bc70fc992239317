"""Files that were parsed are kept by their content, within bounds, and a plan does not notice."""

import copy
from dataclasses import replace

import pytest

from bot.github.cache import ParsedFiles
from gatekit.domain.errors import BadInput
from gatekit.formats.yaml_document import DEFAULT_LIMITS, Document
from gatekit.formats.yaml_reader import YamlLimits
from gatekit.plan.plan import plan_keys
from tests.worlds.bench.small_bench import bench, sources

TEXT = b"a: [1, 2]\n"


@pytest.mark.parametrize(
    ("path", "data", "limits", "same"),
    [
        ("a.yaml", bytes(bytearray(TEXT)), DEFAULT_LIMITS, True),
        ("b.yaml", TEXT, DEFAULT_LIMITS, False),  # its refusals would name the wrong file
        ("a.yaml", TEXT + b"\n", DEFAULT_LIMITS, False),
        ("a.yaml", TEXT, YamlLimits(depth=5), False),
    ],
)
def test_what_counts_is_path_content_and_limits(path: str, data: bytes, limits: YamlLimits, same: bool) -> None:
    read = ParsedFiles()
    first = read("a.yaml", TEXT)
    again = read(path, data, limits)
    assert (again is first) is same
    assert again.data == {"a": [1, 2]}
    assert again.where("a") == f"{path}:1"


def test_what_cannot_be_read_is_refused_every_time() -> None:
    read = ParsedFiles()
    for _ in range(2):
        with pytest.raises(BadInput, match=r"a\.yaml:2"):
            read("a.yaml", b"a: [")


def test_what_was_not_asked_for_the_longest_goes_first() -> None:
    read = ParsedFiles(most_bytes=2 * len(TEXT))
    one, two = read("1", TEXT), read("2", TEXT)
    assert read("1", TEXT) is one
    read("3", TEXT)
    assert read("1", TEXT) is one
    assert read("2", TEXT) is not two


def test_a_second_plan_parses_nothing_and_comes_out_the_same() -> None:
    kept, seen = ParsedFiles(), list[Document]()

    def read(path: str, data: bytes, limits: YamlLimits = DEFAULT_LIMITS) -> Document:
        seen.append(kept(path, data, limits))
        return seen[-1]

    plain = sources(bench())
    first = plan_keys(replace(plain, read=read), None, None, "node")
    before, contents = tuple(seen), copy.deepcopy([document.data for document in seen])
    seen.clear()
    assert plan_keys(replace(plain, read=read), None, None, "node") == first == plan_keys(plain, None, None, "node")
    assert first.gates
    assert all(one is other for one, other in zip(before, seen, strict=True))
    assert [document.data for document in seen] == contents  # nobody wrote into what is shared
