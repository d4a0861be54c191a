import type { DatabaseSync } from "node:sqlite";
import {
  type DayBalance,
  DEAREST_CALL_CREDITS,
  type ForgottenDay,
  type Grant,
  type LedgerStore,
  SHARE_OF_REST,
  type TakeRequest,
  TOLD_MS,
} from "../ledger-store.ts";
import { type Blocking, returning, transaction, writeNothingNew } from "./database.ts";

/** The use of a shared balance by other days; it is read only then. */
function usedElsewhere({ owner, pool, day }: { owner: string; pool: string; day: string }): string {
  return `CASE WHEN ${pool} IS NULL THEN 0 ELSE (
    SELECT coalesce(sum(max(other.used - other.added, 0)), 0) FROM ledger other
    WHERE other.owner = ${owner} AND other.pool = ${pool} AND other.day <> ${day}) END`;
}

const USED_ELSEWHERE = usedElsewhere({
  owner: "ledger.owner",
  pool: "ledger.pool",
  day: "ledger.day",
});

/**
 * The debit: one statement, so that SQLite's write lock covers all of it. Numbers arrive as floating
 * point, hence the casts: every division below is of integers. What each step does:
 * - row: the day's own balance, the newest state of the sharing up to the day, and the moment: a
 *   request that waited for a lock (5 s at most) is late and does not turn the row's time back, a
 *   clock that was set does;
 * - opening: whether a day that is taken from for the first time may have one of the spare balances;
 * - pooled: less what other days used of the balance, where the day shares one;
 * - sharing: who takes beside whom; a holder that was not seen for 2 s is replaced;
 * - bucket: refilled, in thousandths of a credit; what a larger rate drew is not waited for;
 * - offer: what the balance, and the sharing, allow; grant: what the bucket holds of it, where shared.
 */
export const TAKE = `
WITH ask AS (
  SELECT CAST(:day AS INTEGER) AS day, CAST(:pool AS INTEGER) AS asked_pool,
    CAST(:spare AS INTEGER) AS spare,
    CAST(max(:want, :least) AS INTEGER) AS want, CAST(:least AS INTEGER) AS least,
    CAST(:limit AS INTEGER) AS credits, CAST(:perSecond AS INTEGER) AS rate,
    CAST(:now AS INTEGER) AS now
), opening AS (
  SELECT ask.*, CASE WHEN spare = 0 THEN NULL WHEN spare > (
    SELECT count(*) FROM ledger WHERE owner = :owner AND spare_of = ask.asked_pool
  ) THEN asked_pool END AS asked_spare
  FROM ask
), row AS (
  SELECT opening.*, iif(today.level_at IS NULL, iif(asked_spare IS NULL, asked_pool, NULL), today.pool) AS pool,
    iif(today.level_at IS NULL, asked_spare, today.spare_of) AS spare_of,
    credits + coalesce(today.added - today.used, 0) AS own_rest,
    last.holder, last.holder_at, last.other_at, last.level, last.level_at,
    iif(last.level_at BETWEEN now AND now + 6000, last.level_at, now) AS moment
  FROM opening
  LEFT JOIN ledger today ON today.owner = :owner AND today.day = opening.day
  LEFT JOIN ledger last ON last.owner = :owner AND last.day = (
    SELECT day FROM ledger WHERE owner = :owner AND day <= opening.day AND level_at IS NOT NULL
    ORDER BY day DESC LIMIT 1)
), pooled AS (
  SELECT *, own_rest - ${usedElsewhere({ owner: ":owner", pool: "row.pool", day: "row.day" })} AS rest
  FROM row
), joined AS (
  SELECT *, holder <> :process AND holder_at > moment - 2000 AND holder_at <= moment AS beside
  FROM pooled
), sharing AS (
  SELECT day, pool, spare_of, want, least, rate, moment, rest, level, level_at,
    iif(beside, holder, :process) AS holder,
    iif(beside, holder_at, moment) AS holder_at,
    iif(beside, moment, other_at) AS other_at,
    beside OR (other_at > moment - 2000 AND other_at <= moment) AS shared
  FROM joined
), bucket AS (
  SELECT day, pool, spare_of, want, least, rate, moment, rest, holder, holder_at, other_at, shared,
    min(rate * 1000, max(min(-rate, rate - ${DEAREST_CALL_CREDITS}) * 1000,
      coalesce(level + max(moment - level_at, 0) * rate, rate * 1000))) AS level
  FROM sharing
), offer AS (
  SELECT *, iif(rest < least, 0, min(want, max(least, rest / ${SHARE_OF_REST}),
    iif(shared, max(least, rate / 10), want))) AS offered
  FROM bucket
), grants AS (
  SELECT *, CASE WHEN NOT coalesce(shared, 0) THEN offered
    WHEN level < min(least, rate) * 1000 THEN 0
    ELSE min(offered, max(least, level / 1000)) END AS granted
  FROM offer
)
INSERT INTO ledger
  (owner, day, pool, spare_of, used, added, holder, holder_at, other_at, level, level_at, granted, wait_ms)
SELECT :owner, day, pool, spare_of, granted, 0, holder, holder_at, other_at,
  iif(shared, level - granted * 1000, max(level - granted * 1000, min(level, -rate * 1000))),
  moment, granted,
  iif(granted < offered, max((min(least, rate) * 1000 - level + rate - 1) / rate, 0), 0)
FROM grants WHERE true
ON CONFLICT (owner, day) DO UPDATE SET
  used = used + excluded.granted, pool = excluded.pool, spare_of = excluded.spare_of,
  holder = excluded.holder, holder_at = excluded.holder_at, other_at = excluded.other_at,
  level = excluded.level, level_at = excluded.level_at,
  granted = excluded.granted, wait_ms = excluded.wait_ms
RETURNING day, granted, wait_ms AS waitMs,
  max(CAST(:limit AS INTEGER) + added - used - ${USED_ELSEWHERE}, 0) AS left,
  coalesce(other_at > level_at - 2000 AND other_at <= level_at, 0) AS shared`;

