-- The filters of clients that ask again and again what is new.
CREATE TABLE @filters (
  id text COLLATE "C" NOT NULL PRIMARY KEY,
  key_id text COLLATE "C" NOT NULL,
  network text COLLATE "C" NOT NULL,
  -- JSON: what it is for.
  criteria text NOT NULL,
  -- How far its client was told.
  place text COLLATE "C" NOT NULL,
  -- Names the statement that moved it there.
  move text COLLATE "C",
  used_at bigint NOT NULL
);

CREATE INDEX filters_of_key ON @filters (key_id, used_at);
CREATE INDEX filters_by_use ON @filters (used_at);
