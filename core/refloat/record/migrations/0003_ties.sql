-- Which job the work in a directory belongs to, for hooks: of one machine, for a shared record holds paths of many.
CREATE TABLE ties (
    host      TEXT NOT NULL,
    workspace TEXT NOT NULL,
    job       TEXT NOT NULL,
    tied_by   TEXT NOT NULL,
    tied_at   TEXT NOT NULL,
    PRIMARY KEY (host, workspace)
);
