"""The commands of `gatekit`, one file each."""
