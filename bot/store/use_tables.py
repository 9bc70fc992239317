"""The tables of `/use`. `content` of a reaction is GitHub's name; `id` is null until GitHub has confirmed it."""

USES = (
    """
    CREATE TABLE uses (
        owner TEXT NOT NULL,
        repo TEXT NOT NULL,
        number INTEGER NOT NULL,
        decision TEXT NOT NULL,
        PRIMARY KEY (owner, repo, number)
    ) STRICT, WITHOUT ROWID
    """,
    """
    CREATE TABLE merges (
        owner TEXT NOT NULL,
        repo TEXT NOT NULL,
        number INTEGER NOT NULL,
        answer TEXT NOT NULL,
        PRIMARY KEY (owner, repo, number)
    ) STRICT, WITHOUT ROWID
    """,
    """
    CREATE TABLE comment_edits (
        comment INTEGER PRIMARY KEY,
        owner TEXT NOT NULL,
        repo TEXT NOT NULL,
        number INTEGER NOT NULL,
        editor TEXT NOT NULL,
        digest TEXT NOT NULL
    ) STRICT
    """,
    "CREATE INDEX comment_edits_of_pr ON comment_edits (owner, repo, number)",
    """
    CREATE TABLE reactions (
        owner TEXT NOT NULL,
        repo TEXT NOT NULL,
        number INTEGER NOT NULL,
        comment INTEGER NOT NULL,
        content TEXT NOT NULL,
        id INTEGER,
        PRIMARY KEY (owner, repo, number, comment, content)
    ) STRICT, WITHOUT ROWID
    """,
    """
    CREATE TABLE audit (
        id INTEGER PRIMARY KEY,
        at TEXT NOT NULL,
        owner TEXT NOT NULL,
        repo TEXT NOT NULL,
        number INTEGER NOT NULL,
        actor TEXT NOT NULL,
        command TEXT NOT NULL,
        run INTEGER,
        head TEXT NOT NULL,
        outcome TEXT NOT NULL,
        reason TEXT NOT NULL
    ) STRICT
    """,
    "CREATE INDEX audit_of_pr ON audit (owner, repo, number)",
)

# The audit also tells of gates and merges. `key`: of a gate; `parts`: JSON, names of parts of its key that differed.
AUDIT = (
    "ALTER TABLE audit ADD COLUMN subject TEXT NOT NULL DEFAULT 'use'",
    "ALTER TABLE audit ADD COLUMN sweep INTEGER",
    "ALTER TABLE audit ADD COLUMN key TEXT",
    "ALTER TABLE audit ADD COLUMN parts TEXT NOT NULL DEFAULT '[]'",
)
