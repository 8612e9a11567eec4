-- Drafts of recoveries: what a person said in the wizard, saved as it is said.
-- Written so that SQLite and PostgreSQL take it alike: text ids, stamps as text, flags as integers.
CREATE TABLE drafts (
    id         TEXT PRIMARY KEY,
    session    TEXT NOT NULL,
    title      TEXT NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    revision   INTEGER NOT NULL,
    state      TEXT NOT NULL,
    done       INTEGER NOT NULL DEFAULT 0 CHECK (done IN (0, 1))
);

-- One unfinished recovery for each session.
CREATE UNIQUE INDEX drafts_unfinished ON drafts (session) WHERE done = 0;
