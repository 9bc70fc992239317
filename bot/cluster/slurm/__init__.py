"""The `slurm` executor: gates as jobs of a SLURM cluster that is reached over SSH.

May import what `cluster` may.
"""
