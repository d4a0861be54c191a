import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { Worker } from "node:worker_threads";
import { entryFile } from "../../lib/own-files.ts";
import type { AlertStore, AuditStore, MemberStore } from "../console-stores.ts";
import {
  type AccountStore,
  type ChangeFeed,
  type KeyStore,
  type LedgerStore,
  type PartnerStore,
  type Storage,
  StorageError,
  type UsageStore,
} from "../store.ts";
import type { DatabaseOptions } from "./database.ts";
import type { Reply, Request, StoreName } from "./worker.ts";

/** Long enough for any writer that lives; the callers of a gateway do not wait on writes. */
const BUSY_TIMEOUT_MS = 5000;

/**
 * A SQLite file behind a worker thread: `node:sqlite` blocks, and a file that another process has
 * locked would stall every call of the gateway.
 * @throws StorageError where the file cannot be opened, is damaged, or is newer than the program
 */
export async function openSqlite(path: string, busyTimeoutMs = BUSY_TIMEOUT_MS): Promise<Storage> {
  try {
    mkdirSync(dirname(path), { recursive: true });
  } catch (error) {
    throw new StorageError(`the folder of the database ${path} cannot be made`, { cause: error });
  }
  const client = new SqliteClient({ path, busyTimeoutMs });
  await client.opened;
  return storageOver(client);
}

type Pending = {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: StorageError) => void;
};

class SqliteClient {
  /** Rejects where the database cannot be opened; the thread has ended then. */
  readonly opened: Promise<unknown>;
  readonly #worker: Worker;
  readonly #ended: Promise<void>;
  readonly #pending = new Map<number, Pending>();
  #lastId = 0;
  #closed = false;

  constructor(options: DatabaseOptions) {
    const file = entryFile("storage/sqlite/worker");
    this.#worker = new Worker(file, { workerData: options, name: "tollgate-storage" });
    this.opened = new Promise((resolve, reject) => this.#pending.set(0, { resolve, reject }));
    this.#worker.on("message", (reply: Reply) => this.#settle(reply));
    this.#worker.on("error", (error) => this.#fail(error));
    this.#ended = new Promise((resolve) => {
      this.#worker.once("exit", () => {
        this.#fail(undefined);
        resolve();
      });
    });
  }

  call(store: StoreName, method: string, args: readonly unknown[]): Promise<unknown> {
    if (this.#closed) return Promise.reject(new StorageError("the storage is closed"));
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      this.#post({ id, store, method, args });
    });
  }

  async close(): Promise<void> {
    if (!this.#closed) {
      this.#closed = true;
      // The worker answers in its own time, and ends once everything is answered.
      while (this.#pending.size > 0) await this.#nextSettled();
      this.#post("close");
    }
    await this.#ended;
  }

  #idle: () => void = () => undefined;

  #nextSettled(): Promise<void> {
    return new Promise((resolve) => {
      this.#idle = resolve;
    });
  }

  #post(request: Request): void {
    this.#worker.postMessage(request);
  }

  #settle(reply: Reply): void {
    const pending = this.#pending.get(reply.id);
    this.#pending.delete(reply.id);
    if ("error" in reply) pending?.reject(new StorageError(reply.error));
    else pending?.resolve(reply.value);
    this.#idle();
  }

  /** The thread has ended, and with it every call in the air. */
  #fail(cause: unknown): void {
    this.#closed = true;
    const error = new StorageError("the storage has stopped", { cause });
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
    this.#idle();
  }
}

/** Methods whose calls are carried out in the worker, one for each that the store names. */
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
    }),
    usage: remote<UsageStore>(client, "usage", {
      record: true,
      query: true,
      series: true,
      totals: true,
      topContracts: true,
      prune: true,
    }),
    partners: remote<PartnerStore>(client, "partners", { take: true, read: true }),
    changes: remote<ChangeFeed>(client, "changes", { since: true }),
    members: remote<MemberStore>(client, "members", {
      add: true,
      list: true,
      ofEmail: true,
      remove: true,
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
    close: () => client.close(),
  };
}
