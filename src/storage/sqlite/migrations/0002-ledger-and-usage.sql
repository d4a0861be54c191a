-- The triggers of 0001 fire for these columns too: a limit or a list that changes is in the feed.
ALTER TABLE accounts ADD COLUMN credits_per_day INTEGER;
ALTER TABLE accounts ADD COLUMN credits_per_second INTEGER;
ALTER TABLE keys ADD COLUMN credits_per_day INTEGER;
ALTER TABLE keys ADD COLUMN credits_per_second INTEGER;
-- JSON: lists by kind.
ALTER TABLE keys ADD COLUMN allow TEXT NOT NULL DEFAULT '{}';

-- One entry for the account ends all its keys in every process.
CREATE TRIGGER account_deleted AFTER DELETE ON accounts BEGIN
  DELETE FROM keys WHERE account_id = OLD.id;
  INSERT INTO changes (account_id, key_id) VALUES (OLD.id, NULL);
END;

-- Without references to accounts and keys: what was spent stays for the books when they are gone.
-- What follows `added` is the sharing of the throughput; the owner's newest row has its state.
CREATE TABLE ledger (
  owner TEXT NOT NULL,
  -- Days since 1970-01-01, UTC.
  day INTEGER NOT NULL,
  used INTEGER NOT NULL,
  added INTEGER NOT NULL,
  -- One process that takes, and when it did last.
  holder TEXT,
  holder_at INTEGER,
  -- When another process did.
  other_at INTEGER,
  -- Thousandths of a credit: an integer for any rate, since a credit a second is one of them a
  -- millisecond. As of the last take.
  level INTEGER,
  level_at INTEGER,
  -- What the last take was answered: a statement returns columns, and nothing of its way to them.
  granted INTEGER,
  wait_ms INTEGER,
  PRIMARY KEY (owner, day)
) STRICT, WITHOUT ROWID;

-- Three tables of one shape. The account stands first for the questions, and an index on the time
-- for the pruning. Latencies are fractions of milliseconds.
CREATE TABLE usage_minutes (
  at INTEGER NOT NULL,
  account_id TEXT NOT NULL,
  key_id TEXT NOT NULL,
  network TEXT NOT NULL,
  method TEXT NOT NULL,
  outcome TEXT NOT NULL,
  calls INTEGER NOT NULL,
  credits INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  latency_ms REAL NOT NULL,
  PRIMARY KEY (account_id, at, key_id, network, method, outcome)
) STRICT, WITHOUT ROWID;
CREATE INDEX usage_minutes_by_time ON usage_minutes (at);

CREATE TABLE usage_hours (
  at INTEGER NOT NULL,
  account_id TEXT NOT NULL,
  key_id TEXT NOT NULL,
  network TEXT NOT NULL,
  method TEXT NOT NULL,
  outcome TEXT NOT NULL,
  calls INTEGER NOT NULL,
  credits INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  latency_ms REAL NOT NULL,
  PRIMARY KEY (account_id, at, key_id, network, method, outcome)
) STRICT, WITHOUT ROWID;
CREATE INDEX usage_hours_by_time ON usage_hours (at);

CREATE TABLE usage_days (
  at INTEGER NOT NULL,
  account_id TEXT NOT NULL,
  key_id TEXT NOT NULL,
  network TEXT NOT NULL,
  method TEXT NOT NULL,
  outcome TEXT NOT NULL,
  calls INTEGER NOT NULL,
  credits INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  latency_ms REAL NOT NULL,
  PRIMARY KEY (account_id, at, key_id, network, method, outcome)
) STRICT, WITHOUT ROWID;
CREATE INDEX usage_days_by_time ON usage_days (at);

CREATE TABLE contract_minutes (
  at INTEGER NOT NULL,
  account_id TEXT NOT NULL,
  network TEXT NOT NULL,
  contract TEXT NOT NULL,
  calls INTEGER NOT NULL,
  PRIMARY KEY (account_id, at, network, contract)
) STRICT, WITHOUT ROWID;
CREATE INDEX contract_minutes_by_time ON contract_minutes (at);
