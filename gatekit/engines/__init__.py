"""One file per engine, how engines count, and the registry.

May import `bench` and what is below it.
"""
