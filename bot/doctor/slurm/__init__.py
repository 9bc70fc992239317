"""A SLURM cluster, looked at over SSH from its login node. Nothing is written there.

May import what `doctor` may.
"""
