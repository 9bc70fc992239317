"""Checks of an installation, each with what to do where it fails."""
