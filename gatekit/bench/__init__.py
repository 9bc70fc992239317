"""The benchmark repository as a reader sees it.

May import `domain` and `formats`.
"""
