"""Recipe files → the one merged recipe and its roles.

May import `bench.matrix`, `bench.repo` and what `bench` may.
"""
