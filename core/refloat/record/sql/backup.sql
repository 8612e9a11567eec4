-- name: drafts
SELECT * FROM drafts ORDER BY id LIMIT :many OFFSET :skip;
-- name: jobs
SELECT * FROM jobs ORDER BY name LIMIT :many OFFSET :skip;
-- name: contents
SELECT * FROM contents ORDER BY sha256 LIMIT :many OFFSET :skip;
-- name: pieces
SELECT * FROM pieces ORDER BY sha256, n LIMIT :many OFFSET :skip;
-- name: steps
SELECT * FROM steps ORDER BY id LIMIT :many OFFSET :skip;
-- name: wraps
SELECT * FROM wraps ORDER BY id LIMIT :many OFFSET :skip;
-- name: pickups
SELECT * FROM pickups ORDER BY id LIMIT :many OFFSET :skip;
-- name: decisions
SELECT * FROM decisions ORDER BY id LIMIT :many OFFSET :skip;
-- name: ties
SELECT * FROM ties ORDER BY host, workspace LIMIT :many OFFSET :skip;
-- name: attempts
SELECT * FROM attempts ORDER BY id LIMIT :many OFFSET :skip;
-- name: leases
SELECT * FROM leases ORDER BY subject LIMIT :many OFFSET :skip;
