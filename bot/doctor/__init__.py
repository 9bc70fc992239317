"""Checks of an installation, each with what to do where it fails.

May import everything of `bot` that is below `assembly`.
"""
