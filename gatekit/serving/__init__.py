"""A recipe, forced acceptance taken out → what it drafts and how it is launched.

May import `engines` and what is below it.
"""
