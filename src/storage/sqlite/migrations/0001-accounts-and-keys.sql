-- Times are Unix milliseconds.

CREATE TABLE accounts (
  id TEXT PRIMARY KEY,
  email TEXT NOT NULL UNIQUE COLLATE NOCASE,
  plan TEXT NOT NULL,
  operator INTEGER NOT NULL,
  suspended INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE keys (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  name TEXT NOT NULL,
  hash TEXT NOT NULL UNIQUE,
  prefix TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER,
  expires_at INTEGER,
  revoked_at INTEGER
) STRICT;

CREATE INDEX keys_of_account ON keys (account_id);

-- AUTOINCREMENT: a number is never given twice, and there are no gaps, so that a reader sees
-- whether rows that it has not read were pruned.
CREATE TABLE changes (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id TEXT NOT NULL,
  key_id TEXT
) STRICT;

-- Triggers, so that no statement can change an account or a key and forget to say so.
CREATE TRIGGER account_updated AFTER UPDATE ON accounts BEGIN
  INSERT INTO changes (account_id, key_id) VALUES (NEW.id, NULL);
END;

CREATE TRIGGER key_inserted AFTER INSERT ON keys BEGIN
  INSERT INTO changes (account_id, key_id) VALUES (NEW.account_id, NEW.id);
END;

-- A use is no change: it would make every process read the key again each minute.
CREATE TRIGGER key_updated AFTER UPDATE ON keys
WHEN NEW.last_used_at IS OLD.last_used_at BEGIN
  INSERT INTO changes (account_id, key_id) VALUES (NEW.account_id, NEW.id);
END;

CREATE TRIGGER changes_pruned AFTER INSERT ON changes BEGIN
  DELETE FROM changes WHERE seq <= NEW.seq - 1000;
END;
