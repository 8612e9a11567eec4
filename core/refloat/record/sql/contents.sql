-- name: put
INSERT INTO contents (sha256, bytes, place, coding, kept_sha256)
VALUES (:sha256, :bytes, :place, :coding, :kept_sha256)
ON CONFLICT (sha256) DO UPDATE SET bytes = excluded.bytes, place = excluded.place, coding = excluded.coding,
    kept_sha256 = excluded.kept_sha256;
-- name: trim
DELETE FROM pieces WHERE sha256 = :sha256 AND n >= :count;
-- name: put_piece
INSERT INTO pieces (sha256, n, data) VALUES (:sha256, :n, :data)
ON CONFLICT (sha256, n) DO UPDATE SET data = excluded.data;
-- name: one
SELECT sha256, bytes, place, coding, kept_sha256 FROM contents WHERE sha256 = :sha256;
-- name: piece
SELECT data FROM pieces WHERE sha256 = :sha256 AND n = :n;
-- name: piece_there
SELECT n FROM pieces WHERE sha256 = :sha256 AND n = 0;
-- name: all
SELECT sha256, bytes, place, coding, kept_sha256 FROM contents ORDER BY sha256;
