"""A folder is read as a commit would be, and no link leads out of it."""

import os
from pathlib import Path

import pytest

from bot.cli.folder import FolderLimits, read_folder
from gatekit.domain.errors import BadInput


def test_regular_files_are_read_and_links_are_named(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret").write_text("secret")
    root = tmp_path / "root"
    (root / "configs").mkdir(parents=True)
    (root / "configs" / "a.yaml").write_bytes(b"a: 1\n")
    (root / ".git").mkdir()
    (root / ".git" / "HEAD").write_text("x")
    (root / "folder-link").symlink_to(outside)
    (root / "configs" / "file-link").symlink_to(outside / "secret")
    os.mkfifo(root / "pipe")
    found = read_folder(root)
    assert found.files == {"configs/a.yaml": b"a: 1\n"}
    assert found.links == {"folder-link", "configs/file-link"}
    assert found.sha is None


def test_a_folder_beyond_the_limits_is_refused(tmp_path: Path) -> None:
    for number in range(3):
        (tmp_path / f"{number}").write_bytes(b"12345")
    assert len(read_folder(tmp_path, FolderLimits(files=3, bytes=15)).files) == 3
    for limits in (FolderLimits(files=2), FolderLimits(bytes=14)):
        with pytest.raises(BadInput, match="clean checkout"):
            read_folder(tmp_path, limits)
    assert read_folder(tmp_path, FolderLimits(bytes_per_file=4)).files == {}


def test_what_is_no_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="is no folder"):
        read_folder(tmp_path / "gone")
