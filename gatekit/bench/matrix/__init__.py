"""Master configs, runners and changelog → rows and points.

May import `bench.repo` and what `bench` may.
"""
