"""Worlds that take long to bring up are shared by the whole session."""

from pathlib import Path

import pytest

END_TO_END = Path(__file__).parent / "end_to_end"

pytest_plugins = ["tests.worlds.slurm.fixtures"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """`slurm` marks what needs a SLURM, whichever way it comes by it; `long` those, and whatever goes end to end."""
    for item in items:
        slurm = "slurm_place" in getattr(item, "fixturenames", ())
        if slurm:
            item.add_marker("slurm")
        if slurm or END_TO_END in item.path.parents:
            item.add_marker("long")
