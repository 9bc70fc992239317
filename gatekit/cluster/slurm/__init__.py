"""The texts of SLURM, written and read: script, states, endings, site, probe.

May import what `cluster` may.
"""
