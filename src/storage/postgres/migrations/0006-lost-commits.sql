-- When commits were last found to be missing that a gateway had seen. One row, or none.
CREATE TABLE @lost_commits (
  one bigint PRIMARY KEY CHECK (one = 1),
  found_at bigint NOT NULL
);

-- As take_telling, of a process that knows the number of a take of that day which was answered. The version before
-- calls take_telling itself.
CREATE FUNCTION @take_knowing(
  of_owner text, of_day bigint, asked_pool bigint, spare bigint, asked_want bigint, least_asked bigint,
  credits bigint, taker text, asked_number bigint, asked_rate bigint, moment_asked bigint, left_of_lease bigint,
  known_number bigint,
  OUT its_day bigint, OUT its_credits bigint, OUT its_rest bigint, OUT its_wait_ms bigint, OUT is_shared boolean,
  OUT is_forgotten boolean
) LANGUAGE plpgsql AS $$
BEGIN
  is_forgotten := known_number IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM @ledger_processes
    WHERE owner = of_owner AND process = taker AND day = of_day AND number >= known_number
  );
  SELECT taken.its_day, taken.its_credits, taken.its_rest, taken.its_wait_ms, taken.is_shared
  INTO its_day, its_credits, its_rest, its_wait_ms, is_shared
  FROM @take_telling(of_owner, of_day, asked_pool, spare, asked_want, least_asked, credits, taker, asked_number,
    asked_rate, moment_asked, left_of_lease) AS taken;
END $$;
