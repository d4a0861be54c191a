-- The processes that serve from this database, as they last told of themselves.
CREATE TABLE fleet (
  name TEXT NOT NULL,
  worker INTEGER NOT NULL,
  process TEXT NOT NULL,
  version TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  calls_per_second REAL NOT NULL,
  leases INTEGER NOT NULL,
  -- JSON: numbers of blocks, or null, by network.
  heads TEXT NOT NULL,
  -- JSON: of what should be alike in all files, by the name of the setting.
  marks TEXT NOT NULL,
  told_at INTEGER NOT NULL,
  PRIMARY KEY (name, worker)
) STRICT, WITHOUT ROWID;

-- Upstreams that operators put out of use, until they enable them.
CREATE TABLE drained_upstreams (
  network TEXT NOT NULL,
  upstream TEXT NOT NULL,
  PRIMARY KEY (network, upstream)
) STRICT, WITHOUT ROWID;
