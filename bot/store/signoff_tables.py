"""The table of sign-offs. `heard` and `verdict` are JSON; `said` and `head`: what our comment says now, and of which
commit."""

SIGNOFFS = (
    """
    CREATE TABLE signoffs (
        owner TEXT NOT NULL,
        repo TEXT NOT NULL,
        number INTEGER NOT NULL,
        resource TEXT NOT NULL,
        changed TEXT NOT NULL,
        heard TEXT,
        verdict TEXT,
        assessed TEXT,
        said TEXT,
        head TEXT,
        PRIMARY KEY (owner, repo, number, resource)
    ) STRICT, WITHOUT ROWID
    """,
    "CREATE INDEX signoffs_by_resource ON signoffs (resource)",
)
