"""The state as GitHub's JSON.

May import the stand-in's state.
"""
