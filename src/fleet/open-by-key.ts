import { type FleetProcess, MOST_KEYS_TOLD, type OpenByKey } from "../storage/fleet-store.ts";

type Counts = ReadonlyMap<string, number>;

/** What one process tells of its WebSockets: the keys with most of them, where there are too many. */
export function openByKey(sockets: Counts, subscriptions: Counts): FleetProcess["open"] {
  const all = [...sockets].map(([keyId, count]): [string, OpenByKey] => [
    keyId,
    { sockets: count, subscriptions: subscriptions.get(keyId) ?? 0 },
  ]);
  if (all.length > MOST_KEYS_TOLD) {
    all.sort(([, a], [, b]) => b.subscriptions + b.sockets - (a.subscriptions + a.sockets));
  }
  return Object.fromEntries(all.slice(0, MOST_KEYS_TOLD));
}

/** What all gateways together have open with one key. */
export function openWith(
  keyId: string,
  processes: readonly Pick<FleetProcess, "open">[],
): OpenByKey {
  const own = processes.flatMap(({ open }) => open[keyId] ?? []);
  const sum = (of: (one: OpenByKey) => number) => own.reduce((all, one) => all + of(one), 0);
  return { sockets: sum((one) => one.sockets), subscriptions: sum((one) => one.subscriptions) };
}
