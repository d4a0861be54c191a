-- Attempts to sign in that failed, beside the tables that better-auth makes for itself.
CREATE TABLE @attempts (
  name text COLLATE "C" PRIMARY KEY,
  count bigint NOT NULL,
  last_ms bigint NOT NULL
);
CREATE INDEX attempts_by_time ON @attempts (last_ms);

-- Of a copy from another store to here: `unfinished` or `finished`. No row where there was none.
CREATE TABLE @copy_state (state text NOT NULL);
