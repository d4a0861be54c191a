import { dayOf } from "../../lib/day.ts";
import type { Alert, AlertDelivery, AlertSettings, AlertStore } from "../console-stores.ts";
import { pageOf, readNumberCursor } from "../cursor.ts";
import { StorageError } from "../store.ts";
import type { Accounts } from "./accounts.ts";

type Numbered = { readonly seq: number; readonly delivery: AlertDelivery };

/** Alerts in memory; `forget` drops those of an account, `prune` what is older than a time. */
export function memoryAlerts({ check, has }: Accounts): {
  readonly store: AlertStore;
  readonly forget: (accountId: string) => void;
  readonly prune: (before: number) => void;
} {
  const settings = new Map<string, AlertSettings>();
  const queue = new Deliveries();
  let claimed: readonly Alert[] = [];
  const store: AlertStore = {
    read: async (accountId) => {
      check();
      return settings.get(accountId);
    },
    write: async (each) => {
      check();
      if (!has(each.accountId)) throw new StorageError("no such account");
      settings.set(each.accountId, each);
    },
    list: async () => {
      check();
      return [...settings.values()].sort((a, b) => (a.accountId < b.accountId ? -1 : 1));
    },
    claim: async (alert, deliveries) => {
      check();
      if (!has(alert.accountId) || claimed.some((each) => isSame(each, alert))) return false;
      claimed = [...claimed, alert];
      queue.add(deliveries);
      return true;
    },
    due: async (request) => {
      check();
      return queue.take(request);
    },
    settle: async (id, result) => {
      check();
      queue.change(id, result);
    },
    page: async (accountId, { before, limit }) => {
      check();
      const { page, next } = pageOf(
        queue.before(accountId, readNumberCursor(before) ?? 0),
        limit,
        ({ seq }) => `${seq}`,
      );
      return { deliveries: page.map(({ delivery }) => delivery), next };
    },
  };
  return {
    store,
    forget: (accountId) => {
      settings.delete(accountId);
      queue.keep((delivery) => delivery.accountId !== accountId);
      claimed = claimed.filter((alert) => alert.accountId !== accountId);
    },
    prune: (before) => {
      queue.keep(({ at }) => at >= before);
      claimed = claimed.filter(({ day }) => day >= dayOf(before));
    },
  };
}

const isSame = (a: Alert, b: Alert): boolean =>
  a.accountId === b.accountId && a.day === b.day && a.threshold === b.threshold;

class Deliveries {
  #lastSeq = 0;
  #all: readonly Numbered[] = [];

  add(deliveries: readonly AlertDelivery[]): void {
    for (const delivery of deliveries) {
      this.#lastSeq += 1;
      this.#all = [...this.#all, { seq: this.#lastSeq, delivery }];
    }
  }

  take({ now, limit, holdMs }: Parameters<AlertStore["due"]>[0]): readonly AlertDelivery[] {
    const overdue = ({ delivery: { nextAt } }: Numbered): number => nextAt ?? now + 1;
    const taken = this.#all
      .filter((each) => each.delivery.state === "pending" && overdue(each) <= now)
      .sort((a, b) => overdue(a) - overdue(b) || a.seq - b.seq)
      .slice(0, limit)
      .sort((a, b) => a.seq - b.seq)
      .map(({ delivery }) => ({ ...delivery, nextAt: now + holdMs }));
    for (const { id, nextAt } of taken) this.change(id, { nextAt });
    return taken;
  }

  change(id: string, change: Partial<AlertDelivery>): void {
    this.#all = this.#all.map(({ seq, delivery }) => ({
      seq,
      delivery: delivery.id === id ? { ...delivery, ...change } : delivery,
    }));
  }

  before(accountId: string, end: number): readonly Numbered[] {
    const ofAccount = this.#all.filter(
      ({ seq, delivery }) => seq < end && delivery.accountId === accountId,
    );
    return ofAccount.reverse();
  }

  keep(wanted: (delivery: AlertDelivery) => boolean): void {
    this.#all = this.#all.filter(({ delivery }) => wanted(delivery));
  }
}
