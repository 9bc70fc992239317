"""The commands of `gatekit`, one file each.

May import everything; nobody imports it.
"""
