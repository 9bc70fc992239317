"""A GitHub to play with: state in memory, REST answers over real HTTP, signed webhooks derived from the state.

May import nothing else of `bot`.
"""
