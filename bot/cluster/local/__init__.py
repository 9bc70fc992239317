"""The `local` executor: gates as processes of this machine.

May import what `cluster` may.
"""
