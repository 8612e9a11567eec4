-- name: begin
INSERT INTO attempts (id, parent, child, operation, agent, workspace, holder, command, brief, forced, at)
VALUES (:id, :parent, :child, :operation, :agent, :workspace, :holder, :command, :brief, :forced, :at);
-- name: start
UPDATE attempts SET host = :host, pid = :pid, pid_started = :pid_started WHERE id = :id;
-- name: end
UPDATE attempts SET ended = :ended, exit_code = :exit_code WHERE id = :id AND ended IS NULL;
-- name: link
UPDATE attempts SET child = :child WHERE id = :id AND child IS NULL;
-- name: all
SELECT {attempts} FROM attempts ORDER BY at, id;
