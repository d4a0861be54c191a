-- @name is a table or function of this program's schema. Times are Unix milliseconds. Texts are sorted by
-- their bytes, as SQLite sorts them.

CREATE TABLE @accounts (
  id text COLLATE "C" PRIMARY KEY,
  email text COLLATE "C" NOT NULL,
  plan text COLLATE "C" NOT NULL,
  operator smallint NOT NULL,
  suspended smallint NOT NULL,
  created_at bigint NOT NULL,
  credits_per_day bigint,
  credits_per_second bigint
);
CREATE UNIQUE INDEX accounts_by_email ON @accounts (lower(email));
CREATE INDEX accounts_by_age ON @accounts (created_at, id);

CREATE TABLE @keys (
  id text COLLATE "C" PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL REFERENCES @accounts (id) ON DELETE CASCADE,
  name text NOT NULL,
  hash text COLLATE "C" NOT NULL UNIQUE,
  prefix text NOT NULL,
  created_at bigint NOT NULL,
  last_used_at bigint,
  expires_at bigint,
  revoked_at bigint,
  credits_per_day bigint,
  credits_per_second bigint,
  -- JSON: lists by kind.
  allow text NOT NULL
);
CREATE INDEX keys_of_account ON @keys (account_id);

-- The last number of the feed. Whoever changes something holds this row until the commit, so that numbers
-- are committed in their order: a reader that has seen one has seen all before it. A sequence would give a
-- number before the commit, and a reader would miss what commits later.
CREATE TABLE @change_counter (one smallint PRIMARY KEY CHECK (one = 1), seq bigint NOT NULL);
INSERT INTO @change_counter VALUES (1, 0);

CREATE TABLE @changes (
  seq bigint PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL,
  key_id text COLLATE "C"
);

