"""The curve file while it is being filled."""

from dataclasses import replace
from pathlib import Path

import pytest

from bot.collect.files import read_curve_file, this_machine, try_writing, write_curve_file
from gatekit.domain.collection import Thinking
from gatekit.domain.errors import BadInput
from tests.worlds.bench.small_bench import CURVE, text


def test_what_is_written_is_read_again_and_the_opening_comment_stays(tmp_path: Path) -> None:
    path = tmp_path / "glow_mtp.yaml"
    path.write_text("# Glow,\n# with its own head.\n" + text(CURVE))
    curve = replace(read_curve_file(path), values={Thinking.ON: {1: 1.75}})
    write_curve_file(path, curve)
    assert read_curve_file(path) == curve
    assert path.read_text().startswith("# Glow,\n# with its own head.\nmodel: example/glow\n")
    assert [each.name for each in tmp_path.iterdir()] == [path.name]


def test_a_file_that_cannot_be_written_is_refused_and_leaves_nothing(tmp_path: Path) -> None:
    path = tmp_path / "glow_mtp.yaml"
    path.write_text(text(CURVE))
    curve = read_curve_file(path)
    place = tmp_path / "taken.yaml"
    place.mkdir()
    with pytest.raises(BadInput, match=r"taken\.yaml"):
        write_curve_file(place, curve)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["glow_mtp.yaml", "taken.yaml"]


@pytest.mark.parametrize("content", [None, b"\xff\xfe", b"method: mtp\n"])
def test_what_is_no_curve_file_is_refused(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "glow_mtp.yaml"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(BadInput, match=r"glow_mtp\.yaml"):
        read_curve_file(path)


def test_this_machine_says_what_it_is() -> None:
    said = this_machine()
    assert "CPU" in said
    assert ", ," not in said


def test_a_try_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "there.yaml").write_text("kept")
    try_writing(tmp_path / "there.yaml")
    try_writing(tmp_path / "new.yaml")
    assert [(file.name, file.read_text()) for file in tmp_path.iterdir()] == [("there.yaml", "kept")]
    with pytest.raises(BadInput, match="choose another --out"):
        try_writing(tmp_path / "nowhere" / "new.yaml")
