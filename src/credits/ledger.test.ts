import { beforeEach, describe, expect, test } from "vitest";
import type { LedgerStore, TakeRequest } from "../storage/ledger-store.ts";
import { openMemory } from "../storage/memory.ts";
import { type Limits, StorageError } from "../storage/store.ts";
import { type CreditRefusal, Ledger, type Reservation } from "./ledger.ts";
import type { CreditIdentity } from "./plans.ts";

const DAY_MS = 86_400_000;
const TODAY = 20_000;
const NONE: Limits = { creditsPerDay: null, creditsPerSecond: null };
const PLANS = {
  free: { dailyCredits: 3_000_000, creditsPerSecond: 500, failover: false },
  team: { dailyCredits: 75_000_000, creditsPerSecond: 40_000, failover: false },
  day: { dailyCredits: 1000, creditsPerSecond: 40_000, failover: false },
  burst: { dailyCredits: 20_000, creditsPerSecond: 40_000, failover: false },
  // No more than the dearest call, 1,000 credits, is open.
  small: { dailyCredits: 50_000, creditsPerSecond: 2000, failover: false },
};

type Outcome = Reservation | CreditRefusal;
type Identity = Partial<CreditIdentity>;

/** Two processes on one store, whose clock and store the test moves. */
class Rig {
  nowMs = TODAY * DAY_MS + DAY_MS / 2;
  atMs = 5000;
  store: LedgerStore = openMemory().ledger;
  takes: TakeRequest[] = [];
  failures: unknown[] = [];
  /** Until it is resolved no statement is carried out. */
  gate: Promise<void> = Promise.resolve();
  isFailing = false;
  /** Statements are carried out, and nobody is told. */
  isLosingAnswers = false;
  readonly #ticks: (() => void)[] = [];
  readonly ledger = this.start("one");
  readonly other = this.start("two");

  start(process: string, isRemote = false): Ledger {
    const through = async <Answer>(run: () => Promise<Answer>): Promise<Answer> => {
      await this.gate;
      if (this.isFailing) throw new StorageError("the store does not answer");
      const answer = await run();
      if (this.isLosingAnswers)
        throw new StorageError("the store died", { isOutcomeUnknown: true });
      return answer;
    };
    const ledger = new Ledger(
      { plans: PLANS, process, isRemote },
      {
        store: {
          take: (request) => {
            this.takes.push(request);
            return through(() => this.store.take(request));
          },
          giveBack: (...args) => through(() => this.store.giveBack(...args)),
          read: (...args) => through(() => this.store.read(...args)),
        },
        scheduler: {
          now: () => this.nowMs,
          monotonic: () => this.atMs,
          elapsed: () => this.atMs,
          every: (_, run) => {
            this.#ticks.push(run);
            return () => this.#ticks.splice(this.#ticks.indexOf(run), 1);
          },
        },
        onStoreFailure: (error) => this.failures.push(error),
      },
    );
    ledger.start();
    return ledger;
  }

  async pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= 250) {
      this.nowMs += Math.min(left, 250);
      this.atMs += Math.min(left, 250);
      for (const tick of [...this.#ticks]) tick();
      await settled();
    }
  }

  async admit(who: Identity, credits = 80, ledger = this.ledger): Promise<Outcome> {
    return new Promise((resolve) => {
      const outcome = ledger.admit(identity(who), credits, { admitted: resolve });
      if (outcome !== "waiting") resolve(outcome);
    });
  }

  /** A call that is served at once. */
  async serve(
    who: Identity,
    credits = 80,
    ledger = this.ledger,
  ): Promise<"served" | CreditRefusal> {
    const outcome = await this.admit(who, credits, ledger);
    if ("kind" in outcome) return outcome;
    ledger.settle(outcome, true);
    return "served";
  }

  async used(owner = "account", day = TODAY): Promise<number> {
    return (await this.store.read(owner, day)).used;
  }
}

const NOBODY = { admitted: () => undefined };

