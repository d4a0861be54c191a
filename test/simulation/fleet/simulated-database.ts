import { type Storage, StorageError, type StoreName } from "../../../src/storage/store.ts";
import type { SeededRandom } from "../seeded-random.ts";
import { NEXT_TURN, type VirtualTime } from "../virtual-time.ts";
import type { ProcessTime } from "./process-time.ts";

/** What becomes of statements while the database is not well. */
export const DATABASE_FAULTS = [
  /** Nobody listens. */
  "away",
  /** It says that it failed, and changed nothing. */
  "before commit",
  /** The connection is lost at the commit: it took place, or it did not. */
  "at commit",
  /** It was committed, and the answer is lost. */
  "after commit",
  /** Nothing comes back, until the statement's time is over. */
  "silent",
] as const;

type Fault = { readonly kind: (typeof DATABASE_FAULTS)[number]; readonly share: number };
type Stores = Pick<Storage, "keys" | "changes" | "ledger" | "usage" | "partners">;
type Statement = () => Promise<unknown>;

const STATEMENT_MS = 2000;
const NAMES = ["keys", "changes", "ledger", "usage", "partners"] as const;

/** One database, and how gateways reach it. */
export class SimulatedDatabase {
  readonly storage: Storage;
  readonly #time: VirtualTime;
  #fault: Fault | undefined;
  #wellSinceMs = 0;
  /** Statements that it works at. */
  #working = 0;
  /** A promise was settled: what waits for it has not run yet. */
  #isStirred = false;
  /** Those that have come in this millisecond begin together. */
  #arrived: (() => void)[] = [];

  constructor(storage: Storage, time: VirtualTime) {
    this.storage = storage;
    this.#time = time;
  }

  begin(fault: Fault): void {
    this.#fault = fault;
  }

  end(): void {
    this.#fault = undefined;
    this.#wellSinceMs = this.#time.nowMs;
  }

  /** Since when all statements are carried out and answered; Infinity while some are not. */
  get wellSinceMs(): number {
    return this.#fault === undefined ? this.#wellSinceMs : Number.POSITIVE_INFINITY;
  }

  /** Carries out what somebody else asks it for, at once and whatever its state. */
  operate(statement: Statement): void {
    void this.#carryOut(statement);
  }

  /** One process's way to it. */
  stores(process: ProcessTime, random: SeededRandom, latencyMs: number): Stores {
    const stores = NAMES.map((name) => [name, this.#store(name, { process, random, latencyMs })]);
    return Object.fromEntries(stores) as Stores;
  }

  /** Undefined where nothing waits; else it resolves when what waits has run, also on a real database. No time passes. */
  get settled(): Promise<void> | undefined {
    return this.#isStirred ? this.#settle() : undefined;
  }

  async #settle(): Promise<void> {
    this.#isStirred = false;
    await turns();
    while (this.#working > 0) {
      await new Promise((resolve) => setImmediate(resolve));
      await turns();
    }
  }

  #store(name: StoreName, way: Way): object {
    const store = this.storage[name] as unknown as Record<string, (...args: unknown[]) => unknown>;
    const send =
      (method: string) =>
      (...args: unknown[]) =>
        this.#send(async () => store[method]?.(...args), way);
    return new Proxy({}, { get: (_, method) => send(String(method)) });
  }

  #send(statement: Statement, { process, random, latencyMs }: Way): Promise<unknown> {
    const time = this.#time;
    const travelMs = () => (latencyMs / 2) * random.between(0.6, random.chance(0.05) ? 6 : 1.4);
    return new Promise((resolve, reject) => {
      const back = (run: () => void, afterMs = travelMs()) => {
        time.after(afterMs, () => {
          // Of a killed process nobody hears it.
          if (process.isDead) return;
          this.#isStirred = true;
          run();
        });
      };
      const fail = (isOutcomeUnknown: boolean, afterMs?: number) =>
        back(() => reject(new StorageError("the database failed", { isOutcomeUnknown })), afterMs);
      // What was sent before a kill arrives all the same.
      this.#arrive(travelMs(), () => {
        const fault = this.#fault;
        const isHit = fault !== undefined && random.chance(fault.share);
        if (isHit && fault.kind === "away") return fail(false);
        if (isHit && fault.kind === "before commit") return fail(false);
        const isLost = isHit && fault.kind !== "after commit" && random.chance(0.5);
        const outcome = isLost ? Promise.resolve() : this.#carryOut(statement);
        if (isHit) {
          outcome.catch(() => undefined);
          return fail(true, fault.kind === "silent" ? STATEMENT_MS : undefined);
        }
        outcome.then(
          (result) => back(() => resolve(result)),
          (error: unknown) => back(() => reject(error)),
        );
      });
    });
  }

  #arrive(afterMs: number, begin: () => void): void {
    const time = this.#time;
    time.after(afterMs, () => {
      this.#arrived.push(begin);
      if (this.#arrived.length > 1) return;
      time.after(Math.ceil(time.nowMs) - time.nowMs, () => {
        for (const each of this.#arrived.splice(0)) each();
      });
    });
  }

  async #carryOut(statement: Statement): Promise<unknown> {
    this.#working += 1;
    this.#isStirred = true;
    try {
      return await statement();
    } finally {
      this.#working -= 1;
    }
  }
}

/** As many as the longest chain of promises in the gateway has. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 8; turn += 1) await NEXT_TURN;
}

type Way = {
  readonly process: ProcessTime;
  readonly random: SeededRandom;
  /** Of a statement and its answer. */
  readonly latencyMs: number;
};
