-- name: begin_step
INSERT INTO steps (id, job, seq, origin, producer, tool, summary, workspace, host, pid, pid_started, automatic,
    input_sha256, input_bytes, started_at, head_before, worktree_before, unknown_before, opened)
VALUES (:id, :job, :seq, :origin, :producer, :tool, :summary, :workspace, :host, :pid, :pid_started, :automatic,
    :input_sha256, :input_bytes, :started_at, :head_before, :worktree_before, :unknown_before, :opened);
-- name: seal_step
UPDATE steps SET output_sha256 = :output_sha256, output_bytes = :output_bytes, outcome = :outcome,
    exit_code = :exit_code, ended_at = :ended_at, head_after = :head_after, worktree_after = :worktree_after,
    unknown_after = :unknown_after, note = :note, sealed = :sealed, previous = :previous, digests = :digests,
    receipt = :receipt, signer = :signer, signature = :signature
WHERE id = :id AND sealed IS NULL;
-- name: step
SELECT * FROM steps WHERE id = :id;
-- name: add_wrap
INSERT INTO wraps (id, job, at, producer, summary, goal, recipient, next_steps, not_checked, last_seq, automatic, note,
    sealed, previous, digests, receipt, signer, signature)
VALUES (:id, :job, :at, :producer, :summary, :goal, :recipient, :next_steps, :not_checked, :last_seq, :automatic, :note,
    :sealed, :previous, :digests, :receipt, :signer, :signature);
-- name: add_pickup
INSERT INTO pickups (id, job, at, producer, wrap, checked, continue_at, automatic, note, sealed, previous, digests,
    receipt, signer, signature)
VALUES (:id, :job, :at, :producer, :wrap, :checked, :continue_at, :automatic, :note, :sealed, :previous, :digests,
    :receipt, :signer, :signature);
-- name: add_decision
INSERT INTO decisions (id, job, at, status, decided_by, release, about, automatic, note, sealed, previous, digests,
    receipt, signer, signature)
VALUES (:id, :job, :at, :status, :decided_by, :release, :about, :automatic, :note, :sealed, :previous, :digests,
    :receipt, :signer, :signature);
-- name: steps_of
SELECT * FROM steps WHERE job = :job AND seq > :after ORDER BY seq LIMIT :many;
-- name: wraps_of
SELECT * FROM wraps WHERE job = :job ORDER BY sealed;
-- name: pickups_of
SELECT * FROM pickups WHERE job = :job ORDER BY sealed;
-- name: decisions_of
SELECT * FROM decisions WHERE job = :job ORDER BY sealed;
-- name: in_flight
SELECT * FROM steps WHERE job = :job AND sealed IS NULL ORDER BY seq;
-- name: newest_steps
SELECT * FROM steps WHERE job = :job ORDER BY seq DESC LIMIT :many;
-- name: step_at
SELECT * FROM steps WHERE job = :job AND seq = :seq;
-- name: outcomes
SELECT outcome, count(*) AS n FROM steps WHERE job = :job AND sealed IS NOT NULL GROUP BY outcome ORDER BY outcome;
-- name: load_bearing
WITH starts AS (
    SELECT head_before AS head, worktree_before AS worktree, count(*) AS n FROM steps
    WHERE job = :job AND worktree_before IS NOT NULL GROUP BY head_before, worktree_before
), inputs AS (
    SELECT input_sha256 AS content, count(*) AS n FROM steps
    WHERE job = :job AND input_bytes > 0 GROUP BY input_sha256
)
SELECT steps.seq, coalesce(starts.n, 0) + coalesce(inputs.n, 0) AS resting FROM steps
LEFT JOIN starts ON starts.worktree = steps.worktree_after AND starts.head = steps.head_after
    AND (steps.worktree_before <> steps.worktree_after OR steps.head_before <> steps.head_after)
LEFT JOIN inputs ON inputs.content = steps.output_sha256
WHERE steps.job = :job AND steps.outcome = 'ok' AND coalesce(starts.n, 0) + coalesce(inputs.n, 0) > 0
ORDER BY resting DESC, steps.seq DESC LIMIT :many;
-- name: find_receipt
SELECT 'step' AS kind, job, id, receipt FROM steps WHERE receipt LIKE :prefix
UNION ALL SELECT 'wrap' AS kind, job, id, receipt FROM wraps WHERE receipt LIKE :prefix
UNION ALL SELECT 'pickup' AS kind, job, id, receipt FROM pickups WHERE receipt LIKE :prefix
UNION ALL SELECT 'decision' AS kind, job, id, receipt FROM decisions WHERE receipt LIKE :prefix;
-- name: find_wrap
SELECT * FROM wraps WHERE id LIKE :prefix ORDER BY sealed DESC;
-- name: find_step
SELECT * FROM steps WHERE id LIKE :prefix ORDER BY seq DESC;
-- name: newest_wraps
SELECT * FROM wraps WHERE job = :job ORDER BY sealed DESC LIMIT :many;
-- name: last_own_wrap
SELECT * FROM wraps WHERE job = :job AND automatic = 0 ORDER BY sealed DESC LIMIT 1;
-- name: newest_pickups
SELECT * FROM pickups WHERE job = :job ORDER BY sealed DESC LIMIT :many;
-- name: newest_decisions
SELECT * FROM decisions WHERE job = :job ORDER BY sealed DESC LIMIT :many;
-- name: unsettled
SELECT * FROM steps WHERE job = :job AND (sealed IS NULL OR outcome IN ('dangling', 'interrupted')) AND NOT EXISTS (
    SELECT 1 FROM steps AS later WHERE later.job = steps.job AND later.seq > steps.seq AND later.outcome = 'ok'
    AND later.tool = steps.tool AND later.summary = steps.summary
) ORDER BY seq LIMIT :many;
-- name: last_failures
SELECT * FROM steps WHERE job = :job AND sealed IS NOT NULL AND outcome <> 'ok' ORDER BY seq DESC LIMIT :many;
-- name: count_steps
SELECT count(*) AS n FROM steps WHERE job = :job;
-- name: count_links
SELECT (SELECT count(*) FROM steps WHERE job = :job) + (SELECT count(*) FROM wraps WHERE job = :job)
    + (SELECT count(*) FROM pickups WHERE job = :job) + (SELECT count(*) FROM decisions WHERE job = :job) AS n;
-- name: count_reconstructed
SELECT count(*) AS n FROM steps WHERE job = :job AND producer = :producer AND origin = 'reconstruction';
