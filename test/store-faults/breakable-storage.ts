import { type Storage, StorageError, type StoreName } from "../../src/storage/store.ts";

/** A storage whose stores answer with a StorageError while their names are in `broken`. */
export type BreakableStorage = {
  readonly storage: Storage;
  readonly broken: Map<StoreName, string>;
};

/** `broken` maps a store's name to the text of its error. */
export function breakable(storage: Storage): BreakableStorage {
  const broken = new Map<StoreName, string>();
  const { accounts, keys, ledger, usage, partners } = storage;
  const { changes, members, tokens, audit, alerts, fleet, filters, nodes } = storage;
  const { isGone, close, traffic } = storage;
  const wrapped = <Store extends object>(name: StoreName, store: Store): Store => {
    const methods = Object.entries(store).map(([method, run]) => [
      method,
      async (...args: unknown[]) => {
        const text = broken.get(name);
        if (text !== undefined) throw new StorageError(text);
        return run(...args);
      },
    ]);
    return Object.fromEntries(methods) as Store;
  };
  return {
    broken,
    storage: {
      accounts: wrapped("accounts", accounts),
      keys: wrapped("keys", keys),
      ledger: wrapped("ledger", ledger),
      usage: wrapped("usage", usage),
      partners: wrapped("partners", partners),
      changes: wrapped("changes", changes),
      members: wrapped("members", members),
      tokens: wrapped("tokens", tokens),
      audit: wrapped("audit", audit),
      alerts: wrapped("alerts", alerts),
      fleet: wrapped("fleet", fleet),
      filters: wrapped("filters", filters),
      nodes: wrapped("nodes", nodes),
      isGone,
      traffic,
      close,
    },
  };
}
