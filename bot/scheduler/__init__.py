"""Open gates ↔ clusters.

May import `store`, `cluster` and what is below them.
"""
