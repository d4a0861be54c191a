import { isDeepStrictEqual } from "node:util";
import { ageCursor, pageOf, readAgeCursor } from "./cursor.ts";
import type { Accounts } from "./memory/accounts.ts";
import { memoryAlerts } from "./memory/alerts.ts";
import { memoryAudit } from "./memory/audit.ts";
import { memoryFilters } from "./memory/filters.ts";
import { memoryFleet } from "./memory/fleet.ts";
import { memoryLedger } from "./memory/ledger.ts";
import { memoryMembers } from "./memory/members.ts";
import { memoryNodes } from "./memory/nodes.ts";
import { memoryPartners } from "./memory/partners.ts";
import { memoryTokens } from "./memory/tokens.ts";
import { memoryUsage } from "./memory/usage.ts";
import {
  type Account,
  type AccountPage,
  type AccountPageRequest,
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
  const check = () => tables.check();
  const accounts: Accounts = { check, has: (id) => tables.accounts.has(id), sameEmail };
  const members = memoryMembers(accounts);
  const tokens = memoryTokens(accounts);
  const audit = memoryAudit(check);
  const alerts = memoryAlerts(accounts);
  const usage = memoryUsage(check);
  const forget = (accountId: string): void => {
    members.forget(accountId);
    tokens.forget(accountId);
    alerts.forget(accountId);
  };
  return {
    accounts: accountStore(tables, forget),
    keys: keyStore(tables),
    ledger: memoryLedger(check),
    usage: {
      ...usage,
      prune: async (before) => {
        await usage.prune(before);
        audit.prune(before.day);
        alerts.prune(before.day);
        return false;
      },
    },
    partners: memoryPartners(check),
    changes: changeFeed(tables),
    members: members.store,
    tokens: tokens.store,
    audit: audit.store,
    alerts: alerts.store,
    fleet: memoryFleet(check),
    filters: memoryFilters(check),
    nodes: memoryNodes(check),
    isGone: () => false,
    traffic: { statements: 0, errors: 0, isUp: true },
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
type Aged = Pick<Account, "createdAt" | "id">;
const byAge = (a: Aged, b: Aged): number => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1);

function accountStore(tables: Tables, forget: (id: string) => void): AccountStore {
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
    findById: async (id) => {
      tables.check();
      return tables.accounts.get(id);
    },
    list: async () => {
      tables.check();
      return [...tables.accounts.values()].sort(byAge);
    },
    page: async (request) => {
      tables.check();
      return accountPage([...tables.accounts.values()].sort(byAge), request);
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
      forget(id);
      tables.changed(id, null);
      return true;
    },
  };
}

function accountPage(
  accounts: readonly Account[],
  { search = "", after, limit }: AccountPageRequest,
): AccountPage {
  const last = readAgeCursor(after);
  if (last === undefined) return { accounts: [], next: null };
  const part = search.toLowerCase();
  const found = accounts
    .filter((account) => byAge(last, account) < 0)
    .filter(({ email, id }) => [email, id].some((text) => text.toLowerCase().includes(part)));
  const { page, next } = pageOf(found, limit, ageCursor);
  return { accounts: page, next };
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
