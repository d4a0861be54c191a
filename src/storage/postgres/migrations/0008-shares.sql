-- Credits a second that a process was asked for when it took last, its share of the owner's credits per second, and
-- until when both hold.
ALTER TABLE @ledger_processes ADD COLUMN wanted bigint NOT NULL DEFAULT 0;
ALTER TABLE @ledger_processes ADD COLUMN share bigint NOT NULL DEFAULT 0;
ALTER TABLE @ledger_processes ADD COLUMN share_until bigint NOT NULL DEFAULT 0;

-- Unix milliseconds by the database's clock, which is one for all gateways. Tests put the caller's in its place.
CREATE FUNCTION @moment(asked bigint) RETURNS bigint LANGUAGE sql VOLATILE AS
  'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint';

-- All that a take does: the debit, as SQLite's adapter has it in one statement (src/storage/sqlite/ledger.ts says what
-- each step does), what is reserved beside it, the process's share, and what the process tells. `credits` is the day's
-- limit, `rate` the credits per second. src/storage/memory/shares.ts has the rule of the shares, too.
CREATE FUNCTION @take(
  of_owner text, of_day bigint, asked_pool bigint, spare bigint, asked_want bigint, least_asked bigint,
  credits bigint, taker text, asked_number bigint, asked_rate bigint, moment_asked bigint, left_of_lease bigint,
  known_number bigint, wanted_reserve bigint, wanted_rate bigint,
  OUT its_day bigint, OUT its_credits bigint, OUT its_rest bigint, OUT its_wait_ms bigint, OUT is_shared boolean,
  OUT is_forgotten boolean, OUT its_reserve bigint, OUT its_share bigint
) LANGUAGE plpgsql AS $$
DECLARE
  today @ledger%ROWTYPE;
  last @ledger%ROWTYPE;
  taken @ledger_processes%ROWTYPE;
  want bigint := greatest(asked_want, least_asked);
  -- More makes no difference, and times a thousand it must fit.
  per_second bigint := least(asked_rate, 1000000000000);
  most_shared bigint := per_second * 9 / 10;
  others record;
  rate bigint;
  now_ms bigint;
  moment bigint;
  beside boolean;
  bucket bigint;
  offered bigint;
