"""Points → candidates → gates, and the reason for every other point.

May import `goldens`, `serving`, `cluster` and what is below them.
"""
