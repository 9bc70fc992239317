"""Finds the real data that some tests also read. The rest of the suite needs none of it."""

import os
from pathlib import Path

import pytest

from gatekit.bench.repo.snapshot import Snapshot

SHARED = Path(os.environ.get("GATEKIT_SHARED", Path(__file__).parents[1].parent / "shared"))


def shared(path: str) -> Path:
    """A file or folder of the real data. Without it the test ends here and pytest's summary prints what it needed."""
    found = SHARED / path
    if not found.exists():
        pytest.skip(f"needs real data: {path} under GATEKIT_SHARED, or ../shared")
    return found


def shared_snapshot(path: str) -> Snapshot:
    """A folder of the real data as a snapshot."""
    folder = shared(path)
    files = (found for found in folder.rglob("*") if found.is_file())
    return Snapshot(sha=None, files={found.relative_to(folder).as_posix(): found.read_bytes() for found in files})
