"""The tables as the migrations make them: sweeps, gates, measurements, material, slots, `/use`, sign-offs."""

SWEEPS = (
    """
    CREATE TABLE sweeps (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        owner TEXT NOT NULL,
        repo TEXT NOT NULL,
        number INTEGER NOT NULL,
        head TEXT NOT NULL,
        label TEXT NOT NULL,
        sender TEXT NOT NULL,
        cause TEXT NOT NULL CHECK (cause IN ('label', 'push', 'merge')),
        state TEXT NOT NULL CHECK (state IN ('running', 'done', 'cancelled', 'superseded')),
        because TEXT,
        announced INTEGER NOT NULL DEFAULT 0,
        shown INTEGER NOT NULL DEFAULT 0,
        retired INTEGER NOT NULL DEFAULT 0,
        shown_at REAL,
        changes INTEGER NOT NULL DEFAULT 0,
        enforce INTEGER NOT NULL,
        canary INTEGER NOT NULL,
        fail_fast INTEGER NOT NULL,
        created TEXT NOT NULL,
        plan TEXT NOT NULL
    ) STRICT
    """,
    "CREATE INDEX sweeps_of_pr ON sweeps (owner, repo, number, id)",
    "CREATE INDEX sweeps_unshown ON sweeps (id) WHERE shown = 0",
    "CREATE UNIQUE INDEX sweeps_running ON sweeps (owner, repo, number) WHERE state = 'running'",
    """
    CREATE TABLE gates (
        sweep INTEGER NOT NULL REFERENCES sweeps (id),
        key TEXT NOT NULL,
        position INTEGER NOT NULL,
        runner TEXT NOT NULL,
        state TEXT NOT NULL CHECK
            (state IN ('waiting', 'submitting', 'running', 'ended', 'judged', 'cancelled', 'handed-on')),
        job_sweep INTEGER NOT NULL REFERENCES sweeps (id),
        source TEXT NOT NULL,
        attempt INTEGER NOT NULL DEFAULT 0,
        verdict TEXT,
        log TEXT NOT NULL DEFAULT '[]',
        said TEXT,
        earlier TEXT NOT NULL DEFAULT '[]',
        not_before REAL NOT NULL DEFAULT 0,
        gone INTEGER NOT NULL DEFAULT 0,
        PRIMARY KEY (sweep, key)
    ) STRICT, WITHOUT ROWID
    """,
    "CREATE INDEX gates_of_job ON gates (job_sweep, key)",
    "CREATE INDEX gates_open ON gates (state) WHERE state != 'judged'",
    """
    CREATE TABLE measurements (
        job TEXT PRIMARY KEY,
        owner TEXT NOT NULL,
        repo TEXT NOT NULL,
        number INTEGER NOT NULL,
        key TEXT NOT NULL,
        sweep INTEGER NOT NULL,
        attempt INTEGER NOT NULL,
        head TEXT NOT NULL,
        measured TEXT NOT NULL,
        verdict TEXT NOT NULL,
        digest TEXT NOT NULL
    ) STRICT
    """,
    "CREATE INDEX measurements_of_pr ON measurements (owner, repo, number, key)",
    """
    CREATE TABLE pauses (
        cluster TEXT NOT NULL,
        why TEXT NOT NULL CHECK (why IN ('out-of-reach', 'leftovers')),
        runner TEXT NOT NULL,
        since TEXT NOT NULL,
        said TEXT NOT NULL,
        PRIMARY KEY (cluster, why, runner)
    ) STRICT, WITHOUT ROWID
    """,
    "CREATE TABLE identity (only INTEGER PRIMARY KEY CHECK (only = 1), id TEXT NOT NULL) STRICT",
    "INSERT INTO identity (only, id) VALUES (1, lower(hex(randomblob(8))))",
    "CREATE TABLE materials (job TEXT PRIMARY KEY, packed BLOB NOT NULL) STRICT",
    """
    CREATE TABLE slots (
        owner TEXT NOT NULL,
        repo TEXT NOT NULL,
        number INTEGER NOT NULL,
        slot TEXT NOT NULL,
        comment INTEGER NOT NULL,
        digest TEXT NOT NULL,
        PRIMARY KEY (owner, repo, number, slot)
    ) STRICT, WITHOUT ROWID
    """,
)

# Run folders on clusters. `sweep`: whose number the job carries; `over`: since when it may go, seconds since 1970 UTC.
FOLDERS = (
    """
    CREATE TABLE folders (
        job TEXT PRIMARY KEY,
        runner TEXT NOT NULL,
        sweep INTEGER NOT NULL,
        key TEXT NOT NULL,
        attempt INTEGER NOT NULL,
        over REAL
    ) STRICT, WITHOUT ROWID
    """,
    "CREATE INDEX folders_over ON folders (runner, over)",
)


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