function identity(changes: Identity): CreditIdentity {
  const plain = { keyId: "key", accountId: "account", plan: "team" };
  return { ...plain, accountLimits: NONE, keyLimits: NONE, ...changes };
}

async function settled(): Promise<void> {
  for (let turns = 0; turns < 20; turns += 1) await undefined;
}

const isReservation = (outcome: unknown): outcome is Reservation =>
  typeof outcome === "object" && outcome !== null && !("kind" in outcome);

let rig: Rig;
beforeEach(() => {
  rig = new Rig();
});

describe("spending", () => {
  test("only the first call waits for the store; the next ones are answered at once", async () => {
    expect(await rig.serve({})).toBe("served");
    for (let call = 0; call < 200; call += 1) {
      const outcome = rig.ledger.admit(identity({}), 80, NOBODY);
      expect(isReservation(outcome)).toBe(true);
      if (isReservation(outcome)) rig.ledger.settle(outcome, true);
      await settled();
    }
    expect(rig.takes.length).toBeLessThan(12);
  });

  test("two seconds after the last call `used` is what was served, to the credit", async () => {
    for (const credits of [80, 5, 255, 1000]) expect(await rig.serve({}, credits)).toBe("served");
    expect(await rig.used()).toBeGreaterThan(1340);
    await rig.pass(1250);
    expect(await rig.used()).toBe(1340);
  });

  test("a call that was not served costs nothing, but its throughput", async () => {
    const before = rig.ledger.balance(identity({})).secondLeft;
    const outcome = await rig.admit({});
    if (isReservation(outcome)) rig.ledger.settle(outcome, false);
    expect(rig.ledger.balance(identity({}))).toMatchObject({
      remaining: 75_000_000,
      secondLeft: before - 80,
    });
    await rig.pass(1250);
    expect(await rig.used()).toBe(0);
  });

  test("an account can spend its last credit, and not one more", async () => {
    for (let call = 0; call < 12; call += 1)
      expect(await rig.serve({ plan: "day" })).toBe("served");
    expect(await rig.serve({ plan: "day" })).toEqual({ kind: "balance" });
    expect(await rig.serve({ plan: "day" }, 40)).toBe("served");
    expect(await rig.serve({ plan: "day" }, 1)).toEqual({ kind: "balance" });
    expect(await rig.used()).toBe(1000);
  });

  test("what two processes hold is put together before either says that the balance is gone", async () => {
    await rig.store.add("account", TODAY, -900);
    const plan = "day";
    expect(await rig.serve({ plan }, 5)).toBe("served");
    expect(await rig.serve({ plan }, 5, rig.other)).toBe("served");
    expect(await rig.serve({ plan }, 91)).toEqual({ kind: "balance" });
    await rig.pass(1250);
    expect(await rig.serve({ plan }, 90)).toBe("served");
    expect(await rig.used()).toBe(100);
  });

  test("an account that is used up costs four statements a second, and is asked for again", async () => {
    expect(await rig.serve({ plan: "day" }, 990)).toBe("served");
    const before = rig.takes.length;
    for (let call = 0; call < 100; call += 1) {
      expect(await rig.serve({ plan: "day" })).toEqual({ kind: "balance" });
    }
    expect(rig.takes.length - before).toBe(1);
    await rig.store.add("account", TODAY, 100);
    await rig.pass(250);
    expect(await rig.serve({ plan: "day" })).toBe("served");
  });

  test("calls that wait are served in order with as few statements as fit the lease", async () => {
    const order: number[] = [];
    for (let call = 0; call < 60; call += 1) {
      const admitted = (outcome: Outcome) => {
        expect(isReservation(outcome)).toBe(true);
        order.push(call);
      };
      rig.ledger.admit(identity({}), 80, { admitted });
    }
    await settled();
    expect(order).toEqual(Array.from({ length: 60 }, (_, call) => call));
    expect(rig.takes.length).toBeLessThan(4);
  });

  test("near the end of a balance, where leases are smaller than a call, a line costs a statement a call", async () => {
    const plan = "burst";
    for (let call = 0; call < 19; call += 1) expect(await rig.serve({ plan }, 1000)).toBe("served");
    const [before, outcomes] = [rig.takes.length, [] as Outcome[]];
    for (let call = 0; call < 12; call += 1) {
      rig.ledger.admit(identity({ plan }), 80, { admitted: (one) => void outcomes.push(one) });
    }
    for (let turns = 0; turns < 5; turns += 1) await settled();
    expect(outcomes.filter(isReservation)).toHaveLength(12);
    expect(rig.takes.length - before).toBeLessThanOrEqual(12);
  });
});

