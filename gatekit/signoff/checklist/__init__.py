"""The form of a sign-off: phrase, template, items, and which box stands for which item.

May import nothing else of `signoff`; of `gatekit` what `signoff` may.
"""
