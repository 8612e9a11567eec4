-- The columns of each table, named: a damaged schema is then an error of the database, never a row without a field.
-- name: steps
id, job, seq, origin, producer, tool, summary, workspace, host, pid, pid_started, automatic, input_sha256,
input_bytes, started_at, head_before, worktree_before, unknown_before, rests_on, opened, output_sha256,
output_bytes, outcome, exit_code, ended_at, head_after, worktree_after, unknown_after, note, sealed, previous,
digests, receipt, signer, signature
-- name: wraps
id, job, at, producer, summary, goal, recipient, next_steps, not_checked, last_seq, automatic, note, sealed,
previous, digests, receipt, signer, signature
-- name: pickups
id, job, at, producer, wrap, checked, continue_at, automatic, note, sealed, previous, digests, receipt, signer,
signature
-- name: decisions
id, job, at, status, decided_by, release, about, automatic, note, sealed, previous, digests, receipt, signer,
signature
-- name: leases
subject, token, holder, host, pid, pid_started, since, renewed_at, until, reason
-- name: ties
host, workspace, job, tied_by, tied_at
-- name: attempts
id, parent, child, operation, agent, workspace, holder, command, brief, forced, at, host, pid, pid_started, ended,
exit_code
