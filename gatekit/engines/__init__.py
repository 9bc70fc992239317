"""What Gatekit must know of each engine, one file each."""
