-- name: make
INSERT INTO jobs (name, created_at, last_seq, last_sealed, head) VALUES (:job, :now, 0, 0, '') ON CONFLICT DO NOTHING;
-- name: take_seq
UPDATE jobs SET last_seq = last_seq + 1 WHERE name = :job;
-- name: take_sealed
UPDATE jobs SET last_sealed = last_sealed + 1 WHERE name = :job;
-- name: one
SELECT name, created_at, last_seq, last_sealed, head FROM jobs WHERE name = :job;
-- name: set_head
UPDATE jobs SET head = :head WHERE name = :job;
-- name: all
SELECT jobs.name, jobs.created_at, jobs.last_seq, jobs.last_sealed,
    (SELECT count(*) FROM steps WHERE steps.job = jobs.name AND steps.sealed IS NULL) AS in_flight,
    (SELECT count(*) FROM wraps WHERE wraps.job = jobs.name) AS wraps,
    (SELECT max(started_at) FROM steps WHERE steps.job = jobs.name) AS last_started,
    (SELECT max(ended_at) FROM steps WHERE steps.job = jobs.name) AS last_ended,
    (SELECT max(at) FROM wraps WHERE wraps.job = jobs.name) AS last_wrap,
    (SELECT max(at) FROM pickups WHERE pickups.job = jobs.name) AS last_pickup,
    (SELECT max(at) FROM decisions WHERE decisions.job = jobs.name) AS last_decision,
    (SELECT status FROM decisions WHERE decisions.job = jobs.name AND about IS NULL ORDER BY sealed DESC LIMIT 1)
        AS status,
    (SELECT seq FROM steps WHERE steps.job = jobs.name AND sealed < (
        SELECT max(sealed) FROM decisions WHERE decisions.job = jobs.name AND about IS NULL
    ) ORDER BY sealed DESC LIMIT 1) AS status_at,
    (SELECT count(*) FROM steps WHERE steps.job = jobs.name AND (sealed IS NULL OR sealed > (
        SELECT max(sealed) FROM decisions WHERE decisions.job = jobs.name AND about IS NULL
    ))) AS status_since
FROM jobs ORDER BY jobs.name;
-- name: names
SELECT name FROM jobs ORDER BY name;
-- name: of_producer
SELECT jobs.name FROM jobs WHERE
    EXISTS (SELECT 1 FROM steps WHERE steps.job = jobs.name AND steps.producer = :producer)
    OR EXISTS (SELECT 1 FROM wraps WHERE wraps.job = jobs.name AND wraps.producer = :producer)
    OR EXISTS (SELECT 1 FROM pickups WHERE pickups.job = jobs.name AND pickups.producer = :producer);
-- name: at_place
SELECT jobs.name FROM jobs WHERE EXISTS (
    SELECT 1 FROM steps WHERE steps.job = jobs.name
    AND (steps.workspace = :place OR substr(steps.workspace, 1, :length) = :below)
);
