"""One SSH connection to a login node."""
