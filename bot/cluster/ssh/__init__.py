"""One SSH connection to a login node.

May import what `cluster` may.
"""
