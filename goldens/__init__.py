"""Golden curves, one YAML file each."""
