-- Jobs with their steps, wraps, pickups and decisions, the bytes that they name, and leases (design, section 8).
-- SQLite takes a type that it does not know, and keeps bytes as bytes in it; PostgreSQL needs these.
CREATE TABLE jobs (
    name        TEXT PRIMARY KEY,
    created_at  TEXT NOT NULL,
    last_seq    BIGINT NOT NULL,
    last_sealed BIGINT NOT NULL,
    head        TEXT NOT NULL
);

-- Content-addressed: `place` is `row` (in `pieces`) or `file` (below `outputs/`), `coding` is `plain` or `zstd`, and
-- `kept_sha256` is of the bytes as they are kept.
CREATE TABLE contents (
    sha256      TEXT PRIMARY KEY,
    bytes       BIGINT NOT NULL,
    place       TEXT NOT NULL,
    coding      TEXT NOT NULL,
    kept_sha256 TEXT NOT NULL
);

CREATE TABLE pieces (
    sha256 TEXT NOT NULL,
    n      BIGINT NOT NULL,
    data   BYTEA NOT NULL,
    PRIMARY KEY (sha256, n)
);

-- A step without `sealed` is in flight. `opened` binds what was stored when it began. `rests_on` is the number of the
-- step that left the checkout (or the input) which this one started from.
CREATE TABLE steps (
    id              TEXT PRIMARY KEY,
    job             TEXT NOT NULL REFERENCES jobs (name),
    seq             BIGINT NOT NULL,
    origin          TEXT NOT NULL,
    producer        TEXT NOT NULL,
    tool            TEXT NOT NULL,
    summary         TEXT NOT NULL,
    workspace       TEXT,
    host            TEXT,
    pid             BIGINT,
    pid_started     TEXT,
    automatic       BIGINT NOT NULL,
    input_sha256    TEXT,
    input_bytes     BIGINT,
    started_at      TEXT NOT NULL,
    head_before     TEXT,
    worktree_before TEXT,
    unknown_before  TEXT,
    rests_on        BIGINT,
    opened          TEXT NOT NULL,
    output_sha256   TEXT,
    output_bytes    BIGINT,
    outcome         TEXT,
    exit_code       BIGINT,
    ended_at        TEXT,
    head_after      TEXT,
    worktree_after  TEXT,
    unknown_after   TEXT,
    note            TEXT,
    sealed          BIGINT,
    previous        TEXT,
    digests         TEXT,
    receipt         TEXT,
    signer          TEXT,
    signature       TEXT,
    UNIQUE (job, seq),
    UNIQUE (job, sealed)
);

-- What a trail asks of ten thousand steps is answered from these alone.
CREATE INDEX steps_left ON steps (job, worktree_after, head_after, seq);
CREATE INDEX steps_printed ON steps (job, output_sha256, seq);
CREATE INDEX steps_resting ON steps (job, rests_on);
CREATE INDEX steps_ended ON steps (job, outcome, seq);

CREATE TABLE wraps (
    id          TEXT PRIMARY KEY,
    job         TEXT NOT NULL REFERENCES jobs (name),
    at          TEXT NOT NULL,
    producer    TEXT NOT NULL,
    summary     TEXT NOT NULL,
    goal        TEXT NOT NULL,
    recipient   TEXT,
    next_steps  TEXT NOT NULL,
    not_checked TEXT NOT NULL,
    last_seq    BIGINT NOT NULL,
    automatic   BIGINT NOT NULL,
    note        TEXT,
    sealed      BIGINT NOT NULL,
    previous    TEXT NOT NULL,
    digests     TEXT NOT NULL,
    receipt     TEXT NOT NULL,
    signer      TEXT,
    signature   TEXT,
    UNIQUE (job, sealed)
);

CREATE TABLE pickups (
    id          TEXT PRIMARY KEY,
    job         TEXT NOT NULL REFERENCES jobs (name),
    at          TEXT NOT NULL,
    producer    TEXT NOT NULL,
    wrap        TEXT,
    checked     TEXT NOT NULL,
    continue_at BIGINT,
    automatic   BIGINT NOT NULL,
    note        TEXT,
    sealed      BIGINT NOT NULL,
    previous    TEXT NOT NULL,
    digests     TEXT NOT NULL,
    receipt     TEXT NOT NULL,
    signer      TEXT,
    signature   TEXT,
    UNIQUE (job, sealed)
);

CREATE TABLE decisions (
    id         TEXT PRIMARY KEY,
    job        TEXT NOT NULL REFERENCES jobs (name),
    at         TEXT NOT NULL,
    status     TEXT NOT NULL,
    decided_by TEXT NOT NULL,
    release    TEXT,
    about      TEXT,
    automatic  BIGINT NOT NULL,
    note       TEXT,
    sealed     BIGINT NOT NULL,
    previous   TEXT NOT NULL,
    digests    TEXT NOT NULL,
    receipt    TEXT NOT NULL,
    signer     TEXT,
    signature  TEXT,
    UNIQUE (job, sealed)
);

-- A holder's time-limited claim on a session (`agent:id`) or a job (`job:NAME`).
CREATE TABLE leases (
    subject     TEXT PRIMARY KEY,
    token       TEXT NOT NULL,
    holder      TEXT NOT NULL,
    host        TEXT NOT NULL,
    pid         BIGINT NOT NULL,
    pid_started TEXT NOT NULL,
    since       TEXT NOT NULL,
    renewed_at  TEXT NOT NULL,
    until       TEXT NOT NULL,
    reason      TEXT
);
