"""The checks of a sign-off, one file each: from facts to an outcome with its reason and its evidence.

May import all of `signoff` and what that may.
"""
