"""What handlers ask for: Protocols and the values that they speak in."""
