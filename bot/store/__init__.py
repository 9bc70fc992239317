"""The bot's memory: one SQLite file, one writer thread.

May import `github`, `settings`, `logs`; no words, only facts.
"""
