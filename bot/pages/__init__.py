"""The operator port: pages, the same as JSON, readiness.

May import `store`, `cluster` and what is below them.
"""