describe("throughput", () => {
  test("beyond it 429 with whole seconds; the account is asked before the key, and not charged", async () => {
    const plan = "free";
    for (let call = 0; call < 6; call += 1) expect(await rig.serve({ plan })).toBe("served");
    expect(await rig.serve({ plan })).toEqual({ kind: "throughput", retryAfterSeconds: 1 });
    await rig.pass(1250);
    expect(await rig.used()).toBe(480);
  });

  test("a key's own throughput refuses without taking any of the account's", async () => {
    const keyLimits = { creditsPerDay: null, creditsPerSecond: 100 };
    expect(await rig.serve({ keyLimits })).toBe("served");
    const before = rig.ledger.balance(identity({})).secondLeft;
    const refusal = { kind: "key-throughput", retryAfterSeconds: 1 };
    expect(await rig.serve({ keyLimits })).toEqual(refusal);
    expect(rig.ledger.balance(identity({})).secondLeft).toBe(before);
    expect(await rig.serve({ keyId: "another" })).toBe("served");
  });

  test("a call dearer than a second's credits is served, and the ones after it wait for it", async () => {
    expect(await rig.serve({ plan: "free" }, 1000)).toBe("served");
    const refusal = { kind: "throughput", retryAfterSeconds: 2 };
    expect(await rig.serve({ plan: "free" }, 80)).toEqual(refusal);
  });

  test("where processes share it, calls that the store has no throughput for are refused, not queued", async () => {
    const plan = "free";
    expect(await rig.serve({ plan }, 80, rig.other)).toBe("served");
    const outcomes = await Promise.all(Array.from({ length: 6 }, () => rig.serve({ plan })));
    expect(outcomes.filter((outcome) => outcome === "served")).toHaveLength(4);
    expect(outcomes.at(-1)).toEqual({ kind: "throughput", retryAfterSeconds: 1 });
  });

  test("a plan without credits a second refuses for good, and says why", async () => {
    const refusal = { kind: "balance", details: expect.stringContaining("not configured") };
    expect(await rig.serve({ plan: "gone" })).toEqual(refusal);
  });
});

describe("a key's own day", () => {
  const keyLimits = { creditsPerDay: 200, creditsPerSecond: null };

  test("ends before the account's, with the time until it returns", async () => {
    for (const _ of [1, 2]) expect(await rig.serve({ keyLimits })).toBe("served");
    const refusal = { kind: "key-balance", retryAfterSeconds: DAY_MS / 2 / 1000 };
    expect(await rig.serve({ keyLimits })).toEqual(refusal);
    expect(await rig.serve({ keyId: "another" })).toBe("served");
    await rig.pass(1250);
    expect([await rig.used("key"), await rig.used()]).toEqual([160, 240]);
  });

  test("is not charged where the account refuses", async () => {
    expect(await rig.serve({ plan: "day", keyId: "another" }, 950)).toBe("served");
    expect(await rig.serve({ plan: "day", keyLimits })).toEqual({ kind: "balance" });
    await rig.pass(1250);
    expect(await rig.used("key")).toBe(0);
  });
});

