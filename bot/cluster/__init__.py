"""Where gates run: one executor per kind of cluster, all behind one Protocol.

May import `node`, `settings` and `logs`.
"""
