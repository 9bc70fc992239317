"""Texts that SLURM reads and writes. Nothing here talks to it."""
