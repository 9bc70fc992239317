"""Open gates ↔ clusters.

May import `metrics`, `store`, `cluster` and what is below them.
"""
