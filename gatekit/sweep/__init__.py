"""The life of a sweep: labels, who starts next, retry, automatic reuse.

May import `plan` and what is below it.
"""
