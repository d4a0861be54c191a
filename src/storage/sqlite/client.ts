import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { systemClock } from "../../lib/clock.ts";
import { keepDatabasePrivate, OWN_FOLDER } from "../../lib/private-files.ts";
import type { AlertStore, AuditStore, MemberStore, TokenStore } from "../console-stores.ts";
import type { FilterStore } from "../filter-store.ts";
import type { FleetStore } from "../fleet-store.ts";
import type { LedgerStore } from "../ledger-store.ts";
import type { NodeStore } from "../node-store.ts";
import {
  type AccountStore,
  type ChangeFeed,
  type KeyStore,
  type PartnerStore,
  type Storage,
  StorageError,
  type StoreName,
} from "../store.ts";
import type { UsageStore } from "../usage-store.ts";
import { type Reply, SqliteCalls } from "./calls.ts";
import type { DatabaseOptions } from "./database.ts";
import { StorageThread } from "./thread.ts";

/** Long enough for any writer that lives; the callers of a gateway do not wait on writes. */
const BUSY_TIMEOUT_MS = 5000;
/**
 * Node takes a quarter of a start for a thread, so it is begun when the start is over, and before what
 * may take long: usage is written and pruned a second after the start for the first time.
 */
const THREAD_AFTER_MS = 500;

export type SqliteOptions = {
  readonly busyTimeoutMs?: number;
  /** For so long calls are carried out here, and afterwards in a thread of their own; 0: all are. */
  readonly threadAfterMs?: number;
  /** Told of each thread that ended by itself. Another one takes its place. */
  readonly onThreadDeath?: (cause: unknown) => void;
};

/**
 * A SQLite file, soon behind a worker thread: `node:sqlite` blocks, and a disk that is slow would
 * stall every call of the gateway. Whoever needs it for a moment, as commands do, has no thread.
 * @throws StorageError where the file cannot be opened, is damaged, or is newer than the program
 */
export async function openSqlite(path: string, options: SqliteOptions = {}): Promise<Storage> {
  const { busyTimeoutMs = BUSY_TIMEOUT_MS, threadAfterMs = THREAD_AFTER_MS } = options;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: OWN_FOLDER });
  } catch (error) {
    throw new StorageError(`the folder of the database ${path} cannot be made`, { cause: error });
  }
  keepDatabasePrivate(path);
  const client = new SqliteClient({ path, busyTimeoutMs }, options);
  if (threadAfterMs > 0) client.beginThreadAfter(threadAfterMs);
  else await client.beginThread();
  return storageOver(client);
}

type Pending = {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: StorageError) => void;
  readonly isInThread: boolean;
};

/** The thread is not worth a process that has nothing else to do. */
function inBackground(delayMs: number, run: () => void): () => void {
  const timer = setTimeout(run, delayMs).unref();
  return () => clearTimeout(timer);
}

class SqliteClient {
  readonly #options: SqliteOptions;
  readonly #pending = new Map<number, Pending>();
  /** Runs calls in this thread until the other one is ready for the first time. */
  readonly #here: SqliteCalls;
  readonly #thread: StorageThread;
  #isHere = true;
  #stopBeginning: () => void = () => undefined;
  #lastId = 0;
  #isClosed = false;
  #closing: Promise<void> | undefined;
  #settled: () => void = () => undefined;
  readonly traffic = { statements: 0, errors: 0, isUp: true };