describe("days", () => {
  test("a call belongs to the day in which it was admitted, however late it ends", async () => {
    rig.nowMs = (TODAY + 1) * DAY_MS - 100;
    const [late, free] = [await rig.admit({}), await rig.admit({})];
    await rig.pass(500);
    expect(await rig.serve({}, 5)).toBe("served");
    if (!isReservation(late) || !isReservation(free)) throw new Error("not admitted");
    expect([late.day, free.day]).toEqual([TODAY, TODAY]);
    rig.ledger.settle(late, true);
    rig.ledger.settle(free, false);
    await rig.pass(1250);
    expect([await rig.used(), await rig.used("account", TODAY + 1)]).toEqual([80, 5]);
  });

  test("a clock that jumped forward and is set right is paid from the real day at once", async () => {
    const plan = "day";
    const limited = { plan, keyLimits: { creditsPerDay: 500, creditsPerSecond: null } };
    expect(await rig.serve(limited, 300)).toBe("served");
    rig.nowMs += 400 * DAY_MS;
    expect(await rig.serve(limited, 80)).toBe("served");
    expect(rig.ledger.balance(identity({ plan })).remaining).toBe(920);
    rig.nowMs -= 400 * DAY_MS;
    expect(await rig.serve(limited, 201)).toMatchObject({ kind: "key-balance" });
    expect(await rig.serve(limited, 200)).toBe("served");
    expect(await rig.serve({ plan }, 501)).toEqual({ kind: "balance" });
    expect(rig.ledger.balance(identity({ plan }))).toMatchObject({
      remaining: 500,
      resetSeconds: DAY_MS / 2 / 1000,
    });
    expect(await rig.serve({ plan }, 500)).toBe("served");
    await rig.pass(1250);
    expect([await rig.used(), await rig.used("key")]).toEqual([1000, 500]);
    expect([await rig.used("account", TODAY + 400), await rig.used("key", TODAY + 400)]).toEqual([
      80, 80,
    ]);
  });

  test("what a wrong day's lease had left goes back to that day, and its grant that comes late too", async () => {
    expect(await rig.serve({ plan: "small" })).toBe("served");
    let opens: () => void = () => undefined;
    rig.gate = new Promise((resolve) => {
      opens = resolve;
    });
    rig.nowMs += 3 * DAY_MS;
    const outcome = rig.serve({ plan: "small" });
    await settled();
    rig.nowMs -= 3 * DAY_MS;
    opens();
    expect(await outcome).toBe("served");
    await rig.pass(1250);
    expect([await rig.used(), await rig.used("account", TODAY + 3)]).toEqual([160, 0]);
  });

  test("all days that a clock jumps to have one balance together; the first day keeps its own", async () => {
    const plan = "day";
    expect(await rig.serve({ plan }, 300)).toBe("served");
    for (const days of [400, -7, 30]) {
      rig.nowMs += days * DAY_MS;
      expect(await rig.serve({ plan }, 300)).toBe("served");
      await rig.pass(1250);
    }
    expect(await rig.serve({ plan }, 101)).toEqual({ kind: "balance" });
    rig.nowMs -= 30 * DAY_MS;
    await rig.pass(500);
    expect(await rig.serve({ plan }, 101)).toEqual({ kind: "balance" });
    expect(await rig.used("account", TODAY + 393)).toBe(900);
    rig.nowMs -= 393 * DAY_MS;
    expect(await rig.serve({ plan }, 700)).toBe("served");
  });

  test("a key's call that waits over midnight is charged to one day in both rows", async () => {
    rig.nowMs = (TODAY + 1) * DAY_MS - 10;
    const keyLimits = { creditsPerDay: 500, creditsPerSecond: null };
    let opens: () => void = () => undefined;
    const outcome = rig.serve({ keyLimits });
    await settled();
    rig.gate = new Promise((resolve) => {
      opens = resolve;
    });
    rig.nowMs += 20;
    opens();
    expect(await outcome).toBe("served");
    await rig.pass(1250);
    const days = [TODAY, TODAY + 1];
    const rows = await Promise.all(
      days.map(async (day) => [await rig.used("key", day), await rig.used("account", day)]),
    );
    for (const [ofKey, ofAccount] of rows) expect(ofKey).toBe(ofAccount);
  });
});

