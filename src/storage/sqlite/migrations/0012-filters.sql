-- The filters of clients that ask again and again what is new.
CREATE TABLE filters (
  id TEXT NOT NULL PRIMARY KEY,
  key_id TEXT NOT NULL,
  network TEXT NOT NULL,
  -- JSON: what it is for.
  criteria TEXT NOT NULL,
  -- How far its client was told.
  place TEXT NOT NULL,
  -- Names the statement that moved it there.
  move TEXT,
  used_at INTEGER NOT NULL
) STRICT;

CREATE INDEX filters_of_key ON filters (key_id, used_at);
CREATE INDEX filters_by_use ON filters (used_at);
