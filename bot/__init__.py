"""The running service: everything that touches the outside, and the one place that wires it.

May import `handlers` and `gatekit`. Rooms from above to below: cli, demo, app, assembly, doctor | scheduler,
deliveries | pages | collect | metrics, store | cluster | files, github | settings | node, logs, errors.
"""
