"""The words of the field as frozen values: stored, shown and passed on.

Imports nothing but itself.
"""
