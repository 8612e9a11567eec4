-- name: one
SELECT {leases} FROM leases WHERE subject = :subject;
-- name: all
SELECT {leases} FROM leases ORDER BY subject;
-- name: take
INSERT INTO leases (subject, token, holder, host, pid, pid_started, since, renewed_at, until, reason)
VALUES (:subject, :token, :holder, :host, :pid, :pid_started, :since, :since, :until, :reason)
ON CONFLICT DO NOTHING;
-- name: replace
UPDATE leases SET token = :token, holder = :holder, host = :host, pid = :pid, pid_started = :pid_started,
    since = :since, renewed_at = :since, until = :until, reason = :reason
WHERE subject = :subject AND token = :was;
-- name: renew
UPDATE leases SET renewed_at = :now, until = :until WHERE subject = :subject AND token = :token;
-- name: hand
UPDATE leases SET host = :host, pid = :pid, pid_started = :pid_started WHERE subject = :subject AND token = :token;
-- name: release
DELETE FROM leases WHERE subject = :subject AND token = :token;
