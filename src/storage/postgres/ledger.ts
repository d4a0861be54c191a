import type { SystemTimers } from "../../lib/clock.ts";
import {
  type DayBalance,
  type ForgottenDay,
  type GivenBack,
  type Grant,
  type LedgerStore,
  type TakeRequest,
  TOLD_MS,
} from "../ledger-store.ts";
import type { PostgresDatabase } from "./database.ts";
import { Gathering } from "./gathering.ts";

/** By owner: two statements that hold rows of the same owners never wait for each other. */
const TAKE = `
  SELECT its_day AS day, its_credits AS granted, its_rest AS "left", its_wait_ms AS "waitMs", is_shared AS shared,
    is_forgotten, its_reserve AS reserved, its_share AS share
  FROM (
    SELECT * FROM unnest(:owners::text[], :days::bigint[], :pools::bigint[], :spares::bigint[],
      :wants::bigint[], :leasts::bigint[], :limits::bigint[], :processes::text[], :numbers::bigint[],
      :rates::bigint[], :moments::bigint[], :unspents::bigint[], :knowns::bigint[], :reserves::bigint[],
      :wanted::bigint[]) WITH ORDINALITY AS one
      (owner, day, pool, spare, want, least, credits, process, number, rate, moment, unspent, known, reserve, wanted, place)
    ORDER BY owner COLLATE "C", place
  ) AS ask, LATERAL @take(ask.owner, ask.day, ask.pool, ask.spare, ask.want, ask.least, ask.credits,
    ask.process, ask.number, ask.rate, ask.moment, ask.unspent, ask.known, ask.reserve, ask.wanted) AS taken
  ORDER BY place`;

const GIVE_BACK = `
  SELECT place, @give_back(owner, day, process, series, total, keeps, unspent)
  FROM (
    SELECT * FROM unnest(:owners::text[], :days::bigint[], :processes::text[], :series::bigint[],
      :totals::bigint[], :keeps::boolean[], :unspents::bigint[])
      WITH ORDINALITY AS one (owner, day, process, series, total, keeps, unspent, place)
    ORDER BY owner COLLATE "C", place
  ) AS given`;

const balance = (table: string) =>
  `${table}.used + @used_elsewhere(${table}.owner, ${table}.pool, ${table}.day) AS used, ${table}.added`;

const READ = `
  SELECT greatest(sums.used - coalesce((
    SELECT sum(unspent) FROM @ledger_processes told
    WHERE told.owner = :owner AND told.day = :day AND told.told_at > @moment(:moment) - :toldMs
  ), 0), 0)::bigint AS used, sums.added
  FROM (SELECT ${balance("mine")} FROM @ledger mine WHERE owner = :owner AND day = :day) AS sums`;

export function ledgerStore(
  db: PostgresDatabase,
  timers: Pick<SystemTimers, "after">,
): LedgerStore {
  const takes = new Gathering((asks: readonly TakeRequest[]) => take(db, asks), timers);
  const returns = new Gathering((all: readonly GivenBack[]) => giveBack(db, all), timers);
  return {
    take: (request) => (request.mayWait === true ? takes.askSoon(request) : takes.ask(request)),
    giveBack: async (given) => {
      await returns.askSoon(given);
    },
    add: async (owner, day, credits) => {
      const [row] = await db.write<DayBalance>(
        `INSERT INTO @ledger AS mine (owner, day, used, added) VALUES (:owner, :day, 0, :credits)
         ON CONFLICT (owner, day) DO UPDATE SET added = mine.added + excluded.added
         RETURNING ${balance("mine")}`,
        { owner, day, credits },
      );
      return row ?? { used: 0, added: credits };
    },
    read: async (owner, day, now) => {
      // Without the time nothing was told since.
      const toldMs = now === undefined ? Number.MIN_SAFE_INTEGER : TOLD_MS;
      const [row] = await db.read<DayBalance>(READ, { owner, day, moment: now ?? 0, toldMs });
      return row ?? { used: 0, added: 0 };
    },
    repair: (owners, day) =>
      db.transaction(async (tx) => {
        await tx.read("SELECT @lock(owner) FROM unnest(:owners::text[]) AS owner ORDER BY owner", {
          owners,
        });
        const forgotten = await tx.write<ForgottenDay>(
          "DELETE FROM @ledger WHERE owner = ANY (:owners) AND day > :day RETURNING owner, day, used",
          { owners, day },
        );
        await tx.change(
          "UPDATE @ledger SET pool = NULL WHERE owner = ANY (:owners) AND pool IS NOT NULL",
          { owners },
        );
        return [...forgotten].sort((a, b) => a.day - b.day);
      }),
    // A row of its own: a full disk or a standby, which cannot be written, is found out.
    check: async () => {
      await db.change("UPDATE @change_counter SET seq = seq WHERE one = 1");
    },
  };
}

type GrantRow = Omit<Grant, "isForgotten"> & {
  readonly is_forgotten: boolean;
  readonly reserved: number;
  readonly share: number;
};

async function take(db: PostgresDatabase, asks: readonly TakeRequest[]): Promise<readonly Grant[]> {
  const rows = await db.write<GrantRow>(TAKE, {
    owners: asks.map(({ owner }) => owner),
    days: asks.map(({ day }) => day),
    pools: asks.map(({ pool }) => pool),
    spares: asks.map(({ spare = 0 }) => spare),
    wants: asks.map(({ want }) => want),
    leasts: asks.map(({ least }) => least),
    limits: asks.map(({ limit }) => limit),
    processes: asks.map(({ process }) => process),
    numbers: asks.map(({ number }) => number),
    rates: asks.map(({ perSecond }) => perSecond),
    moments: asks.map(({ now }) => now),
    unspents: asks.map(({ unspent }) => unspent ?? null),
    knowns: asks.map(({ known }) => known ?? null),
    reserves: asks.map(({ reserve }) => reserve ?? null),
    wanted: asks.map(({ wanted }) => wanted ?? null),
  });
  return rows.map(({ is_forgotten: isForgotten, reserved, share, ...grant }) => ({
    ...grant,
    ...(reserved > 0 && { reserved }),
    ...(share > 0 && { share }),
    ...(isForgotten && { isForgotten }),
  }));
}

function giveBack(db: PostgresDatabase, all: readonly GivenBack[]): Promise<readonly unknown[]> {
  return db.write(GIVE_BACK, {
    owners: all.map(({ owner }) => owner),
    days: all.map(({ day }) => day),
    processes: all.map(({ process }) => process),
    series: all.map(({ series }) => series),
    totals: all.map(({ total }) => total),
    keeps: all.map(({ keepsThroughput = false }) => String(keepsThroughput)),
    unspents: all.map(({ unspent }) => unspent ?? null),
  });
}
