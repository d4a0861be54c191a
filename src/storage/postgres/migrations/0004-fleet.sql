-- The processes that serve from this database, as they last told of themselves.
CREATE TABLE @fleet (
  name text COLLATE "C" NOT NULL,
  worker bigint NOT NULL,
  process text COLLATE "C" NOT NULL,
  version text NOT NULL,
  started_at bigint NOT NULL,
  calls_per_second double precision NOT NULL,
  leases bigint NOT NULL,
  -- JSON: numbers of blocks, or null, by network.
  heads text NOT NULL,
  -- JSON: of what should be alike in all files, by the name of the setting.
  marks text NOT NULL,
  -- By the clock of the database.
  told_at bigint NOT NULL,
  PRIMARY KEY (name, worker)
);

-- Upstreams that operators put out of use, until they enable them.
CREATE TABLE @drained_upstreams (
  network text COLLATE "C" NOT NULL,
  upstream text COLLATE "C" NOT NULL,
  PRIMARY KEY (network, upstream)
);
