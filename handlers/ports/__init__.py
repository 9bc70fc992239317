"""What handlers ask for: Protocols and the values that they speak in.

May import `gatekit` and nothing else of `handlers`.
"""
