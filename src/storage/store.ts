import type { MonotonicMs, UnixMs } from "../lib/moments.ts";
import type { AlertStore, AuditStore, MemberStore, TokenStore } from "./console-stores.ts";
import type { FilterStore } from "./filter-store.ts";
import type { FleetStore } from "./fleet-store.ts";
import type { LedgerStore } from "./ledger-store.ts";
import type { NodeStore } from "./node-store.ts";
import type { UsageStore } from "./usage-store.ts";

/**
 * The stores of the program, one interface each. Times are Unix milliseconds. Every method
 * rejects with a StorageError when the store cannot answer. Calls that are not awaited may be
 * carried out in any order.
 */

export type Account = {
  readonly id: string;
  /** The owner's, as written; unique without regard to case. ASCII. */
  readonly email: string;
  /** A plan's name; what it grants stands in the configuration. */
  readonly plan: string;
  readonly operator: boolean;
  readonly suspended: boolean;
  /** The account's own limits; they replace its plan's. */
  readonly limits: Limits;
  readonly createdAt: number;
};

/** Credits per UTC day and per second; null: no limit of its own. */
export type Limits = {
  readonly creditsPerDay: number | null;
  readonly creditsPerSecond: number | null;
};

/** The restrictions of a key: kinds are ANDed, entries of a kind ORed; an empty kind restricts nothing. */
export const ALLOW_KINDS = ["network", "method", "contract", "origin", "ip", "agent"] as const;
export type AllowKind = (typeof ALLOW_KINDS)[number];
export type AllowLists = Readonly<Partial<Record<AllowKind, readonly string[]>>>;

export type ApiKey = {
  /** Public: it names the key in commands and tells nothing of it. */
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  /** SHA-256 or HMAC-SHA-256 of the key's text, hex. The key itself is kept nowhere. */
  readonly hash: string;
  /** The key's first characters, so that people recognise it. */
  readonly prefix: string;
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  /** Within the account's. */
  readonly limits: Limits;
  readonly allow: AllowLists;
};

/** A key and the account that it belongs to, read at one moment. */
export type KeyRecord = { readonly key: ApiKey; readonly account: Account };

export type AccountChanges = {
  readonly plan?: string;
  readonly suspended?: boolean;
  readonly limits?: Limits;
};

export type KeyChanges = {
  readonly name?: string;
  readonly limits?: Limits;
  readonly allow?: AllowLists;
  /** Never later than the key's own end. */
  readonly expiresAt?: number;
};

export type AccountPageRequest = {
  /** A part of an e-mail or id, without regard to case; each character stands for itself. */
  readonly search?: string | undefined;
  /** The last page's `next`. */
  readonly after?: string | undefined;
  readonly limit: number;
};

/** `next`: where the following page begins, whatever was added meanwhile; null on the last one. */
export type AccountPage = { readonly accounts: readonly Account[]; readonly next: string | null };

export type AccountStore = {
  /** False, and nothing written, where the e-mail belongs to an account already. */
  readonly insert: (account: Account) => Promise<boolean>;
  readonly findByEmail: (email: string) => Promise<Account | undefined>;
  readonly findById: (id: string) => Promise<Account | undefined>;
  /** Oldest first. */
  readonly list: () => Promise<readonly Account[]>;
  /** Oldest first. Empty where `after` is no page's `next`. */
  readonly page: (request: AccountPageRequest) => Promise<AccountPage>;
  /** False where there is no such account. */
  readonly update: (id: string, changes: AccountChanges) => Promise<boolean>;
  /** With its keys; its ledger and usage stay, for the books. False where there is no such account. */
  readonly delete: (id: string) => Promise<boolean>;
};

export type KeyUse = { readonly id: string; readonly at: number };

export type KeyStore = {
  /**
   * False, and nothing written, where the account has `maxActive` keys already that are neither
   * revoked nor expired when the new one is created. Counting and writing are one statement.
   */
  readonly insert: (key: ApiKey, maxActive?: number) => Promise<boolean>;
  readonly findByHash: (hash: string) => Promise<KeyRecord | undefined>;
  readonly findById: (id: string) => Promise<KeyRecord | undefined>;
  /** Oldest first; of one account, or of all. Revoked and expired keys too. */
  readonly list: (accountId?: string) => Promise<readonly KeyRecord[]>;
  /** The key as it stands then; a key that was revoked before keeps its first time. */
  readonly revoke: (id: string, at: number) => Promise<ApiKey | undefined>;
  /**
   * False, and nothing written, where there is no such key or, with `expected`, where its lists are
   * not these any more. One step, whoever else writes.
   */
  readonly update: (id: string, changes: KeyChanges, expected?: AllowLists) => Promise<boolean>;
  /** Moves last-used times forward, never back. No entry in the change feed. */
  readonly recordUse: (uses: readonly KeyUse[]) => Promise<void>;
};

