-- Of programs that use the dashboard's API.
CREATE TABLE @api_tokens (
  id text COLLATE "C" PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL REFERENCES @accounts (id) ON DELETE CASCADE,
  name text NOT NULL,
  -- The token's text is stored nowhere.
  hash text COLLATE "C" NOT NULL UNIQUE,
  prefix text NOT NULL,
  -- JSON: a list.
  scopes text NOT NULL,
  created_at bigint NOT NULL,
  created_by text NOT NULL,
  expires_at bigint,
  last_used_at bigint
);
CREATE INDEX api_tokens_of_account ON @api_tokens (account_id, created_at, id);
