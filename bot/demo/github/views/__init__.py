"""The state as GitHub's JSON."""
