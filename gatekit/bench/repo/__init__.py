"""A snapshot of the repository, its layout and its gatekit.yml.

May import what `bench` may, but neither `matrix` nor `recipes`.
"""
