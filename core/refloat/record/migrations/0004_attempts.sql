-- Attempts: each time that somebody went on with a session, or started another one from it. `child` is the session that
-- came of it (`agent:id`), once that is known; `host`, `pid` and `pid_started` are the agent's process.
CREATE TABLE attempts (
    id          TEXT PRIMARY KEY,
    parent      TEXT NOT NULL,
    child       TEXT,
    operation   TEXT NOT NULL,
    agent       TEXT NOT NULL,
    workspace   TEXT NOT NULL,
    holder      TEXT NOT NULL,
    command     TEXT NOT NULL,
    brief       TEXT,
    forced      TEXT,
    at          TEXT NOT NULL,
    host        TEXT,
    pid         BIGINT,
    pid_started TEXT,
    ended       TEXT,
    exit_code   BIGINT
);
CREATE INDEX attempts_parent ON attempts (parent);