describe("what is open stays within the bound", () => {
  const plan = "small";
  const never = () => new Promise<never>(() => undefined);

  test("what was kept for calls that gave up is not open beside what was asked for them", async () => {
    const free = await rig.admit({ plan }, 300);
    await rig.pass(1250);
    rig.store = { ...rig.store, take: never };
    const calls = [rig.admit({ plan }, 1000), rig.admit({ plan }, 1000)];
    if (isReservation(free)) rig.ledger.settle(free, false);
    await settled();
    expect([rig.takes.at(-1)?.want, await rig.used()]).toEqual([1000, 300]);
    await rig.pass(2000);
    for (const call of calls) expect(await call).toEqual({ kind: "unavailable" });
    expect(await rig.used()).toBe(0);
  });

  test("what waits for its key and then for its account waits two seconds in all", async () => {
    let opens: () => void = () => undefined;
    const close = () => {
      rig.gate = new Promise((resolve) => {
        opens = resolve;
      });
    };
    close();
    let refused: CreditRefusal | undefined;
    const keyLimits: Limits = { creditsPerDay: 1000, creditsPerSecond: null };
    const outcome = rig.serve({ keyLimits }).then((each) => {
      if (each !== "served") refused = each;
    });
    await rig.pass(1500);
    opens();
    close();
    await rig.pass(250);
    expect([refused, rig.takes.at(-1)?.owner]).toEqual([undefined, "account"]);
    await rig.pass(500);
    expect(refused).toEqual({ kind: "unavailable" });
    opens();
    await outcome;
    await rig.pass(1250);
    expect([await rig.used("key"), await rig.used()]).toEqual([0, 0]);
  });

  test("what is on its way back counts: a call that needs more waits until it has arrived", async () => {
    const free = await rig.admit({ plan }, 900);
    if (isReservation(free)) rig.ledger.settle(free, false);
    let arrives: () => void = () => undefined;
    rig.gate = new Promise((resolve) => {
      arrives = resolve;
    });
    await rig.pass(1250);
    const before = rig.takes.length;
    const call = rig.serve({ plan }, 500);
    await settled();
    expect(rig.takes.length).toBe(before);
    arrives();
    expect(await call).toBe("served");
    await rig.pass(1250);
    expect(await rig.used()).toBe(500);
  });

  test("where the store refuses what goes back, such a call does not wait for it", async () => {
    const free = await rig.admit({ plan }, 900);
    if (isReservation(free)) rig.ledger.settle(free, false);
    rig.isFailing = true;
    await rig.pass(1250);
    const before = rig.takes.length;
    const answer = rig.ledger.admit(identity({ plan }), 500, NOBODY);
    expect([answer, rig.takes.length]).toEqual([{ kind: "unavailable" }, before]);
    rig.isFailing = false;
    await rig.pass(500);
    expect(await rig.serve({ plan }, 500)).toBe("served");
  });
});

describe("a store that fails", () => {
  test("the lease at hand is spent, then calls are refused, and serving resumes by itself", async () => {
    expect(await rig.serve({})).toBe("served");
    rig.isFailing = true;
    const outcomes: unknown[] = [];
    for (let call = 0; call < 100; call += 1) outcomes.push(await rig.serve({}));
    expect(outcomes.filter((outcome) => outcome === "served").length).toBeGreaterThan(40);
    expect(outcomes.at(-1)).toEqual({ kind: "unavailable" });
    expect(rig.failures).toHaveLength(1);
    expect(rig.ledger.isStoreFailing).toBe(true);
    rig.isFailing = false;
    await rig.pass(500);
    expect(await rig.serve({})).toBe("served");
    await rig.pass(1500);
    expect(await rig.used()).toBe(80 * (2 + outcomes.filter((each) => each === "served").length));
    expect(rig.ledger.isStoreFailing).toBe(false);
  });

  test("is told to be failing for ten seconds, after which calls may find out again", async () => {
    rig.isFailing = true;
    expect(await rig.serve({})).toEqual({ kind: "unavailable" });
    await rig.pass(9750);
    expect(rig.ledger.isStoreFailing).toBe(true);
    await rig.pass(250);
    expect(rig.ledger.isStoreFailing).toBe(false);
  });

  test("a call waits two seconds for a store that does not answer, and later ones not at all", async () => {
    rig.gate = new Promise(() => undefined);
    const outcome = rig.serve({});
    await rig.pass(1750);
    const second = rig.admit({});
    await rig.pass(250);
    expect(await outcome).toEqual({ kind: "unavailable" });
    expect(rig.ledger.admit(identity({}), 80, NOBODY)).toEqual({ kind: "unavailable" });
    await rig.pass(1750);
    expect(await second).toEqual({ kind: "unavailable" });
  });

  test("what may have been given back already is not given back once more", async () => {
    const paid = await rig.admit({}, 300);
    if (isReservation(paid)) rig.ledger.settle(paid, true);
    rig.isLosingAnswers = true;
    await rig.pass(1250);
    const usedThen = await rig.used();
    rig.isLosingAnswers = false;
    await rig.pass(1250);
    expect(await rig.used()).toBe(usedThen);
    expect(usedThen).toBeGreaterThanOrEqual(300);
    expect(await rig.serve({})).toBe("served");
  });

  test("what could not be given back goes back when the store answers again", async () => {
    expect(await rig.serve({})).toBe("served");
    rig.isFailing = true;
    await rig.pass(3000);
    expect(await rig.used()).toBeGreaterThan(80);
    rig.isFailing = false;
    await rig.pass(500);
    expect(await rig.used()).toBe(80);
  });
});

