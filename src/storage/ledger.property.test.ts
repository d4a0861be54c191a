import { join } from "node:path";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { temporaryFolder } from "../../test/support/written.ts";
import type { Grant, LedgerStore, TakeRequest } from "./ledger-store.ts";
import { openMemory } from "./memory.ts";
import { openDatabase } from "./sqlite/database.ts";
import { ledgerStatements } from "./sqlite/ledger.ts";

/** Who took, and the bucket in thousandths of a credit, as of `moment`. */
type State = {
  holder: { readonly process: string; readonly moment: number } | undefined;
  other: number;
  level: number;
  moment: number;
};
const UNTAKEN: State = {
  holder: undefined,
  other: Number.NEGATIVE_INFINITY,
  level: Number.POSITIVE_INFINITY,
  moment: 0,
};

/**
 * The contract's words as a program that knows nothing of rows: the whole history is kept, and every
 * question is answered from it.
 */
class Model {
  readonly #added = new Map<number, number>();
  readonly #used = new Map<number, number>();
  readonly #pools = new Map<number, number | null>();
  readonly #spares = new Map<number, number>();
  /** By the day of the take that left it so. */
  readonly #states = new Map<number, State>();

  take(request: TakeRequest): Grant {
    const { day, want, least, limit, perSecond, process } = request;
    if (!this.#pools.has(day)) this.#open(request);
    const newest = Math.max(...[...this.#states.keys()].filter((each) => each <= day));
    const before = this.#states.get(newest);
    const state = { ...(before ?? UNTAKEN) };
    this.#states.set(day, state);
    const last = before?.moment;
    const isLate = last !== undefined && last > request.now && last - request.now <= 6_000;
    const moment = isLate ? last : request.now;
    const seen = (at: number): boolean => moment - at >= 0 && moment - at < 2_000;

    if (state.holder && state.holder.process !== process && seen(state.holder.moment)) {
      state.other = moment;
    } else {
      state.holder = { process, moment };
    }
    const shared = seen(state.other);

    const passed = last === undefined || last > moment ? 0 : moment - last;
    state.level = Math.min(perSecond * 1_000, state.level + passed * perSecond);
    const rest = limit + (this.#added.get(day) ?? 0) - this.read(day).used;
    let granted = 0;
    let waitMs = 0;
    if (rest >= least) {
      granted = Math.min(want, Math.max(least, Math.floor(rest / 16)));
      if (shared) {
        granted = Math.min(granted, Math.max(least, Math.floor(perSecond / 10)));
        const needed = Math.min(least * 1_000, perSecond * 1_000);
        if (state.level < needed) {
          granted = 0;
          while (state.level + waitMs * perSecond < needed) waitMs += 1;
        } else if (least <= perSecond) {
          granted = Math.min(granted, Math.floor(state.level / 1_000));
        }
      }
    }
    const drawn = state.level - granted * 1_000;
    const floor = -perSecond * 1_000;
    if (shared || drawn >= floor) state.level = drawn;
    else if (state.level > floor) state.level = floor;
    state.moment = moment;
    this.#used.set(day, (this.#used.get(day) ?? 0) + granted);
    return { day, granted, left: Math.max(rest - granted, 0), waitMs, shared };
  }

  #open({ day, pool, spare = 0 }: TakeRequest): void {
    const taken = [...this.#spares.values()].filter((spareOf) => spareOf === pool);
    const isSpare = pool !== null && taken.length < spare;
    if (isSpare) this.#spares.set(day, pool);
    this.#pools.set(day, isSpare ? null : pool);
  }

  giveBack(day: number, credits: number): void {
    const used = this.#used.get(day);
    if (used === undefined) return;
    const returned = Math.min(used, credits);
    this.#used.set(day, used - returned);
    const state = this.#states.get(day);
    if (state !== undefined) state.level += returned * 1_000;
  }

  add(day: number, credits: number): void {
    this.#added.set(day, (this.#added.get(day) ?? 0) + credits);
    this.#used.set(day, this.#used.get(day) ?? 0);
  }

  read(day: number): { used: number; added: number } {
    const pool = this.#pools.get(day) ?? null;
    let used = this.#used.get(day) ?? 0;
    for (const [other, its] of this.#pools) {
      if (pool === null || other === day || its !== pool) continue;
      used += Math.max(0, (this.#used.get(other) ?? 0) - (this.#added.get(other) ?? 0));
    }
    return { used, added: this.#added.get(day) ?? 0 };
  }

  repair(day: number): { day: number; used: number }[] {
    const later = [...this.#used].filter(([each]) => each > day).sort(([a], [b]) => a - b);
    for (const [each] of later) {
      this.#spares.delete(each);
      for (const book of [this.#used, this.#added, this.#pools, this.#states]) book.delete(each);
    }
    for (const each of this.#pools.keys()) this.#pools.set(each, null);
    return later.map(([each, used]) => ({ day: each, used }));
  }
}

type Step =
  | {
      readonly kind: "take";
      readonly process: string;
      readonly want: number;

      readonly least: number;
      readonly pool: number | null;
      readonly spare: number;
    }
  | { readonly kind: "repair" }
  | { readonly kind: "giveBack"; readonly lease: number; readonly share: number }
  | { readonly kind: "add"; readonly days: number; readonly credits: number }
  | { readonly kind: "pass"; readonly ms: number };

const price = fc.constantFrom(1, 5, 80, 150, 300, 1_000);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .tuple(
        fc.constantFrom("one", "two", "three"),
        price,
        fc.integer({ min: 0, max: 2_000 }),
        fc.constantFrom(null, null, null, 7, 7, 8),
        fc.constantFrom(0, 0, 1, 2),
      )
      .map(([process, least, more, pool, spare]) => ({
        kind: "take" as const,
        process,
        pool,
        spare,
        least,
        want: least + more,
      })),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("giveBack" as const),
      lease: fc.nat({ max: 30 }),
      share: fc.constantFrom(0, 0.5, 1),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: "repair" as const }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("add" as const),
      days: fc.constantFrom(0, 0, 0, 1),
      credits: fc.integer({ min: 1, max: 5_000 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("pass" as const),
      ms: fc.oneof(
        fc.integer({ min: 0, max: 3_000 }),
        fc.constantFrom(1_999, 2_000, 43_200_000, 86_400_000, -1, -5_000, -6_001, -86_400_000),
      ),
    }),
  },
);

const schedule = fc.record({
  limit: fc.constantFrom(0, 79, 1_000, 20_000, 3_000_000),
  perSecond: fc.constantFrom(1, 99, 500, 40_000),
  steps: fc.array(step, { minLength: 1, maxLength: 60 }),
});
type Schedule = { limit: number; perSecond: number; steps: readonly Step[] };

const folder = temporaryFolder("ledger");
const db = openDatabase({ path: join(folder, "ledger.db"), busyTimeoutMs: 1000 });
db.exec("PRAGMA synchronous = OFF");
afterAll(() => db.close());

/** Runs a schedule on an adapter and on the model, and compares them and the books at each step. */
class Run {
  readonly #store: LedgerStore;
  readonly #owner: string;
  readonly #schedule: Schedule;
  readonly #model = new Model();
  #number = 0;
  #leases: { readonly day: number; credits: number }[] = [];
  #now = Date.UTC(2026, 10, 21, 23, 59, 58);

  constructor(store: LedgerStore, owner: string, schedule: Schedule) {
    this.#store = store;
    this.#owner = owner;
    this.#schedule = schedule;
  }

  async all(): Promise<void> {
    for (const each of this.#schedule.steps) {
      await this.#step(each);
      for (const day of this.#days()) await this.#checkBooks(day);
    }
  }

  #today(): number {
    return Math.floor(this.#now / 86_400_000);
  }

  #days(): ReadonlySet<number> {
    return new Set([this.#today(), ...this.#leases.map(({ day }) => day)]);
  }

  async #step(each: Step): Promise<void> {
    if (each.kind === "pass") this.#now += each.ms;
    else if (each.kind === "take") await this.#take(each);
    else if (each.kind === "giveBack") await this.#giveBack(each);
    else if (each.kind === "repair") await this.#repair();
    else {
      const day = this.#today() + each.days;
      this.#model.add(day, each.credits);
      expect(await this.#store.add(this.#owner, day, each.credits)).toEqual(this.#model.read(day));
    }
  }

  async #repair(): Promise<void> {
    const today = this.#today();
    const forgotten = await this.#store.repair([this.#owner, "another"], today);
    const expected = this.#model.repair(today).map((each) => ({ owner: this.#owner, ...each }));
    expect(forgotten.map((each) => ({ ...each }))).toEqual(expected);
    this.#leases = this.#leases.filter(({ day }) => day <= today);
  }

  async #take({ process, want, least, pool, spare }: Step & { kind: "take" }): Promise<void> {
    const { limit, perSecond } = this.#schedule;
    const asked = { process, want, least, pool, spare, limit, perSecond, now: this.#now };
    this.#number += 1;
    const request = { ...asked, owner: this.#owner, day: this.#today(), number: this.#number };
    const grant = await this.#store.take(request);
    expect({ ...grant }).toEqual(this.#model.take(request));
    this.#leases.push({ day: grant.day, credits: grant.granted });
  }

  async #giveBack({ lease: index, share }: Step & { kind: "giveBack" }): Promise<void> {
    const lease = this.#leases[index % Math.max(this.#leases.length, 1)];
    if (lease === undefined) return;
    const credits = Math.floor(lease.credits * share);
    lease.credits -= credits;
    this.#model.giveBack(lease.day, credits);
    this.#number += 1;
    const series = this.#number;
    const given = { owner: this.#owner, day: lease.day, process: "one", series, total: credits };
    await this.#store.giveBack(given);
    if (credits % 2 === 0) await this.#store.giveBack(given);
  }

  async #checkBooks(day: number): Promise<void> {
    const { used, added } = await this.#store.read(this.#owner, day);
    expect({ used, added }).toEqual(this.#model.read(day));
    const held = this.#leases.filter((lease) => lease.day === day);
    const own = held.reduce((sum, { credits }) => sum + credits, 0);
    expect(own).toBeLessThanOrEqual(Math.min(used, this.#schedule.limit + added));
  }
}

const overSqlite = (): LedgerStore => {
  const { take, giveBack, add, read, repair, check } = ledgerStatements(db);
  return {
    take: async (request) => take(request),
    giveBack: async (...args) => giveBack(...args),
    add: async (...args) => ({ ...add(...args) }),
    read: async (...args) => read(...args),
    repair: async (...args) => repair(...args),
    check: async () => check(),
  };
};

test.each([
  ["memory", openMemory().ledger],
  ["SQLite", overSqlite()],
] as const)(
  "%s: whoever takes, gives back or adds, on whatever day, the books balance and no limit is passed",
  async (_, store) => {
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(schedule, async (drawn) => {
        runs += 1;
        await new Run(store, `acc_${runs}`, drawn).all();
      }),
      { numRuns: 1_500 },
    );
  },
);
