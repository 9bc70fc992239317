"""`/use`: whose command counts, which run may stand, what a merge reuses.

May import `plan` and what is below it.
"""