type GrantRow = Omit<Grant, "shared"> & { readonly shared: number };
type TakenRow = Pick<Grant, "day" | "granted" | "waitMs"> & { readonly number: number };
type SeriesRow = { readonly series: number; readonly returned: number };

/** Without what a store is told that may be away. */
function forFile({ known: _, reserve: __, mayWait: ___, wanted: ____, ...rest }: TakeRequest) {
  return rest;
}

/** The debit, once for each number of a process. */
function taking(db: DatabaseSync): Blocking<LedgerStore>["take"] {
  const take = returning<GrantRow>(db, TAKE);
  const last = db.prepare(
    `SELECT number, day, granted, wait_ms AS waitMs FROM ledger_processes WHERE owner = ? AND process = ?
     ORDER BY number DESC LIMIT 1`,
  );
  const remember = db.prepare(
    `INSERT INTO ledger_processes (owner, process, day, number, granted, wait_ms, unspent, told_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET number = excluded.number, granted = excluded.granted,
       wait_ms = excluded.wait_ms, unspent = excluded.unspent, told_at = excluded.told_at`,
  );
  const state = db.prepare(
    `SELECT day, max(CAST(:limit AS INTEGER) + added - used - ${USED_ELSEWHERE}, 0) AS left,
       coalesce(other_at > level_at - 2000 AND other_at <= level_at, 0) AS shared
     FROM ledger WHERE owner = :owner AND day = :day`,
  );
  const repeated = (
    { owner, limit, day }: TakeRequest,
    { granted, waitMs }: Pick<Grant, "granted" | "waitMs">,
  ): GrantRow => {
    const row = state.get({ owner, limit, day }) as
      | Pick<GrantRow, "day" | "left" | "shared">
      | undefined;
    return { ...(row ?? { day, left: limit, shared: 0 }), granted, waitMs };
  };
  const grantOf = (request: TakeRequest): GrantRow => {
    const { owner, process, number, unspent, spare = 0, ...rest } = forFile(request);
    const taken = last.get(owner, process) as TakenRow | undefined;
    if (taken !== undefined && taken.number > number) {
      return repeated(request, { granted: 0, waitMs: 0 });
    }
    const row =
      taken?.number === number
        ? repeated({ ...request, day: taken.day }, taken)
        : one(take({ owner, process, spare, ...rest }));
    const { day, granted, waitMs } = row;
    const open = unspent === undefined ? 0 : unspent + granted;
    remember.run(owner, process, day, number, granted, waitMs, open, request.now);
    return row;
  };
  return (request) => {
    const row = transaction(db, () => grantOf(request));
    return { ...row, shared: row.shared === 1 };
  };
}

