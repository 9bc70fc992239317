"""The artifact of a workflow run is read without trust: what is odd in it makes the run not usable, with the reason."""

import json
import os
import stat
import struct
import tracemalloc
import zipfile
from collections.abc import Mapping
from dataclasses import replace
from io import BytesIO

import pytest

from gatekit.domain.errors import BadInput
from gatekit.formats.artifact_zip import ZipLimits, result_rows
from gatekit.formats.bounded_json import JsonLimits
from gatekit.use.workflow_runs import Artifact, to_read

ROW = '[{"hw": "b200", "tput": 1.5}]'
SMALL = ZipLimits(packed=1 << 20, unpacked=1 << 20, members=10, json=JsonLimits(size=10_000, depth=8, values=100))


def packed(files: Mapping[str, str | bytes], **changes: object) -> bytes:
    """`changes`: of the last member."""
    data = BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for number, (path, content) in enumerate(files.items(), 1):
            info = zipfile.ZipInfo(path)
            info.compress_type = zipfile.ZIP_DEFLATED
            if number == len(files):
                for name, value in changes.items():
                    setattr(info, name, value)
            archive.writestr(info, content)
    return data.getvalue()


@pytest.mark.parametrize(
    ("files", "rows"),
    [
        ({"agg.json": ROW}, 1),
        ({"agg.json": '[{"a": 1}, {"b": 2.5}, {"c": "text"}]'}, 2),
        ({"agg.json": '{"tput": 3}'}, 1),
        ({"agg.json": '{"rows": [{"tput": 3}, {"tput": 4}]}'}, 2),
        ({"a/b/agg.json": ROW, "log.txt": "words"}, 1),
        ({"a/": "", "a/agg.json": ROW}, 1),
        ({"agg.json": "\ufeff" + ROW}, 1),
        ({"empty.json": "[]", "agg.json": ROW}, 1),
        ({"agg.json": ROW, "later.json": "[" * 5_000}, 1),  # no more is read than has to be
        ({"agg.json": "[]"}, 0),
        ({"agg.json": '[{"ok": true}, {"why": null}]'}, 0),
        ({"agg.json": '"a text"'}, 0),
        ({"results.txt": ROW}, 0),
        ({}, 0),
    ],
)
def test_result_rows_are_objects_with_numbers(files: dict[str, str], rows: int) -> None:
    assert result_rows(packed(files), "results_bmk") == rows


def bomb(size: int) -> bytes:
    """So many bytes of nothing, which take a thousandth of it."""
    return packed({"agg.json": b" " * size})


def lying(size: int) -> bytes:
    """The list of members says that it is small; it is not."""
    data = bytearray(packed({"agg.json": b" " * size}))
    at = data.index(b"PK\1\2")
    data[at + 24 : at + 28] = struct.pack("<L", 10)
    return bytes(data)


