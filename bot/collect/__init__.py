"""Measuring a golden curve through a cluster's executor.

May import `cluster`, `files` and what is below them.
"""
