import { isDeepStrictEqual } from "node:util";
import { memoryLedger } from "./memory/ledger.ts";
import { memoryPartners } from "./memory/partners.ts";
import { memoryUsage } from "./memory/usage.ts";
import {
  type Account,
  type AccountStore,
  type ApiKey,
  type Change,
  type ChangeFeed,
  type KeyRecord,
  type KeyStore,
  type Storage,
  StorageError,
} from "./store.ts";

const CHANGES_KEPT = 1000;

/** A store that lives as long as the process: for tests, and for trying things out. */
export function openMemory(): Storage {
  const tables = new Tables();
  return {
    accounts: accountStore(tables),
    keys: keyStore(tables),
    ledger: memoryLedger(() => tables.check()),
    usage: memoryUsage(() => tables.check()),
    partners: memoryPartners(() => tables.check()),
    changes: changeFeed(tables),
    close: async () => {
      tables.closed = true;
    },
  };
}

class Tables {
  closed = false;
  readonly accounts = new Map<string, Account>();
  readonly keys = new Map<string, ApiKey>();
  readonly changes: Change[] = [];
  lastSeq = 0;

  check(): void {
    if (this.closed) throw new StorageError("the storage is closed");
  }

  changed(accountId: string, keyId: string | null): void {
    this.changes.push({ accountId, keyId });
    this.lastSeq += 1;
    if (this.changes.length > CHANGES_KEPT) this.changes.shift();
  }

  record(key: ApiKey | undefined): KeyRecord | undefined {
    const account = key && this.accounts.get(key.accountId);
    return key && account && { key, account };
  }
}

const sameEmail = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();
const byAge = (a: Account | ApiKey, b: Account | ApiKey): number =>
  a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1);

function accountStore(tables: Tables): AccountStore {
  const find = (email: string): Account | undefined =>
    [...tables.accounts.values()].find((account) => sameEmail(account.email, email));
  return {
    insert: async (account) => {
      tables.check();
      if (find(account.email) !== undefined) return false;
      tables.accounts.set(account.id, account);
      return true;
    },
    findByEmail: async (email) => {
      tables.check();
      return find(email);
    },
    list: async () => {
      tables.check();
      return [...tables.accounts.values()].sort(byAge);
    },
    update: async (id, changes) => {
      tables.check();
      const account = tables.accounts.get(id);
      if (account === undefined) return false;
      tables.accounts.set(id, { ...account, ...changes });
      tables.changed(id, null);
      return true;
    },
    delete: async (id) => {
      tables.check();
      if (!tables.accounts.delete(id)) return false;
      for (const key of [...tables.keys.values()]) {
        if (key.accountId === id) tables.keys.delete(key.id);
      }
      tables.changed(id, null);
      return true;
    },
  };
}

function keyStore(tables: Tables): KeyStore {
  const activeKeys = (accountId: string, at: number): number =>
    [...tables.keys.values()].filter(
      (key) =>
        key.accountId === accountId &&
        key.revokedAt === null &&
        (key.expiresAt === null || key.expiresAt > at),
    ).length;
  const put = (key: ApiKey): void => {
    tables.keys.set(key.id, key);
    tables.changed(key.accountId, key.id);
  };
  return {
    insert: async (key, maxActive = Number.POSITIVE_INFINITY) => {
      tables.check();
      if (!tables.accounts.has(key.accountId)) throw new StorageError("no such account");
      if (activeKeys(key.accountId, key.createdAt) >= maxActive) return false;
      put(key);
      return true;
    },
    findByHash: async (hash) => {
      tables.check();
      return tables.record([...tables.keys.values()].find((key) => key.hash === hash));
    },
    findById: async (id) => {
      tables.check();
      return tables.record(tables.keys.get(id));
    },
    list: async (accountId) => {
      tables.check();
      return [...tables.keys.values()]
        .filter((key) => accountId === undefined || key.accountId === accountId)
        .sort(byAge)
        .flatMap((key) => tables.record(key) ?? []);
    },
    revoke: async (id, at) => {
      tables.check();
      const key = tables.keys.get(id);
      if (key !== undefined && key.revokedAt === null) put({ ...key, revokedAt: at });
      return tables.keys.get(id);
    },
    update: async (id, changes, expected) => {
      tables.check();
      const key = tables.keys.get(id);
      if (key === undefined) return false;
      if (expected !== undefined && !isDeepStrictEqual(key.allow, expected)) return false;
      const ends = [key.expiresAt, changes.expiresAt].filter((at) => typeof at === "number");
      put({ ...key, ...changes, expiresAt: ends.length === 0 ? null : Math.min(...ends) });
      return true;
    },
    recordUse: async (uses) => {
      tables.check();
      for (const { id, at } of uses) {
        const key = tables.keys.get(id);
        if (key) tables.keys.set(id, { ...key, lastUsedAt: Math.max(key.lastUsedAt ?? 0, at) });
      }
    },
  };
}

function changeFeed(tables: Tables): ChangeFeed {
  return {
    since: async (seq) => {
      tables.check();
      const missed = seq === undefined ? Number.POSITIVE_INFINITY : tables.lastSeq - seq;
      const complete = missed <= tables.changes.length;
      const changes = missed === 0 || !complete ? [] : tables.changes.slice(-missed);
      return { seq: tables.lastSeq, complete, changes };
    },
  };
}