def many(count: int) -> bytes:
    return packed({f"{n}.txt": "" for n in range(count)})


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "is no zip archive"),
        (b"<html>Not found</html>" * 10, "is no zip archive, or one with something behind its end"),
        (packed({"agg.json": ROW})[:-30], "is no zip archive, or one with something behind its end"),
        (packed({"agg.json": ROW}) + b"tail", "is no zip archive, or one with something behind its end"),
        (packed({"../agg.json": ROW}), "has the member ../agg.json, which leads out of its folder"),
        (packed({"/etc/agg.json": ROW}), "has the member /etc/agg.json, which leads out of its folder"),
        (packed({"a/../../agg.json": ROW}), "which leads out of its folder"),
        (packed({"a\\..\\agg.json": ROW}), "which leads out of its folder"),
        (packed({"C:\\agg.json": ROW}), "which leads out of its folder"),
        (packed({"link.json": "/etc/passwd"}, external_attr=(stat.S_IFLNK | 0o777) << 16), "which is no file"),
        (packed({"pipe.json": ""}, external_attr=stat.S_IFIFO << 16), "which is no file"),
        (packed({"agg.json": ROW}, compress_type=zipfile.ZIP_LZMA), "which is packed in a way that is not read"),
        (bomb(2 << 20), "unpacks to more than 1 MiB"),
        (bomb(20_000), "results_bmk/agg.json: is larger than the 0 MiB of JSON that are read"),
        (lying(20_000), "is no zip archive that can be read (BadZipFile)"),
        (many(11), "has 11 members, more than 10"),
        (packed({"agg.json": os.urandom(2 << 20)}), "is larger than the 1 MiB that are read"),
        (packed({"agg.json": "[" * 9 + "]" * 9}), "results_bmk/agg.json: is nested deeper than 8 levels"),
        (packed({"agg.json": json.dumps([{}] * 101)}), "results_bmk/agg.json: has more than 100 values"),
        (packed({"agg.json": '{"a": '}), "results_bmk/agg.json: is no JSON"),
        (packed({"agg.json": b"\xff\xfe["}), "results_bmk/agg.json: is no JSON"),
    ],
)
def test_what_is_odd_is_not_usable_with_the_reason(data: bytes, said: str) -> None:
    with pytest.raises(BadInput) as no:
        result_rows(data, "results_bmk", SMALL)
    assert str(no.value).startswith("results_bmk")
    assert said in str(no.value)


def test_no_more_is_unpacked_than_a_member_says() -> None:
    data = lying(64 << 20)
    tracemalloc.start()
    try:
        with pytest.raises(BadInput, match="is no zip archive that can be read"):
            result_rows(data, "results_bmk")
        assert tracemalloc.get_traced_memory()[1] < 16 << 20
    finally:
        tracemalloc.stop()


def twice() -> bytes:
    """The same name in another place."""
    data = packed({"agg.json": ROW, "xgg.json": "[]"})
    return data.replace(b"xgg.json", b"agg.json")


def locked() -> bytes:
    data = bytearray(packed({"agg.json": ROW}))
    data[data.index(b"PK\1\2") + 8] |= 1
    return bytes(data)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (twice(), "has the member agg.json, which is there twice"),
        (locked(), "has the member agg.json, which is encrypted"),
    ],
)
def test_what_no_zip_program_writes(data: bytes, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        result_rows(data, "results_bmk")


def test_a_list_of_members_that_is_too_long_is_not_even_read() -> None:
    with pytest.raises(BadInput, match="has a list of members of"):
        result_rows(many(50), "results_bmk", replace(SMALL, directory=1_000))


def test_much_json_without_a_row_is_given_up() -> None:
    files = {f"{n}.json": "[" + " " * 5_000 + "]" for n in range(9)}
    with pytest.raises(BadInput, match="has more than the 0 MiB of JSON that are read"):
        result_rows(packed(files), "results_bmk", replace(SMALL, read=20_000))


def test_two_hundred_megabytes_of_json_cost_nothing() -> None:
    """They pack to a fifth of one, and are never unpacked."""
    with pytest.raises(BadInput, match="is larger than the 16 MiB of JSON that are read"):
        result_rows(bomb(200 << 20), "results_bmk")


def artifacts(*names: tuple[str, bool, int]) -> list[Artifact]:
    return [Artifact(number, *one) for number, one in enumerate(names, 1)]


@pytest.mark.parametrize(
    ("listed", "read"),
    [
        ((("results_bmk", False, 9),), [1]),
        ((("eval_results_all", False, 9), ("results_bmk", False, 9)), [2, 1]),
        ((("bmk_agentic_a", False, 9), ("bmk_agentic_b", False, 3), ("results_bmk", False, 9)), [3, 2]),
        ((("results_bmk", True, 9), ("bmk_agentic_a", False, 9)), [2]),
        ((("logs", False, 9), ("results_bmk_old", False, 9)), []),
    ],
)
def test_which_artifacts_are_read(listed: tuple[tuple[str, bool, int], ...], read: list[int]) -> None:
    assert [one.id for one in to_read(artifacts(*listed))] == read
