"""The form: phrase, template, items, matching.

Imports nothing else of `signoff`.
"""
