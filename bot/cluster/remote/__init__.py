"""Shell text that runs on a cluster's login node.

Imports nothing: it is read as text.
"""