BEGIN
  PERFORM @lock(of_owner);
  now_ms := @moment(moment_asked);
  moment := now_ms;
  its_day := of_day;
  its_credits := 0;
  its_wait_ms := 0;
  its_reserve := 0;
  its_share := 0;
  is_forgotten := known_number IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM @ledger_processes
    WHERE owner = of_owner AND process = taker AND day = of_day AND number >= known_number
  );
  SELECT * INTO taken FROM @ledger_processes WHERE owner = of_owner AND process = taker
    ORDER BY number DESC LIMIT 1;
  SELECT coalesce(sum(share), 0) AS given, coalesce(sum(wanted), 0) AS wanted, count(*) AS count INTO others
  FROM @ledger_processes WHERE owner = of_owner AND share_until > now_ms AND process <> taker;

  IF taken.number >= asked_number THEN
    IF taken.number = asked_number THEN
      its_day := taken.day;
      its_credits := taken.granted;
      its_wait_ms := taken.wait_ms;
      IF taken.reserved_by = asked_number THEN its_reserve := taken.reserved; END IF;
    END IF;
    SELECT * INTO today FROM @ledger WHERE owner = of_owner AND day = its_day;
    its_rest := greatest(credits + coalesce(today.added - today.used, 0)
      - @used_elsewhere(of_owner, today.pool, its_day), 0);
    is_shared := coalesce(today.other_at > today.level_at - 2000 AND today.other_at <= today.level_at, false);
    bucket := today.level;
    IF taken.number > asked_number THEN RETURN; END IF;
  ELSE
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
    its_rest := credits + coalesce(today.added - today.used, 0) - @used_elsewhere(of_owner, today.pool, of_day);
    IF last.level_at BETWEEN moment AND moment + 6000 THEN moment := last.level_at; END IF;

    beside := coalesce(last.holder <> taker AND last.holder_at > moment - 2000 AND last.holder_at <= moment, false);
    is_shared := beside OR coalesce(last.other_at > moment - 2000 AND last.other_at <= moment, false);
    IF beside THEN
      last.other_at := moment;
    ELSE
      last.holder := taker;
      last.holder_at := moment;
    END IF;
    rate := CASE WHEN is_shared THEN per_second - others.given
      - CASE WHEN taken.share_until > now_ms THEN taken.share ELSE 0 END ELSE per_second END;

    -- A bucket that was not drawn from for a month is full.
    bucket := least(rate * 1000, greatest(least(-per_second, per_second - 1000) * 1000, coalesce(
      last.level + least(greatest(moment - last.level_at, 0), 2592000) * rate, rate * 1000)));
    offered := CASE
      WHEN its_rest < least_asked THEN 0
      WHEN is_shared THEN least(want, greatest(least_asked, its_rest / 16), greatest(least_asked, per_second / 10))
      ELSE least(want, greatest(least_asked, its_rest / 16)) END;
    its_credits := CASE
      WHEN NOT is_shared THEN offered
      WHEN bucket < least(least_asked, rate) * 1000 THEN 0
      ELSE least(offered, greatest(least_asked, bucket / 1000)) END;
    its_wait_ms := CASE WHEN its_credits < offered
      THEN greatest((least(least_asked, rate) * 1000 - bucket + rate - 1) / greatest(rate, 1), 0) ELSE 0 END;
    bucket := CASE WHEN is_shared THEN bucket - its_credits * 1000
      ELSE greatest(bucket - its_credits * 1000, least(bucket, -per_second * 1000)) END;
    its_rest := greatest(its_rest - its_credits, 0);
    its_reserve := least(coalesce(wanted_reserve, 0), its_rest / 16);
    its_rest := its_rest - its_reserve;

    INSERT INTO @ledger AS mine
      (owner, day, used, added, pool, spare_of, holder, holder_at, other_at, level, level_at)
    VALUES (of_owner, of_day, its_credits + its_reserve, 0, today.pool, today.spare_of,
      last.holder, last.holder_at, last.other_at, bucket, moment)
    ON CONFLICT (owner, day) DO UPDATE SET
      used = mine.used + excluded.used, pool = excluded.pool, spare_of = excluded.spare_of,
      holder = excluded.holder, holder_at = excluded.holder_at, other_at = excluded.other_at,
      level = excluded.level, level_at = excluded.level_at;
  END IF;

  IF wanted_rate IS NOT NULL AND is_shared AND bucket >= 0 AND (others.count + 1) * 2000 <= most_shared THEN
    its_share := least(most_shared - others.given, greatest(2000, least(
      2 * wanted_rate, floor(most_shared::numeric * wanted_rate / greatest(others.wanted + wanted_rate, 1)))));
    IF its_share < 2000 THEN its_share := 0; END IF;
  END IF;
  INSERT INTO @ledger_processes
    (owner, process, day, number, granted, wait_ms, reserved, reserved_by, unspent, told_at, wanted, share, share_until)
  VALUES (of_owner, taker, its_day, asked_number, its_credits, its_wait_ms, its_reserve, asked_number,
    coalesce(left_of_lease + its_credits + its_reserve, 0), now_ms, coalesce(wanted_rate, 0), its_share,
    CASE WHEN wanted_rate IS NULL THEN 0 ELSE now_ms + 2000 END)
  ON CONFLICT (owner, process, day) DO UPDATE SET
    number = excluded.number, granted = excluded.granted, wait_ms = excluded.wait_ms,
    reserved = excluded.reserved, reserved_by = excluded.reserved_by, unspent = excluded.unspent,
    told_at = excluded.told_at, wanted = excluded.wanted, share = excluded.share, share_until = excluded.share_until;
END $$;

-- For the versions before, whose other functions come to this one.
CREATE OR REPLACE FUNCTION @take_credits(
  of_owner text, of_day bigint, asked_pool bigint, spare bigint, asked_want bigint, least_asked bigint,
  credits bigint, taker text, asked_number bigint, asked_rate bigint, moment_asked bigint,
  OUT taken_day bigint, OUT granted bigint, OUT rest bigint, OUT wait_ms bigint, OUT is_shared boolean
) LANGUAGE plpgsql AS $$
BEGIN
  SELECT taken.its_day, taken.its_credits, taken.its_rest, taken.its_wait_ms, taken.is_shared
  INTO taken_day, granted, rest, wait_ms, is_shared
  FROM @take(of_owner, of_day, asked_pool, spare, asked_want, least_asked, credits, taker, asked_number, asked_rate,
    moment_asked, NULL, NULL, NULL, NULL) AS taken;
END $$;
