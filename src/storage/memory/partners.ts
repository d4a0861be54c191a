import type { Day } from "../ledger-store.ts";
import type { PartnerCalls, PartnerStore } from "../store.ts";
import { type UtcMonth, utcMonth } from "../utc-month.ts";

/** Partner calls in memory; every method is carried out at once, so taking is one step. */
export function memoryPartners(check: () => void): PartnerStore {
  const networks = new Map<string, Map<Day, number>>();
  const counts = (network: string, { day, first, next }: UtcMonth): PartnerCalls => {
    let month = 0;
    const days = networks.get(network) ?? new Map<Day, number>();
    for (const [each, calls] of days) if (each >= first && each < next) month += calls;
    return { day: days.get(day) ?? 0, month };
  };
  return {
    take: async ({ network, now, calls, caps }) => {
      check();
      const today = utcMonth(now);
      const taken = counts(network, today);
      const left = Math.min(
        (caps.day ?? Number.POSITIVE_INFINITY) - taken.day,
        (caps.month ?? Number.POSITIVE_INFINITY) - taken.month,
      );
      const allowed = Math.max(0, Math.min(calls, left));
      const days = networks.get(network) ?? new Map<Day, number>();
      networks.set(network, days.set(today.day, taken.day + allowed));
      return allowed;
    },
    read: async (network, now) => {
      check();
      return counts(network, utcMonth(now));
    },
  };
}
