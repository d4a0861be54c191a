import type { DatabaseSync } from "node:sqlite";
import type { MonotonicMs, Time } from "../../lib/clock.ts";
import type { Storage, StoreName } from "../store.ts";
import { accountStatements } from "./accounts.ts";
import { alertStatements } from "./alerts.ts";
import { auditStatements } from "./audit.ts";
import { changeStatements } from "./changes.ts";
import {
  type Blocking,
  type DatabaseOptions,
  isFileFault,
  isInDoubt,
  isLocked,
  openDatabase,
  reopenDatabase,
  storageError,
} from "./database.ts";
import { filterStatements } from "./filters.ts";
import { fleetStatements } from "./fleet.ts";
import { keyStatements } from "./keys.ts";
import { ledgerStatements } from "./ledger.ts";
import { memberStatements } from "./members.ts";
import { nodeStatements } from "./nodes.ts";
import { partnerStatements } from "./partners.ts";
import { tokenStatements } from "./tokens.ts";
import { usageStatements } from "./usage.ts";

export type Call = {
  readonly id: number;
  readonly store: StoreName;
  readonly method: string;
  readonly args: readonly unknown[];
};

export type Reply =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: string; readonly isOutcomeUnknown?: boolean };

type Waiting = { readonly call: Call; readonly deadlineMs: MonotonicMs };
type Methods = Readonly<Record<string, (...args: readonly unknown[]) => unknown>>;

/** About the steps of SQLite's own busy handler. */
const RETRY_MS = 5;

export type CallsTime = Pick<Time, "monotonic" | "after">;

type Connection = {
  readonly db: DatabaseSync;
  readonly stores: Readonly<Record<StoreName, Methods>>;
};

/**
 * Carries out calls on one connection. SQLite's own waiting for a lock would hold up the calls
 * behind it, so a call that meets one is tried again later: in WAL mode reads go on while another
 * process writes. After a fault of the file the next call opens it again, so that a restored copy
 * serves without a restart.
 */
export class SqliteCalls {
  readonly #options: DatabaseOptions;
  readonly #time: CallsTime;
  readonly #reply: (reply: Reply) => void;
  #connection: Connection | undefined;
  #waiting: Waiting[] = [];
  #isEnding = false;

  /** The database, which has to be there, is opened by the first call. */
  constructor(
    options: DatabaseOptions,
    { time, reply }: { readonly time: CallsTime; readonly reply: (reply: Reply) => void },
  ) {
    this.#options = options;
    this.#time = time;
    this.#reply = reply;
  }

  /**
   * Opens it, and creates it where it is absent.
   * @throws StorageError
   */
  open(): void {
    try {
      this.#connection = connect(openDatabase(this.#options));
    } catch (error) {
      throw storageError(error, this.#options.path);
    }
  }

  run(call: Call): void {
    this.#try({ call, deadlineMs: this.#time.monotonic() + this.#options.busyTimeoutMs });
  }

  /** No call comes any more: closes the database once those that wait have been carried out. */
  end(): void {
    this.#isEnding = true;
    if (this.#waiting.length === 0) this.#close();
  }

  #close(): void {
    this.#connection?.db.close();
    this.#connection = undefined;
  }

  #try(waiting: Waiting): void {
    const { id, store, method, args } = waiting.call;
    let isOpen = false;
    try {
      this.#connection ??= connect(reopenDatabase(this.#options.path));
      isOpen = true;
      this.#reply({ id, value: this.#connection.stores[store][method]?.(...args) });
    } catch (error) {
      if (isLocked(error) && this.#time.monotonic() < waiting.deadlineMs) {
        this.#wait(waiting);
      } else {
        if (isFileFault(error)) this.#close();
        const { message } = storageError(error, this.#options.path);
        this.#reply({ id, error: message, isOutcomeUnknown: isOpen && isInDoubt(error) });
      }
    }
  }

  #wait(waiting: Waiting): void {
    this.#waiting.push(waiting);
    if (this.#waiting.length === 1) this.#time.after(RETRY_MS, () => this.#retry());
  }

  #retry(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const each of waiting) this.#try(each);
    if (this.#isEnding) this.end();
  }
}

function connect(db: DatabaseSync): Connection {
  try {
    const stores: { readonly [Name in StoreName]: Blocking<Storage[Name]> } = {
      accounts: accountStatements(db),
      keys: keyStatements(db),
      ledger: ledgerStatements(db),
      usage: usageStatements(db),
      partners: partnerStatements(db),
      changes: changeStatements(db),
      members: memberStatements(db),
      tokens: tokenStatements(db),
      audit: auditStatements(db),
      alerts: alertStatements(db),
      fleet: fleetStatements(db),
      filters: filterStatements(db),
      nodes: nodeStatements(db),
    };
    return { db, stores: stores as unknown as Record<StoreName, Methods> };
  } catch (error) {
    db.close();
    throw error;
  }
}
