-- The last batch of usage that each process has written, so that none is added twice. `at`: of its newest minute.
CREATE TABLE usage_batches (
  process TEXT PRIMARY KEY,
  number INTEGER NOT NULL,
  at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX usage_batches_by_time ON usage_batches (at);

-- Of a copy from another store to here: `unfinished` or `finished`. No row where there was none.
CREATE TABLE copy_state (state TEXT NOT NULL) STRICT;
