"""A world to play in: a GitHub stand-in, a small engine, a sample repository.

May import everything of `bot` but `cli`.
"""
