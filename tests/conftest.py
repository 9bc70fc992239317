"""Worlds that take long to bring up are shared by the whole session."""

pytest_plugins = ["tests.worlds.slurm.fixtures"]
