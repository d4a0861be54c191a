-- Who changes an owner's days, or a network's calls to partners, holds its row here until the commit. What it
-- reads after that is read by statements of their own, which see what others committed before.
CREATE TABLE @locks (name text COLLATE "C" PRIMARY KEY);

CREATE FUNCTION @lock(what text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM @locks WHERE name = what FOR UPDATE;
  IF FOUND THEN RETURN; END IF;
  INSERT INTO @locks VALUES (what) ON CONFLICT DO NOTHING;
  PERFORM 1 FROM @locks WHERE name = what FOR UPDATE;
END $$;

-- Without references to accounts and keys: what was spent stays for the books when they are gone.
CREATE TABLE @ledger (
  owner text COLLATE "C" NOT NULL,
  -- Days since 1970-01-01, UTC.
  day bigint NOT NULL,
  used bigint NOT NULL,
  added bigint NOT NULL,
  -- Days of an owner with the same number here share one balance. Null: the day has one of its own.
  pool bigint,
  -- The number of the shared balance that a day has its own in place of. Null: it never was to share one.
  spare_of bigint,
  -- The sharing of the throughput; the owner's newest row has its state. One process that takes, and when it
  -- did last; when another one did.
  holder text,
  holder_at bigint,
  other_at bigint,
  -- Thousandths of a credit, as of the last take. Null where nothing was taken yet.
  level bigint,
  level_at bigint,
  PRIMARY KEY (owner, day)
);
CREATE INDEX ledger_spares ON @ledger (owner, spare_of) WHERE spare_of IS NOT NULL;
CREATE INDEX ledger_pools ON @ledger (owner, pool) WHERE pool IS NOT NULL;

-- What each process took and gave back, so that neither is carried out twice: of a day its last take, and the
-- series in which credits go back. Rows are of use for as long as a process may ask again.
CREATE TABLE @ledger_processes (
  owner text COLLATE "C" NOT NULL,
  process text COLLATE "C" NOT NULL,
  day bigint NOT NULL,
  number bigint NOT NULL DEFAULT 0,
  granted bigint NOT NULL DEFAULT 0,
  wait_ms bigint NOT NULL DEFAULT 0,
  series bigint NOT NULL DEFAULT 0,
  returned bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (owner, process, day)
);
CREATE INDEX ledger_processes_by_day ON @ledger_processes (day);

-- What other days used of the balance that this one shares with them.
CREATE FUNCTION @used_elsewhere(of_owner text, of_pool bigint, of_day bigint) RETURNS bigint
LANGUAGE plpgsql STABLE AS $$
BEGIN
  IF of_pool IS NULL THEN RETURN 0; END IF;
  RETURN (SELECT coalesce(sum(greatest(used - added, 0)), 0) FROM @ledger
    WHERE owner = of_owner AND pool = of_pool AND day <> of_day);
END $$;

-- The debit, as SQLite's adapter has it in one statement: src/storage/sqlite/ledger.ts says what each step
-- does. `credits` is the day's limit, `rate` the credits per second, `moment_asked` Unix milliseconds.
CREATE FUNCTION @take_credits(
  of_owner text, of_day bigint, asked_pool bigint, spare bigint, asked_want bigint, least_asked bigint,
  credits bigint, taker text, asked_number bigint, asked_rate bigint, moment_asked bigint,
  OUT taken_day bigint, OUT granted bigint, OUT rest bigint, OUT wait_ms bigint, OUT is_shared boolean
) LANGUAGE plpgsql AS $$
DECLARE
  today @ledger%ROWTYPE;
  last @ledger%ROWTYPE;
  taken @ledger_processes%ROWTYPE;
  want bigint := greatest(asked_want, least_asked);
  -- More makes no difference, and times a thousand it must fit.
  rate bigint := least(asked_rate, 1000000000000);
  moment bigint := moment_asked;
  beside boolean;
  bucket bigint;
  offered bigint;
BEGIN
  PERFORM @lock(of_owner);
  SELECT * INTO taken FROM @ledger_processes WHERE owner = of_owner AND process = taker
    ORDER BY number DESC LIMIT 1;
  IF taken.number >= asked_number THEN
    taken_day := of_day;
    granted := 0;
    wait_ms := 0;
    IF taken.number = asked_number THEN
      taken_day := taken.day;
      granted := taken.granted;
      wait_ms := taken.wait_ms;
    END IF;
    SELECT * INTO today FROM @ledger WHERE owner = of_owner AND day = taken_day;
    rest := greatest(credits + coalesce(today.added - today.used, 0)
      - @used_elsewhere(of_owner, today.pool, taken_day), 0);
    is_shared := coalesce(today.other_at > today.level_at - 2000 AND today.other_at <= today.level_at, false);
    RETURN;
  END IF;
  taken_day := of_day;
  SELECT * INTO today FROM @ledger WHERE owner = of_owner AND day = of_day;
  last := today;
  IF today.level_at IS NULL THEN
    IF spare > 0 AND spare > (
      SELECT count(*) FROM @ledger WHERE owner = of_owner AND spare_of = asked_pool
    ) THEN
      today.spare_of := asked_pool;
    ELSE
      today.pool := asked_pool;
    END IF;
    SELECT * INTO last FROM @ledger WHERE owner = of_owner AND day <= of_day AND level_at IS NOT NULL
      ORDER BY day DESC LIMIT 1;
  END IF;
  rest := credits + coalesce(today.added - today.used, 0) - @used_elsewhere(of_owner, today.pool, of_day);
  IF last.level_at BETWEEN moment AND moment + 6000 THEN moment := last.level_at; END IF;

  beside := coalesce(last.holder <> taker AND last.holder_at > moment - 2000 AND last.holder_at <= moment, false);
  is_shared := beside OR coalesce(last.other_at > moment - 2000 AND last.other_at <= moment, false);
  IF beside THEN
    last.other_at := moment;
  ELSE
    last.holder := taker;
    last.holder_at := moment;
  END IF;

  -- A bucket that was not drawn from for a month is full.
  bucket := least(rate * 1000, greatest(least(-rate, rate - 1000) * 1000, coalesce(
    last.level + least(greatest(moment - last.level_at, 0), 2592000) * rate, rate * 1000)));
  offered := CASE
    WHEN rest < least_asked THEN 0
    WHEN is_shared THEN least(want, greatest(least_asked, rest / 16), greatest(least_asked, rate / 10))
    ELSE least(want, greatest(least_asked, rest / 16)) END;
  granted := CASE
    WHEN NOT is_shared THEN offered
    WHEN bucket < least(least_asked, rate) * 1000 THEN 0
    ELSE least(offered, greatest(least_asked, bucket / 1000)) END;
  wait_ms := CASE WHEN granted < offered
    THEN greatest((least(least_asked, rate) * 1000 - bucket + rate - 1) / greatest(rate, 1), 0) ELSE 0 END;

  INSERT INTO @ledger AS mine
    (owner, day, used, added, pool, spare_of, holder, holder_at, other_at, level, level_at)
  VALUES (of_owner, of_day, granted, 0, today.pool, today.spare_of, last.holder, last.holder_at, last.other_at,
    CASE WHEN is_shared THEN bucket - granted * 1000
      ELSE greatest(bucket - granted * 1000, least(bucket, -rate * 1000)) END,
    moment)
  ON CONFLICT (owner, day) DO UPDATE SET
    used = mine.used + excluded.used, pool = excluded.pool, spare_of = excluded.spare_of,
    holder = excluded.holder, holder_at = excluded.holder_at, other_at = excluded.other_at,
    level = excluded.level, level_at = excluded.level_at;
  rest := greatest(rest - granted, 0);
  INSERT INTO @ledger_processes (owner, process, day, number, granted, wait_ms)
  VALUES (of_owner, taker, of_day, asked_number, granted, wait_ms)
  ON CONFLICT (owner, process, day) DO UPDATE SET
    number = excluded.number, granted = excluded.granted, wait_ms = excluded.wait_ms;
END $$;

-- What a total has more than before goes back, once.
CREATE FUNCTION @give_back(of_owner text, of_day bigint, giver text, its_series bigint, total bigint)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  known @ledger_processes%ROWTYPE;
  before bigint := 0;
BEGIN
  PERFORM @lock(of_owner);
  SELECT * INTO known FROM @ledger_processes WHERE owner = of_owner AND process = giver AND day = of_day;
  IF known.series > its_series THEN RETURN; END IF;
  IF known.series = its_series THEN before := known.returned; END IF;
  IF total <= before THEN RETURN; END IF;
  INSERT INTO @ledger_processes (owner, process, day, series, returned)
  VALUES (of_owner, giver, of_day, its_series, total)
  ON CONFLICT (owner, process, day) DO UPDATE SET series = excluded.series, returned = excluded.returned;
  -- A level must not run over its type.
  UPDATE @ledger SET used = used - least(used, total - before),
    level = least(level + 1000 * least(used, total - before)::numeric, 1000000000000000000)
  WHERE owner = of_owner AND day = of_day AND level_at IS NOT NULL;
END $$;

-- How many of these calls to partners may be made; they are counted. Null: no cap.
CREATE FUNCTION @take_partner_calls(
  of_network text, of_day bigint, first_day bigint, next_month bigint, asked bigint, day_cap bigint, month_cap bigint
) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  in_day bigint;
  in_month bigint;
  allowed bigint;
BEGIN
  PERFORM @lock('network ' || of_network);
  SELECT coalesce(sum(calls) FILTER (WHERE day = of_day), 0), coalesce(sum(calls), 0) INTO in_day, in_month
  FROM @partner_calls WHERE network = of_network AND day >= first_day AND day < next_month;
  allowed := greatest(least(asked, day_cap - in_day, month_cap - in_month), 0);
  IF allowed > 0 THEN
    INSERT INTO @partner_calls AS mine VALUES (of_network, of_day, allowed)
    ON CONFLICT (network, day) DO UPDATE SET calls = mine.calls + excluded.calls;
  END IF;
  RETURN allowed;
END $$;
