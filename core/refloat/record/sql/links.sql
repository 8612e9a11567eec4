-- name: begin_step
INSERT INTO steps (id, job, seq, origin, producer, tool, summary, workspace, host, pid, pid_started, automatic,
    input_sha256, input_bytes, started_at, head_before, worktree_before, unknown_before, rests_on,
    opened)
VALUES (:id, :job, :seq, :origin, :producer, :tool, :summary, :workspace, :host, :pid, :pid_started, :automatic,
    :input_sha256, :input_bytes, :started_at, :head_before, :worktree_before, :unknown_before, :rests_on,
    :opened);
-- name: seal_step
UPDATE steps SET output_sha256 = :output_sha256, output_bytes = :output_bytes, outcome = :outcome,
    exit_code = :exit_code, ended_at = :ended_at, head_after = :head_after, worktree_after = :worktree_after,
    unknown_after = :unknown_after, note = :note, sealed = :sealed, previous = :previous, digests = :digests,
    receipt = :receipt, signer = :signer, signature = :signature
WHERE id = :id AND sealed IS NULL;
-- name: step
SELECT {steps} FROM steps WHERE id = :id;
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
SELECT {steps} FROM steps WHERE job = :job AND seq > :after ORDER BY seq LIMIT :many;
-- name: wraps_of
SELECT {wraps} FROM wraps WHERE job = :job ORDER BY sealed;
-- name: pickups_of
SELECT {pickups} FROM pickups WHERE job = :job ORDER BY sealed;
-- name: decisions_of
SELECT {decisions} FROM decisions WHERE job = :job ORDER BY sealed;
-- name: newest_in_flight
SELECT {steps} FROM steps WHERE job = :job AND sealed IS NULL ORDER BY seq DESC LIMIT :many;
-- name: newest_sealed
SELECT {steps} FROM steps WHERE job = :job AND sealed IS NOT NULL ORDER BY seq DESC LIMIT :many;
-- name: count_in_flight
SELECT count(*) AS n FROM steps WHERE job = :job AND sealed IS NULL;
-- name: count_since
SELECT count(*) AS n FROM steps WHERE job = :job AND (sealed IS NULL OR sealed > :sealed);
-- name: sealed_before
SELECT seq FROM steps WHERE job = :job AND sealed < :sealed ORDER BY sealed DESC LIMIT 1;
-- name: newest_steps
SELECT {steps} FROM steps WHERE job = :job ORDER BY seq DESC LIMIT :many;
-- name: step_at
SELECT {steps} FROM steps WHERE job = :job AND seq = :seq;
-- name: outcomes
SELECT outcome, count(*) AS n FROM steps WHERE job = :job AND outcome IS NOT NULL GROUP BY outcome ORDER BY outcome;
-- name: load_bearing
SELECT rests_on AS seq, count(*) AS resting FROM steps WHERE job = :job AND rests_on IS NOT NULL
GROUP BY rests_on ORDER BY count(*) DESC, rests_on DESC LIMIT :many;
-- name: left_behind
SELECT seq, rests_on, head_before, worktree_before FROM steps
WHERE job = :job AND worktree_after = :worktree AND head_after = :head AND seq < :below ORDER BY seq DESC LIMIT 1;
-- name: known_before
SELECT head_after, worktree_after FROM steps
WHERE job = :job AND seq < :below AND head_after IS NOT NULL AND worktree_after IS NOT NULL ORDER BY seq DESC LIMIT 1;
-- name: printed
SELECT seq FROM steps WHERE job = :job AND output_sha256 = :content ORDER BY seq DESC LIMIT 1;
-- name: find_receipt
SELECT 'step' AS kind, job, id, receipt FROM steps WHERE receipt LIKE :prefix
UNION ALL SELECT 'wrap' AS kind, job, id, receipt FROM wraps WHERE receipt LIKE :prefix
UNION ALL SELECT 'pickup' AS kind, job, id, receipt FROM pickups WHERE receipt LIKE :prefix
UNION ALL SELECT 'decision' AS kind, job, id, receipt FROM decisions WHERE receipt LIKE :prefix;
-- name: find_wrap
SELECT {wraps} FROM wraps WHERE id LIKE :prefix ORDER BY sealed DESC;
-- name: find_step
SELECT {steps} FROM steps WHERE id LIKE :prefix ORDER BY seq DESC;
-- name: newest_wraps
SELECT {wraps} FROM wraps WHERE job = :job ORDER BY sealed DESC LIMIT :many;
-- name: last_own_wrap
SELECT {wraps} FROM wraps WHERE job = :job AND automatic = 0 ORDER BY sealed DESC LIMIT 1;
-- name: last_automatic_wrap
SELECT last_seq FROM wraps WHERE job = :job AND producer = :producer AND automatic = 1 ORDER BY sealed DESC LIMIT 1;
-- name: outcomes_since
SELECT outcome, count(*) AS n FROM steps WHERE job = :job AND seq > :after AND producer = :producer
AND outcome IS NOT NULL GROUP BY outcome ORDER BY outcome;
-- name: last_step_by
SELECT {steps} FROM steps WHERE job = :job AND producer = :producer ORDER BY seq DESC LIMIT 1;
-- name: newest_pickups
SELECT {pickups} FROM pickups WHERE job = :job ORDER BY sealed DESC LIMIT :many;
-- name: newest_decisions
SELECT {decisions} FROM decisions WHERE job = :job ORDER BY sealed DESC LIMIT :many;
-- name: newest_on_job
SELECT {decisions} FROM decisions WHERE job = :job AND about IS NULL ORDER BY sealed DESC LIMIT 1;
-- name: not_done
SELECT {steps} FROM steps WHERE job = :job AND seq > :after
AND (sealed IS NULL OR outcome IN ('error', 'denied', 'interrupted', 'dangling'))
ORDER BY seq LIMIT :many;
-- name: repeats
SELECT {steps} FROM steps WHERE job = :job AND seq > :after AND outcome = 'ok' AND origin <> 'reconstruction'
AND tool = :tool AND summary = :summary AND workspace = :workspace AND input_sha256 = :given
ORDER BY seq DESC LIMIT :many;
-- name: last_failures
SELECT {steps} FROM steps WHERE job = :job AND outcome IN ('error', 'denied', 'interrupted', 'dangling')
ORDER BY seq DESC LIMIT :many;
-- name: count_steps
SELECT count(*) AS n FROM steps WHERE job = :job;
-- name: count_links
SELECT (SELECT count(*) FROM steps WHERE job = :job) + (SELECT count(*) FROM wraps WHERE job = :job)
    + (SELECT count(*) FROM pickups WHERE job = :job) + (SELECT count(*) FROM decisions WHERE job = :job) AS n;
-- name: all_reconstructed
SELECT count(*) AS n FROM steps WHERE job = :job AND origin = 'reconstruction' AND tool <> 'reconstruct';
-- name: count_reconstructed
SELECT count(*) AS n FROM steps WHERE job = :job AND producer = :producer AND origin = 'reconstruction';
-- name: last_done
SELECT ended_at FROM steps WHERE job = :job AND tool = :tool AND origin = :origin AND outcome = 'ok'
ORDER BY seq DESC LIMIT 1;