/** One change of a key, or of an account (keyId null) and thereby of all its keys. */
export type Change = { readonly accountId: string; readonly keyId: string | null };

export type Changes = {
  /** Where the next question goes on. */
  readonly seq: number;
  /** False: some changes are no longer known, so all that was read before may be outdated. */
  readonly complete: boolean;
  readonly changes: readonly Change[];
  /** The feed ends before the position that was asked for: the database has lost what was committed. */
  readonly isForgotten?: true;
};

/**
 * The changes by any process, in the order of the changes: each entry is written together with
 * its change or not at all. The newest 1,000 are kept. A key's creation is an entry, its use is not.
 */
export type ChangeFeed = {
  /** `undefined` begins: the present position, with `complete` false. */
  readonly since: (seq: number | undefined) => Promise<Changes>;
};

/** Hard caps on the calls that may go to a network's partners; absent: none. */
export type PartnerLimits = {
  /** In a UTC day. */
  readonly day?: number | undefined;
  /** In a UTC month. */
  readonly month?: number | undefined;
};

export type PartnerTake = {
  readonly network: string;
  /** Unix milliseconds. */
  readonly now: UnixMs;
  /** How many are to be made; a process asks for those that came together at once. */
  readonly calls: number;
  readonly caps: PartnerLimits;
};

/** Calls of a UTC day, and of its month. */
export type PartnerCalls = { readonly day: number; readonly month: number };

/** The calls that went to partners, by network. */
export type PartnerStore = {
  /**
   * How many of them may be made, which are counted from then on: all, or as many as no cap forbids.
   * One conditional statement: no cap is passed by any number of processes.
   */
  readonly take: (request: PartnerTake) => Promise<number>;
  /** The calls of the day and month of `now`, Unix milliseconds. */
  readonly read: (network: string, now: UnixMs) => Promise<PartnerCalls>;
};

export type StorageTraffic = {
  /** Statements that were sent to the database, without those that begin and end transactions. */
  readonly statements: number;
  /** Those of them that failed, and connections that could not be made. */
  readonly errors: number;
  /** The last of them reached the database. */
  readonly isUp: boolean;
};

export type Storage = {
  readonly accounts: AccountStore;
  readonly keys: KeyStore;
  readonly ledger: LedgerStore;
  readonly usage: UsageStore;
  readonly partners: PartnerStore;
  readonly changes: ChangeFeed;
  readonly members: MemberStore;
  readonly tokens: TokenStore;
  readonly audit: AuditStore;
  readonly alerts: AlertStore;
  readonly fleet: FleetStore;
  readonly filters: FilterStore;
  readonly nodes: NodeStore;
  /**
   * True where nothing can be asked of it any more although that was tried again for some ten seconds:
   * the process should be restarted.
   */
  readonly isGone: () => boolean;
  /** Counted since it was opened. */
  readonly traffic: StorageTraffic;
  /**
   * Where it is another machine's: its time at a moment of this process's monotonic clock. Days go by it for all that
   * share the storage. Absent: the clock of this machine.
   */
  readonly timeAt?: (atMs: MonotonicMs) => UnixMs;
  /** Waits for the calls in the air. Later calls reject. */
  readonly close: () => Promise<void>;
};

/** The stores of a storage, by name. */
export type StoreName = Exclude<keyof Storage, "close" | "isGone" | "traffic" | "timeAt">;

/** The store could not be opened or could not answer. The text is fit for people and holds no key. */
export class StorageError extends Error {
  override readonly name = "StorageError";
  /** The statement may have been carried out all the same: who repeats it may do it twice. */
  readonly isOutcomeUnknown: boolean;

  constructor(
    message: string,
    { isOutcomeUnknown = false, ...options }: ErrorOptions & { isOutcomeUnknown?: boolean } = {},
  ) {
    super(message, options);
    this.isOutcomeUnknown = isOutcomeUnknown;
  }
}

/** `name`: of the database. */
export function unfinishedCopy(name: string): StorageError {
  return new StorageError(
    `the database ${name} holds an unfinished copy of another one: run \`tollgate storage copy\` again`,
  );
}

/** Whether what failed may have been carried out all the same, so that it must not be repeated. */
export function isOutcomeUnknown(error: unknown): boolean {
  return error instanceof StorageError && error.isOutcomeUnknown;
}
