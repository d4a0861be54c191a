/**
 * What the program keeps, one interface per store. Times are Unix milliseconds. Every method
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
  readonly createdAt: number;
};

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
};

/** A key and the account that it belongs to, read at one moment. */
export type KeyRecord = { readonly key: ApiKey; readonly account: Account };

export type AccountChanges = { readonly plan?: string; readonly suspended?: boolean };

export type AccountStore = {
  /** False, and nothing written, where the e-mail belongs to an account already. */
  readonly insert: (account: Account) => Promise<boolean>;
  readonly findByEmail: (email: string) => Promise<Account | undefined>;
  /** Oldest first. */
  readonly list: () => Promise<readonly Account[]>;
  /** False where there is no such account. */
  readonly update: (id: string, changes: AccountChanges) => Promise<boolean>;
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
};

/**
 * What was changed by any process, in the order of the changes: each entry is written together with
 * its change or not at all. The newest 1,000 are kept. A key's creation is an entry, its use is not.
 */
export type ChangeFeed = {
  /** `undefined` begins: the present position, with `complete` false. */
  readonly since: (seq: number | undefined) => Promise<Changes>;
};

export type Storage = {
  readonly accounts: AccountStore;
  readonly keys: KeyStore;
  readonly changes: ChangeFeed;
  /** Waits for the calls in the air. Later calls reject. */
  readonly close: () => Promise<void>;
};

/** The store could not be opened or could not answer. The text is fit for people and holds no key. */
export class StorageError extends Error {
  override readonly name = "StorageError";
}