CREATE FUNCTION @tell_change(changed_account text, changed_key text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  number bigint;
BEGIN
  UPDATE @change_counter SET seq = seq + 1 RETURNING seq INTO number;
  INSERT INTO @changes (seq, account_id, key_id) VALUES (number, changed_account, changed_key);
  DELETE FROM @changes WHERE seq <= number - 1000;
END $$;

CREATE FUNCTION @tell_account() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM @tell_change(coalesce(NEW.id, OLD.id), NULL);
  RETURN NULL;
END $$;

CREATE FUNCTION @tell_key() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM @tell_change(NEW.account_id, NEW.id);
  RETURN NULL;
END $$;

-- Triggers, so that no statement can change an account or a key and forget to say so. Deferred: the counter
-- is held for the commit alone. One entry for the account ends all its keys in every process.
CREATE CONSTRAINT TRIGGER account_changed AFTER UPDATE OR DELETE ON @accounts
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION @tell_account();
CREATE CONSTRAINT TRIGGER key_inserted AFTER INSERT ON @keys
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION @tell_key();
-- A use is no change: it would make every process read the key again each minute.
CREATE CONSTRAINT TRIGGER key_updated AFTER UPDATE ON @keys
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN (NEW.last_used_at IS NOT DISTINCT FROM OLD.last_used_at) EXECUTE FUNCTION @tell_key();

-- Calls that went to partners: one row for each network and UTC day, for the caps and the books.
CREATE TABLE @partner_calls (
  network text COLLATE "C" NOT NULL,
  -- Days since 1970-01-01, UTC.
  day bigint NOT NULL,
  calls bigint NOT NULL,
  PRIMARY KEY (network, day)
);

CREATE TABLE @members (
  id text COLLATE "C" PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL REFERENCES @accounts (id) ON DELETE CASCADE,
  email text COLLATE "C" NOT NULL,
  added_at bigint NOT NULL,
  added_by text NOT NULL
);
CREATE UNIQUE INDEX members_of_account ON @members (account_id, lower(email));
CREATE INDEX members_by_email ON @members (lower(email));

-- Without a reference to the account: what was done stays when it is gone.
CREATE TABLE @audit (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id text COLLATE "C" NOT NULL UNIQUE,
  at bigint NOT NULL,
  account_id text COLLATE "C",
  actor_kind text NOT NULL,
  actor_email text,
  action text NOT NULL,
  target text,
  -- JSON: values by name.
  detail text NOT NULL,
  ip text,
  agent text
);
CREATE INDEX audit_of_account ON @audit (account_id, seq);
CREATE INDEX audit_by_time ON @audit (at);

CREATE TABLE @alert_settings (
  account_id text COLLATE "C" PRIMARY KEY REFERENCES @accounts (id) ON DELETE CASCADE,
  -- JSON: lists.
  thresholds text NOT NULL,
  emails text NOT NULL,
  webhook_url text,
  webhook_secret text
);

-- A row is a threshold that was reached: who writes it sends the alert.
CREATE TABLE @alerts (
  account_id text COLLATE "C" NOT NULL REFERENCES @accounts (id) ON DELETE CASCADE,
  -- Days since 1970-01-01, UTC.
  day bigint NOT NULL,
  threshold bigint NOT NULL,
  PRIMARY KEY (account_id, day, threshold)
);
CREATE INDEX alerts_by_day ON @alerts (day);

CREATE TABLE @alert_deliveries (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id text COLLATE "C" NOT NULL UNIQUE,
  account_id text COLLATE "C" NOT NULL REFERENCES @accounts (id) ON DELETE CASCADE,
  at bigint NOT NULL,
  day bigint NOT NULL,
  threshold bigint NOT NULL,
  kind text NOT NULL,
  target text NOT NULL,
  payload text NOT NULL,
  state text NOT NULL,
  attempts bigint NOT NULL,
  next_at bigint,
  last_error text
);
CREATE INDEX alert_deliveries_of_account ON @alert_deliveries (account_id, seq);
CREATE INDEX alert_deliveries_by_time ON @alert_deliveries (at);
CREATE INDEX alert_deliveries_due ON @alert_deliveries (next_at, seq) WHERE state = 'pending';

-- Three tables of one shape. The account stands first for the questions, and an index on the time for the
-- pruning. Latencies are fractions of milliseconds. The fourth has the hours without the keys: a chart of a
-- month reads a fraction of the rows. All are written in one statement.
CREATE TABLE @usage_minutes (
  at bigint NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  key_id text COLLATE "C" NOT NULL,
  network text COLLATE "C" NOT NULL,
  method text COLLATE "C" NOT NULL,
  outcome text COLLATE "C" NOT NULL,
  calls bigint NOT NULL,
  credits bigint NOT NULL,
  bytes bigint NOT NULL,
  latency_ms double precision NOT NULL,
  PRIMARY KEY (account_id, at, key_id, network, method, outcome)
);
CREATE INDEX usage_minutes_by_time ON @usage_minutes (at);

CREATE TABLE @usage_hours (LIKE @usage_minutes INCLUDING ALL);
CREATE TABLE @usage_days (LIKE @usage_minutes INCLUDING ALL);

CREATE TABLE @usage_hour_sums (
  at bigint NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  network text COLLATE "C" NOT NULL,
  method text COLLATE "C" NOT NULL,
  outcome text COLLATE "C" NOT NULL,
  calls bigint NOT NULL,
  credits bigint NOT NULL,
  bytes bigint NOT NULL,
  latency_ms double precision NOT NULL,
  PRIMARY KEY (account_id, at, network, method, outcome)
);
CREATE INDEX usage_hour_sums_by_time ON @usage_hour_sums (at);

-- The last batch of usage that each process has written, so that none is added twice. `at`: of its newest minute.
CREATE TABLE @usage_batches (
  process text COLLATE "C" PRIMARY KEY,
  number bigint NOT NULL,
  at bigint NOT NULL
);
CREATE INDEX usage_batches_by_time ON @usage_batches (at);

CREATE TABLE @contract_minutes (
  at bigint NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  network text COLLATE "C" NOT NULL,
  contract text COLLATE "C" NOT NULL,
  calls bigint NOT NULL,
  PRIMARY KEY (account_id, at, network, contract)
);
CREATE INDEX contract_minutes_by_time ON @contract_minutes (at);
