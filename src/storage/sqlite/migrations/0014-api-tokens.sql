-- Of programs that use the dashboard's API.
CREATE TABLE api_tokens (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  name TEXT NOT NULL,
  -- The token's text is stored nowhere.
  hash TEXT NOT NULL UNIQUE,
  prefix TEXT NOT NULL,
  -- JSON: a list.
  scopes TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  created_by TEXT NOT NULL,
  expires_at INTEGER,
  last_used_at INTEGER
) STRICT;
CREATE INDEX api_tokens_of_account ON api_tokens (account_id, created_at, id);

CREATE TRIGGER account_deleted_from_api_tokens AFTER DELETE ON accounts BEGIN
  DELETE FROM api_tokens WHERE account_id = OLD.id;
END;