  /** @throws StorageError where the database cannot be opened */
  constructor(database: DatabaseOptions, options: SqliteOptions) {
    this.#options = options;
    this.#here = new SqliteCalls(database, {
      time: systemClock,
      reply: (reply) => this.#settle(reply),
    });
    this.#here.open();
    this.#thread = new StorageThread(database, {
      time: { ...systemClock, after: inBackground },
      answered: (reply) => this.#settle(reply),
      firstReady: () => this.#leave(),
      died: (cause, hadBegun) => this.#died(cause, hadBegun),
    });
  }

  beginThreadAfter(delayMs: number): void {
    this.#stopBeginning = inBackground(delayMs, () => void this.#thread.begin());
  }

  /** Resolves when calls go there, or when it has ended instead. */
  beginThread(): Promise<void> {
    return this.#thread.begin();
  }

  call(store: StoreName, method: string, args: readonly unknown[]): Promise<unknown> {
    if (this.#isClosed) return Promise.reject(new StorageError("the storage is closed"));
    this.#lastId += 1;
    this.traffic.statements += 1;
    const call = { id: this.#lastId, store, method, args };
    const isInThread = !this.#isHere;
    return new Promise((resolve, reject) => {
      this.#pending.set(call.id, { resolve, reject, isInThread });
      if (!isInThread) this.#here.run(call);
      else if (!this.#thread.send(call)) {
        this.#settle({ id: call.id, error: "the storage has stopped, and is being started again" });
      }
    });
  }

  /** Calls are not answered, though the thread was begun again for some ten seconds. */
  get isGone(): boolean {
    return !this.#isHere && this.#thread.isGone;
  }

  /** Once everything is answered. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#isClosed = true;
    this.#stopBeginning();
    while (this.#pending.size > 0) await this.#nextSettled();
    if (this.#isHere) this.#here.end();
    await this.#thread.close();
  }

  /** Calls that wait for a lock here are carried out here; all that come now go to the thread. */
  #leave(): void {
    this.#isHere = false;
    this.#here.end();
  }

  #nextSettled(): Promise<void> {
    return new Promise((resolve) => {
      this.#settled = resolve;
    });
  }

  #settle(reply: Reply): void {
    const pending = this.#pending.get(reply.id);
    this.#pending.delete(reply.id);
    this.traffic.isUp = !("error" in reply);
    if ("error" in reply) {
      this.traffic.errors += 1;
      const { error, isOutcomeUnknown = false } = reply;
      pending?.reject(new StorageError(error, { isOutcomeUnknown }));
    } else pending?.resolve(reply.value);
    this.#settled();
  }

  /** The thread has ended, and with it every call that it had. */
  #died(cause: unknown, hadBegun: boolean): void {
    if (!this.#isClosed) this.#options.onThreadDeath?.(cause);
    const error = `the storage has stopped, and is being started again: ${String(cause)}`;
    for (const [id, { isInThread }] of [...this.#pending]) {
      if (isInThread) this.#settle({ id, error, isOutcomeUnknown: hadBegun });
    }
  }
}

/** Methods whose calls the client carries out, one for each that the store names. */
function remote<Store>(
  client: SqliteClient,
  name: StoreName,
  methods: { readonly [Method in keyof Store & string]: true },
): Store {
  const entries = Object.keys(methods).map((method) => [
    method,
    (...args: readonly unknown[]) => client.call(name, method, args),
  ]);
  return Object.fromEntries(entries) as Store;
}

function storageOver(client: SqliteClient): Storage {
  return {
    accounts: remote<AccountStore>(client, "accounts", {
      insert: true,
      findByEmail: true,
      findById: true,
      list: true,
      page: true,
      update: true,
      delete: true,
    }),
    keys: remote<KeyStore>(client, "keys", {
      insert: true,
      findByHash: true,
      findById: true,
      list: true,
      revoke: true,
      update: true,
      recordUse: true,
    }),
    ledger: remote<LedgerStore>(client, "ledger", {
      take: true,
      giveBack: true,
      add: true,
      read: true,
      repair: true,
      check: true,
    }),
    usage: remote<UsageStore>(client, "usage", {
      record: true,
      query: true,
      ...{ series: true, latencies: true, totals: true },
      ...{ topAccounts: true, topContracts: true },
      prune: true,
    }),
    partners: remote<PartnerStore>(client, "partners", { take: true, read: true }),
    changes: remote<ChangeFeed>(client, "changes", { since: true }),
    members: remote<MemberStore>(client, "members", {
      ...{ add: true, list: true, ofEmail: true, remove: true },
    }),
    tokens: remote<TokenStore>(client, "tokens", {
      ...{ insert: true, findByHash: true, list: true, remove: true, recordUse: true },
    }),
    audit: remote<AuditStore>(client, "audit", { append: true, page: true }),
    alerts: remote<AlertStore>(client, "alerts", {
      read: true,
      write: true,
      list: true,
      claim: true,
      due: true,
      settle: true,
      page: true,
    }),
    fleet: remote<FleetStore>(client, "fleet", {
      ...{ tell: true, list: true, leave: true, setDrained: true, drained: true },
      ...{ tellLoss: true, lossFound: true, forgetLoss: true },
    }),
    nodes: remote<NodeStore>(client, "nodes", { record: true, history: true }),
    filters: remote<FilterStore>(client, "filters", {
      ...{ insert: true, find: true, move: true, remove: true },
    }),
    isGone: () => client.isGone,
    traffic: client.traffic,
    close: () => client.close(),
  };
}