describe("where the store is another machine's", () => {
  const STEP_MS = 250;
  const SPENT_A_STEP = 5 * 80;
  let ledger: Ledger;
  beforeEach(() => {
    ledger = rig.start("far", true);
  });

  /** Five calls each quarter of a second; what came of them. */
  async function spend(ms: number, ledgers = [ledger]): Promise<unknown[]> {
    const outcomes: unknown[] = [];
    for (let left = ms; left > 0; left -= STEP_MS) {
      for (const one of ledgers) {
        for (let call = 0; call < 5; call += 1) outcomes.push(await rig.serve({}, 80, one));
      }
      await rig.pass(STEP_MS);
    }
    return outcomes;
  }
  const served = (ms: number, ledgers = 1) => Array((ledgers * 5 * ms) / STEP_MS).fill("served");
  const spentIn = (ms: number) => (SPENT_A_STEP * ms) / STEP_MS;

  test("what an owner spends in 40 seconds is leased, for a statement a second", async () => {
    await spend(160_000);
    const leased = (await rig.used()) - spentIn(160_000);
    expect(leased).toBeGreaterThan(spentIn(37_000));
    expect(leased).toBeLessThan(spentIn(46_000));
    rig.takes = [];
    expect(await spend(10_000)).toEqual(served(10_000));
    expect(rig.takes.length).toBeLessThanOrEqual(10);
    await rig.pass(1250);
    expect(await rig.used()).toBe(spentIn(170_000));
  });

  test("an owner that spends less and less brings its lease back with few statements", async () => {
    await spend(160_000);
    let returns = 0;
    const { giveBack } = rig.store;
    rig.store = {
      ...rig.store,
      giveBack: (given) => {
        returns += 1;
        return giveBack(given);
      },
    };
    for (let second = 0; second < 60; second += 1) {
      await rig.serve({}, 5, ledger);
      await rig.pass(750);
    }
    expect(returns).toBeGreaterThan(0);
    expect(returns).toBeLessThan(20);
  });

  test("it is served for 30 seconds while the store is away, others are not, and nothing is lost", async () => {
    await spend(120_000);
    rig.isFailing = true;
    expect(await rig.serve({ accountId: "stranger" }, 80, ledger)).toEqual({ kind: "unavailable" });
    expect(await spend(30_000)).toEqual(served(30_000));
    rig.isFailing = false;
    await rig.pass(2000);
    expect(await rig.used()).toBe(spentIn(150_000));
    expect(await rig.serve({ accountId: "stranger" }, 80, ledger)).toBe("served");
  });

  test("one that rests keeps its lease while the store is away, and only then", async () => {
    await spend(20_000);
    rig.isFailing = true;
    await rig.serve({ accountId: "stranger" }, 80, ledger);
    await rig.pass(8000);
    expect(await rig.serve({}, 80, ledger)).toBe("served");
    rig.isFailing = false;
    await rig.pass(2000);
    expect(await rig.used()).toBe(spentIn(20_000) + 80);
  });

  test("two processes of one owner are both served for 30 seconds while the store is away, and nothing is lost", async () => {
    const both = [ledger, rig.start("too", true)];
    await spend(60_000, both);
    rig.isFailing = true;
    expect(await spend(30_000, both)).toEqual(served(30_000, 2));
    rig.isFailing = false;
    await rig.pass(2000);
    expect(await rig.used()).toBe(2 * spentIn(90_000));
  });
});

