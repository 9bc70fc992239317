"""The table of sign-offs. `not_theirs`: lists of words, one for each box that somebody else's edit ticked."""

SIGNOFFS = (
    """
    CREATE TABLE signoffs (
        owner TEXT NOT NULL,
        repo TEXT NOT NULL,
        number INTEGER NOT NULL,
        resource TEXT NOT NULL,
        changed TEXT NOT NULL,
        verdict TEXT,
        edited TEXT,
        not_theirs TEXT NOT NULL DEFAULT '[]',
        PRIMARY KEY (owner, repo, number, resource)
    ) STRICT, WITHOUT ROWID
    """,
)
