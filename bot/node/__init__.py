"""What runs beside the engine on the compute node: standard library only, Python 3.9 and later."""
