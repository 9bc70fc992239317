"""Lets one account pass through folders that are closed to it, and takes that back: POSIX ACLs, as raw attributes."""

import os
import struct
from collections.abc import Iterable
from pathlib import Path

_NAME = "system.posix_acl_access"
_VERSION = struct.pack("<I", 2)
_ENTRY = struct.Struct("<HHI")  # tag, permissions, id
_USER_OBJ, _USER, _GROUP_OBJ, _GROUP, _MASK, _OTHER = 0x01, 0x02, 0x04, 0x08, 0x10, 0x20
_NOBODY = 0xFFFFFFFF
_PASS = 1  # the x bit

Entry = tuple[int, int, int]


def closed_above(paths: Iterable[Path]) -> list[Path]:
    """Folders above the paths that other accounts cannot pass."""
    return sorted({folder for path in paths for folder in path.parents if not folder.stat().st_mode & _PASS})


def let_pass(uid: int, folder: Path) -> None:
    _write(folder, [*_without(uid, _read(folder)), (_USER, _PASS, uid)])


def stop_passing(uid: int, folder: Path) -> None:
    entries = _read(folder)
    if (_USER, _PASS, uid) in entries:
        _write(folder, _without(uid, entries))


def _without(uid: int, entries: list[Entry]) -> list[Entry]:
    return [entry for entry in entries if entry[0] != _MASK and (entry[0], entry[2]) != (_USER, uid)]


def _read(folder: Path) -> list[Entry]:
    try:
        raw = os.getxattr(folder, _NAME)
    except OSError:  # none: the mode says it all
        mode = folder.stat().st_mode
        return [(_USER_OBJ, mode >> 6 & 7, _NOBODY), (_GROUP_OBJ, mode >> 3 & 7, _NOBODY), (_OTHER, mode & 7, _NOBODY)]
    return list(_ENTRY.iter_unpack(raw[len(_VERSION) :]))


def _write(folder: Path, entries: list[Entry]) -> None:
    """With a mask that lets through what named entries say; without any, none is needed and the mode is as before."""
    if any(tag in (_USER, _GROUP) for tag, _, _ in entries):
        mask = 0
        for tag, permissions, _ in entries:
            mask |= permissions if tag in (_USER, _GROUP, _GROUP_OBJ) else 0
        entries = [*entries, (_MASK, mask, _NOBODY)]
    raw = _VERSION + b"".join(_ENTRY.pack(*entry) for entry in sorted(entries, key=lambda entry: (entry[0], entry[2])))
    os.setxattr(folder, _NAME, raw)
