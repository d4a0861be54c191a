import type { PartnerCalls, PartnerStore } from "../store.ts";
import { utcMonth } from "../utc-month.ts";
import type { PostgresDatabase } from "./database.ts";

const TAKE =
  "SELECT @take_partner_calls(:network, :day, :first, :next, :calls, :dayCap, :monthCap) AS allowed";

const COUNTS = `
  SELECT coalesce(sum(calls) FILTER (WHERE day = :day), 0) AS day, coalesce(sum(calls), 0) AS month
  FROM @partner_calls WHERE network = :network AND day >= :first AND day < :next`;

export function partnerStore(db: PostgresDatabase): PartnerStore {
  return {
    take: async ({ network, now, calls, caps }) => {
      const limits = { dayCap: caps.day ?? null, monthCap: caps.month ?? null };
      const [row] = await db.write<{ readonly allowed: number }>(TAKE, {
        ...{ network, calls },
        ...limits,
        ...utcMonth(now),
      });
      return row?.allowed ?? 0;
    },
    read: async (network, now) => {
      const [row] = await db.read<PartnerCalls>(COUNTS, { network, ...utcMonth(now) });
      return row ?? { day: 0, month: 0 };
    },
  };
}