describe("changes and the end", () => {
  test("a plan that changes is felt with the next call, and what was spent stays spent", async () => {
    expect(await rig.serve({ plan: "day" }, 990)).toBe("served");
    expect(await rig.serve({ plan: "day" })).toEqual({ kind: "balance" });
    // The seconds before count too: 990 credits are two seconds of the smaller plan.
    await rig.pass(250);
    expect(await rig.serve({ plan: "free" })).toBe("served");
    expect(rig.ledger.balance(identity({ plan: "free" })).remaining).toBe(3_000_000 - 1070);
    expect(await rig.serve({ plan: "day" }, 5)).toEqual({ kind: "balance" });
    await rig.pass(1250);
    expect(await rig.used()).toBe(1070);
  });

  test("a stop gives everything back, refuses later calls, and ends those in the air", async () => {
    expect(await rig.serve({})).toBe("served");
    const last = await rig.admit({});
    await rig.ledger.stop();
    expect(await rig.used()).toBe(160);
    expect(await rig.serve({})).toEqual({ kind: "unavailable" });
    if (isReservation(last)) rig.ledger.settle(last, false);
    await settled();
    expect(await rig.used()).toBe(80);
  });

  test("a stop ends within two seconds although the store fails", async () => {
    expect(await rig.serve({})).toBe("served");
    rig.isFailing = true;
    let ended = false;
    void rig.ledger.stop().then(() => {
      ended = true;
    });
    await rig.pass(1750);
    expect(ended).toBe(false);
    await rig.pass(250);
    expect(ended).toBe(true);
  });

  test("owners without calls are forgotten, save those with calls in the air", async () => {
    for (let account = 0; account < 500; account += 1) {
      expect(await rig.serve({ accountId: `account${account}` })).toBe("served");
    }
    const slow = await rig.admit({ accountId: "slow" });
    expect(rig.ledger.size).toBe(501);
    await rig.pass(70_000);
    expect(rig.ledger.size).toBe(1);
    if (isReservation(slow)) rig.ledger.settle(slow, true);
    await rig.pass(70_000);
    expect(rig.ledger.size).toBe(0);
  });
});

describe("what an answer says", () => {
  test("an account that this process does not know yet is asked for once", async () => {
    await rig.serve({}, 80, rig.other);
    await rig.pass(1250);
    let told = 0;
    for (const _ of [1, 2]) {
      expect(rig.ledger.learn(identity({}), () => (told += 1))).toBe("waiting");
    }
    await settled();
    expect(told).toBe(2);
    expect(rig.ledger.learn(identity({}), () => undefined)).toBeUndefined();
    expect(rig.ledger.balance(identity({})).remaining).toBe(75_000_000 - 80);
  });

  test("credits, seconds and limits", async () => {
    await rig.store.add("account", TODAY, 1000);
    expect(await rig.serve({ plan: "free" })).toBe("served");
    expect(rig.ledger.balance(identity({ plan: "free" }))).toEqual({
      limit: 3_000_000,
      remaining: 3_000_000 + 1000 - 80,
      resetSeconds: DAY_MS / 2 / 1000,
      perSecond: 500,
      secondLeft: 420,
    });
    await rig.pass(1250);
    expect(rig.ledger.balance(identity({ plan: "free" })).remaining).toBe(3_000_920);
  });
});
