"""The door to GitHub: client, then one file per thing that is read or written.

May import `logs`.
"""
