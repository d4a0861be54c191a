-- Accounts are paged oldest first.
CREATE INDEX accounts_by_age ON accounts (created_at, id);

CREATE TABLE members (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  email TEXT NOT NULL COLLATE NOCASE,
  added_at INTEGER NOT NULL,
  added_by TEXT NOT NULL,
  UNIQUE (account_id, email)
) STRICT;
CREATE INDEX members_by_email ON members (email);

-- AUTOINCREMENT, here and below: a page ends at a number, which is never given twice. Without a
-- reference to the account: what was done stays when it is gone.
CREATE TABLE audit (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  at INTEGER NOT NULL,
  account_id TEXT,
  actor_kind TEXT NOT NULL,
  actor_email TEXT,
  action TEXT NOT NULL,
  target TEXT,
  -- JSON: values by name.
  detail TEXT NOT NULL,
  ip TEXT,
  agent TEXT
) STRICT;
CREATE INDEX audit_of_account ON audit (account_id, seq);
CREATE INDEX audit_by_time ON audit (at);

CREATE TABLE alert_settings (
  account_id TEXT PRIMARY KEY REFERENCES accounts (id),
  -- JSON: lists.
  thresholds TEXT NOT NULL,
  emails TEXT NOT NULL,
  webhook_url TEXT,
  webhook_secret TEXT
) STRICT;

-- A row is a threshold that was reached: who writes it sends the alert.
CREATE TABLE alerts (
  account_id TEXT NOT NULL REFERENCES accounts (id),
  -- Days since 1970-01-01, UTC.
  day INTEGER NOT NULL,
  threshold INTEGER NOT NULL,
  PRIMARY KEY (account_id, day, threshold)
) STRICT, WITHOUT ROWID;
CREATE INDEX alerts_by_day ON alerts (day);

CREATE TABLE alert_deliveries (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  at INTEGER NOT NULL,
  day INTEGER NOT NULL,
  threshold INTEGER NOT NULL,
  kind TEXT NOT NULL,
  target TEXT NOT NULL,
  payload TEXT NOT NULL,
  state TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  next_at INTEGER,
  last_error TEXT
) STRICT;
CREATE INDEX alert_deliveries_of_account ON alert_deliveries (account_id, seq);
CREATE INDEX alert_deliveries_by_time ON alert_deliveries (at);
CREATE INDEX alert_deliveries_due ON alert_deliveries (next_at) WHERE state = 'pending';

CREATE TRIGGER account_deleted_from_dashboard AFTER DELETE ON accounts BEGIN
  DELETE FROM members WHERE account_id = OLD.id;
  DELETE FROM alert_settings WHERE account_id = OLD.id;
  DELETE FROM alert_deliveries WHERE account_id = OLD.id;
  DELETE FROM alerts WHERE account_id = OLD.id;
END;

-- usage_hours without the keys: a chart of a month reads a fraction of the rows. Both are written in
-- one transaction. No index on the time: it is pruned by the rows of usage_hours.
CREATE TABLE usage_hour_sums (
  at INTEGER NOT NULL,
  account_id TEXT NOT NULL,
  network TEXT NOT NULL,
  method TEXT NOT NULL,
  outcome TEXT NOT NULL,
  calls INTEGER NOT NULL,
  credits INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  latency_ms REAL NOT NULL,
  PRIMARY KEY (account_id, at, network, method, outcome)
) STRICT, WITHOUT ROWID;
INSERT INTO usage_hour_sums
SELECT at, account_id, network, method, outcome,
  sum(calls), sum(credits), sum(bytes), sum(latency_ms)
FROM usage_hours GROUP BY account_id, at, network, method, outcome;
