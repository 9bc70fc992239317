"""Raw scrapes → acceptance length → confidence → verdict.

May import `plan` and what is below it.
"""
