"""Worlds that take long to bring up are shared by the whole session."""

import pytest

pytest_plugins = ["tests.worlds.slurm.fixtures"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """`slurm` marks what needs a SLURM, whichever way it comes by it."""
    for item in items:
        if "slurm_place" in getattr(item, "fixturenames", ()):
            item.add_marker("slurm")
