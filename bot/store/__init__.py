"""The bot's memory: one SQLite file, one writer thread."""
