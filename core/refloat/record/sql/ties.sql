-- name: put
INSERT INTO ties (host, workspace, job, tied_by, tied_at) VALUES (:host, :workspace, :job, :tied_by, :tied_at)
ON CONFLICT (host, workspace) DO UPDATE SET job = excluded.job, tied_by = excluded.tied_by,
    tied_at = excluded.tied_at;
-- name: remove
DELETE FROM ties WHERE host = :host AND workspace = :workspace;
-- name: of_host
SELECT {ties} FROM ties WHERE host = :host ORDER BY workspace;
