-- What a process was granted beside a take, and the number of that take.
ALTER TABLE @ledger_processes ADD COLUMN reserved bigint NOT NULL DEFAULT 0;
ALTER TABLE @ledger_processes ADD COLUMN reserved_by bigint NOT NULL DEFAULT 0;

-- As take_knowing, of a process that keeps credits for when the database is away. The throughput does not count them.
-- The version before calls take_knowing itself.
CREATE FUNCTION @take_reserving(
  of_owner text, of_day bigint, asked_pool bigint, spare bigint, asked_want bigint, least_asked bigint,
  credits bigint, taker text, asked_number bigint, asked_rate bigint, moment_asked bigint, left_of_lease bigint,
  known_number bigint, wanted_reserve bigint,
  OUT its_day bigint, OUT its_credits bigint, OUT its_rest bigint, OUT its_wait_ms bigint, OUT is_shared boolean,
  OUT is_forgotten boolean, OUT its_reserve bigint
) LANGUAGE plpgsql AS $$
DECLARE
  mine @ledger_processes%ROWTYPE;
BEGIN
  SELECT taken.its_day, taken.its_credits, taken.its_rest, taken.its_wait_ms, taken.is_shared, taken.is_forgotten
  INTO its_day, its_credits, its_rest, its_wait_ms, is_shared, is_forgotten
  FROM @take_knowing(of_owner, of_day, asked_pool, spare, asked_want, least_asked, credits, taker, asked_number,
    asked_rate, moment_asked, left_of_lease, known_number) AS taken;
  its_reserve := 0;
  IF coalesce(wanted_reserve, 0) = 0 THEN RETURN; END IF;
  -- The owner is locked from here on, by the take.
  SELECT * INTO mine FROM @ledger_processes WHERE owner = of_owner AND process = taker AND day = its_day;
  IF mine.number <> asked_number THEN RETURN; END IF;
  IF mine.reserved_by = asked_number THEN
    its_reserve := mine.reserved;
  ELSE
    its_reserve := least(wanted_reserve, its_rest / 16);
    its_rest := its_rest - its_reserve;
    UPDATE @ledger SET used = used + its_reserve WHERE owner = of_owner AND day = its_day;
  END IF;
  UPDATE @ledger_processes SET reserved = its_reserve, reserved_by = asked_number, unspent = unspent + its_reserve
  WHERE owner = of_owner AND process = taker AND day = its_day;
END $$;
