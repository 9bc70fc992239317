"""Sign-off events: what was posted, what is asked, what is verified.

May import what `handlers` may.
"""
