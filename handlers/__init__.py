"""One file per kind of event: gather facts through ports, ask gatekit once, carry out what it decided.

May import `gatekit` and the ports; nothing of the outside.
"""
