"""Every sentence that we post, and the one escaping for whatever comes from outside.

May import every other room of `gatekit`; none imports it.
"""
