"""The words of the field as frozen values: stored, shown and passed on.

May import nothing but itself.
"""