/** What a total has more than before goes back, once. */
function givingBack(db: DatabaseSync): Blocking<LedgerStore>["giveBack"] {
  const find = db.prepare(
    "SELECT series, returned FROM ledger_processes WHERE owner = ? AND process = ? AND day = ?",
  );
  const remember = db.prepare(
    `INSERT INTO ledger_processes (owner, process, day, series, returned)
     VALUES (:owner, :process, :day, :series, :total)
     ON CONFLICT DO UPDATE SET series = excluded.series, returned = excluded.returned,
       unspent = coalesce(:unspent, max(unspent - :credits, 0))`,
  );
  const giveBack = db.prepare(
    `UPDATE ledger SET used = used - min(used, :credits),
       level = level + :level * min(used, :credits) WHERE owner = :owner AND day = :day`,
  );
  return (given) =>
    transaction(db, () => {
      const { owner, day, process, series, total, keepsThroughput, unspent = null } = given;
      const known = find.get(owner, process, day) as SeriesRow | undefined;
      const before = known === undefined || series > known.series ? 0 : known.returned;
      if (series < (known?.series ?? 0) || total <= before) return;
      const credits = total - before;
      remember.run({ owner, process, day, series, total, credits, unspent });
      giveBack.run({ owner, day, credits, level: keepsThroughput === true ? 0 : 1000 });
    });
}

export function ledgerStatements(db: DatabaseSync): Blocking<LedgerStore> {
  const add = returning<DayBalance>(
    db,
    `INSERT INTO ledger (owner, day, used, added) VALUES (:owner, :day, 0, :credits)
     ON CONFLICT (owner, day) DO UPDATE SET added = added + excluded.added
     RETURNING used + ${USED_ELSEWHERE} AS used, added`,
  );
  const read = db.prepare(
    `SELECT max(used + ${USED_ELSEWHERE} - coalesce((
       SELECT sum(unspent) FROM ledger_processes told
       WHERE told.owner = ledger.owner AND told.day = ledger.day AND told_at > :toldAfter
     ), 0), 0) AS used, added FROM ledger WHERE owner = :owner AND day = :day`,
  );
  const forget = returning<ForgottenDay>(
    db,
    "DELETE FROM ledger WHERE owner = :owner AND day > :day RETURNING owner, day, used",
  );
  const separate = db.prepare(
    "UPDATE ledger SET pool = NULL WHERE owner = :owner AND pool IS NOT NULL",
  );
  return {
    take: taking(db),
    giveBack: givingBack(db),
    add: (owner, day, credits) => one(add({ owner, day, credits })),
    read: (owner, day, now = Number.POSITIVE_INFINITY) => {
      // Beyond any time that fits: nothing was told since.
      const toldAfter = Math.min(now - TOLD_MS, Number.MAX_SAFE_INTEGER);
      return (
        (read.get({ owner, day, toldAfter }) as DayBalance | undefined) ?? { used: 0, added: 0 }
      );
    },
    repair: (owners, day) => {
      const forgotten: ForgottenDay[] = [];
      transaction(db, () => {
        for (const owner of owners) {
          forgotten.push(...forget({ owner, day }));
          separate.run({ owner });
        }
      });
      return forgotten.sort((a, b) => a.day - b.day);
    },
    check: () => writeNothingNew(db),
  };
}

/** An upsert writes, and so returns, one row. */
function one<Row>([row]: readonly Row[]): Row {
  if (row === undefined) throw new Error("an upsert returned no row");
  return row;
}
