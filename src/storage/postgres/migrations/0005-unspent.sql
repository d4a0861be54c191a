-- What a process has leased of a day and not spent, as it told with its last take, and when that was.
ALTER TABLE @ledger_processes ADD COLUMN unspent bigint NOT NULL DEFAULT 0;
ALTER TABLE @ledger_processes ADD COLUMN told_at bigint NOT NULL DEFAULT 0;

-- As take_credits, of a process that tells what it has left. The version before calls take_credits itself.
CREATE FUNCTION @take_telling(
  of_owner text, of_day bigint, asked_pool bigint, spare bigint, asked_want bigint, least_asked bigint,
  credits bigint, taker text, asked_number bigint, asked_rate bigint, moment_asked bigint, left_of_lease bigint,
  OUT its_day bigint, OUT its_credits bigint, OUT its_rest bigint, OUT its_wait_ms bigint, OUT is_shared boolean
) LANGUAGE plpgsql AS $$
BEGIN
  SELECT taken.taken_day, taken.granted, taken.rest, taken.wait_ms, taken.is_shared
  INTO its_day, its_credits, its_rest, its_wait_ms, is_shared
  FROM @take_credits(of_owner, of_day, asked_pool, spare, asked_want, least_asked, credits, taker, asked_number,
    asked_rate, moment_asked) AS taken;
  UPDATE @ledger_processes SET unspent = coalesce(left_of_lease + its_credits, 0), told_at = moment_asked
  WHERE owner = of_owner AND process = taker AND day = its_day AND number = asked_number;
END $$;

-- As it was, and less is unspent. With `keeps` the bucket has them not back.
CREATE FUNCTION @give_back(
  of_owner text, of_day bigint, giver text, its_series bigint, total bigint, keeps boolean, left_of_lease bigint
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  known @ledger_processes%ROWTYPE;
  before bigint := 0;
BEGIN
  PERFORM @lock(of_owner);
  SELECT * INTO known FROM @ledger_processes WHERE owner = of_owner AND process = giver AND day = of_day;
  IF known.series > its_series THEN RETURN; END IF;
  IF known.series = its_series THEN before := known.returned; END IF;
  IF total <= before THEN RETURN; END IF;
  INSERT INTO @ledger_processes AS mine (owner, process, day, series, returned)
  VALUES (of_owner, giver, of_day, its_series, total)
  ON CONFLICT (owner, process, day) DO UPDATE SET series = excluded.series, returned = excluded.returned,
    unspent = coalesce(left_of_lease, greatest(mine.unspent - (total - before), 0));
  -- A level must not run over its type.
  UPDATE @ledger SET used = used - least(used, total - before),
    level = CASE WHEN keeps THEN level
      ELSE least(level + 1000 * least(used, total - before)::numeric, 1000000000000000000) END
  WHERE owner = of_owner AND day = of_day AND level_at IS NOT NULL;
END $$;

-- For the version before.
CREATE OR REPLACE FUNCTION @give_back(of_owner text, of_day bigint, giver text, its_series bigint, total bigint)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM @give_back(of_owner, of_day, giver, its_series, total, false, NULL);
END $$;
