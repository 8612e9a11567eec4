-- name: all
SELECT * FROM drafts WHERE done = :done ORDER BY updated_at DESC, id;
-- name: unfinished
SELECT * FROM drafts WHERE session = :session AND done = 0;
-- name: newest
SELECT * FROM drafts WHERE session = :session ORDER BY done, updated_at DESC, id LIMIT 1;
-- name: finished
SELECT * FROM drafts WHERE session = :session AND done = 1 ORDER BY updated_at DESC, id LIMIT 1;
-- name: state
SELECT state FROM drafts WHERE id = :id AND revision = :revision AND done = 0;
-- name: begin
INSERT INTO drafts (id, session, title, created_at, updated_at, revision, state, done)
VALUES (:id, :session, :title, :now, :now, 1, :state, 0) ON CONFLICT DO NOTHING;
-- name: save
UPDATE drafts SET state = :state, title = :title, done = :done, updated_at = :now, revision = revision + 1
WHERE id = :id AND revision = :revision AND done = 0;
