"""Golden curves: their files, the look-up, the update by a collection.

May import `engines` and what is below it.
"""
