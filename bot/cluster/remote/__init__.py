"""Shell text that runs on a cluster's login node."""
