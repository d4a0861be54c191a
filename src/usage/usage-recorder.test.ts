import fc from "fast-check";
import { afterEach, describe, expect, test, vi } from "vitest";
import { latenciesAt } from "../../test/support/latencies-at.ts";
import { timed } from "../../test/support/timed.ts";
import { addLatencies, type LatencyCounts, noLatencies } from "../lib/latency-counts.ts";
import { StorageError } from "../storage/store.ts";
import type {
  BatchNumber,
  ContractCount,
  UsageBucket,
  UsageStore,
} from "../storage/usage-store.ts";
import { SKETCH_ENTRIES } from "./contract-sketch.ts";
import { type SettledCall, UsageRecorder } from "./usage-recorder.ts";

const MINUTE_MS = 60_000;
const NOON = Date.UTC(2026, 10, 21, 12);
const keep = { minutes: 2 * 86_400_000, hours: 90 * 86_400_000, days: 730 * 86_400_000 };

type Figures = {
  readonly calls: number;
  readonly credits: number;
  readonly bytes: number;
  readonly latencyMs: number;
  readonly latencies: LatencyCounts;
};
type Sums = { calls: number; credits: number; bytes: number; latencyMs: number } & {
  readonly latencies: number[];
};
type Pruned = Parameters<UsageStore["prune"]>[0];

/** Sums by name, as a store would have them. */
class Book {
  readonly sums = new Map<string, Sums>();

  add(name: string, { calls, credits, bytes, latencyMs, latencies }: Figures): void {
    const none = { calls: 0, credits: 0, bytes: 0, latencyMs: 0, latencies: noLatencies() };
    const sums = this.sums.get(name) ?? none;
    sums.calls += calls;
    sums.credits += credits;
    sums.bytes += bytes;
    sums.latencyMs += latencyMs;
    addLatencies(sums.latencies, latencies);
    this.sums.set(name, sums);
  }

  get calls(): number {
    return [...this.sums.values()].reduce((sum, { calls }) => sum + calls, 0);
  }
}

const SPANS = { minute: 1, hour: 60, day: 1440 };
type Span = keyof typeof SPANS;

function nameOf(call: Omit<SettledCall, keyof Figures>, minute: number, span: Span): string {
  const { accountId, keyId, network, method, outcome } = call;
  const at = Math.floor(minute / SPANS[span]);
  return [at, accountId, keyId, network, method, outcome].join(" ");
}

/** A recorder over a store that can fail and can be slow, and what each of the two was told. */
class Bench {
  nowMs = NOON;
  failing = false;
  slow = false;
  /** Writes are carried out, and told as of unknown outcome. */
  losingAnswers = false;
  lastNumber = 0;
  writes = 0;
  rowsOfLastWrite = 0;
  lost = 0;
  readonly failures: unknown[] = [];
  readonly pruned: Pruned[] = [];
  piecesLeft = 0;
  readonly contracts = new Map<string, number>();
  readonly contractOwners: string[] = [];
  contractRows = 0;
  readonly stored = { minute: new Book(), hour: new Book(), day: new Book() };
  readonly recorded = { minute: new Book(), hour: new Book(), day: new Book() };
  readonly recorder: UsageRecorder;
  #stuck: (() => void)[] = [];

  constructor(maxRows?: number) {
    const clock = timed({ now: () => this.nowMs, monotonic: () => this.nowMs });
    const store = {
      record: (
        buckets: readonly UsageBucket[],
        contracts: readonly ContractCount[],
        batch?: BatchNumber,
      ) => this.#store(buckets, contracts, batch),
      prune: async (before: Pruned) => {
        if (this.failing) throw new Error("the store is away");
        this.pruned.push(before);
        this.piecesLeft -= 1;
        return this.piecesLeft > 0;
      },
    };
    const process = "one";
    const options = maxRows === undefined ? { keep, process } : { keep, process, maxRows };
    this.recorder = new UsageRecorder(options, {
      store,
      clock,
      onStoreFailure: (error) => this.failures.push(error),
      onLost: (calls) => {
        this.lost += calls;
      },
    });
  }

  record(call: SettledCall): void {
    this.recorder.record(call);
    const minute = Math.floor(this.nowMs / MINUTE_MS);
    const { latencyMs } = call;
    const figures =
      latencyMs === undefined
        ? { calls: 1, latencyMs: 0, latencies: noLatencies() }
        : { calls: 1, latencyMs, latencies: latenciesAt(latencyMs, 1) };
    for (const span of Object.keys(SPANS) as Span[]) {
      this.recorded[span].add(nameOf(call, minute, span), { ...call, ...figures });
    }
  }

  /** Lets the writes go on that a slow store has not answered. */
  async release(): Promise<void> {
    const stuck = this.#stuck;
    this.#stuck = [];
    for (const goOn of stuck) goOn();
    await new Promise((resolve) => setImmediate(resolve));
  }

  async recover(): Promise<void> {
    this.slow = false;
    this.failing = false;
    await this.release();
  }

  async #store(
    buckets: readonly UsageBucket[],
    contracts: readonly ContractCount[],
    { number }: Partial<BatchNumber> = {},
  ) {
    this.writes += 1;
    this.rowsOfLastWrite = buckets.length + contracts.length;
    if (this.slow) await new Promise<void>((resolve) => this.#stuck.push(resolve));
    if (this.failing) throw new Error("the store is away");
    if (number !== undefined && number <= this.lastNumber) return;
    this.lastNumber = number ?? 0;
    for (const bucket of buckets) {
      for (const span of Object.keys(SPANS) as Span[]) {
        this.stored[span].add(nameOf(bucket, bucket.minute, span), bucket);
      }
    }
    if (this.losingAnswers) throw new StorageError("it died", { isOutcomeUnknown: true });
    this.contractRows += contracts.length;
    for (const { accountId, network, contract, calls } of contracts) {
      this.contracts.set(contract, (this.contracts.get(contract) ?? 0) + calls);
      this.contractOwners.push(`${accountId} ${network} ${contract} ${calls}`);
    }
  }
}

const aCall: SettledCall = {
  accountId: "acc_1",
  keyId: "key_1",
  network: "mainnet",
  method: "eth_call",
  outcome: "ok",
  credits: 80,
  bytes: 100,
  latencyMs: 1.5,
};

/** Latencies are quarters, so that sums are exact in whatever order they are added. */
const settledCall: fc.Arbitrary<SettledCall> = fc.record(
  {
    accountId: fc.constantFrom("acc_1", "acc_2"),
    keyId: fc.constantFrom("key_1", "key_2"),
    network: fc.constantFrom("mainnet", "sepolia"),
    method: fc.constantFrom("eth_call", "eth_chainId", "other"),
    outcome: fc.constantFrom("ok", "revert", "unavailable"),
    credits: fc.nat(1000),
    bytes: fc.nat(1_000_000),
    latencyMs: fc.nat(60_000).map((quarters) => quarters / 4),
  },
  { requiredKeys: ["accountId", "keyId", "network", "method", "outcome", "credits", "bytes"] },
);

type Step = (bench: Bench) => void | Promise<void>;

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: settledCall.map((call) => (bench: Bench) => bench.record(call)) },
  {
    weight: 3,
    arbitrary: fc.constant((bench: Bench) => {
      void bench.recorder.flush();
      return bench.slow ? undefined : bench.release();
    }),
  },
  {
    weight: 2,
    arbitrary: fc
      .oneof(
        fc.integer({ min: -5000, max: 90_000 }),
        fc.integer({ min: -86_400_000, max: 86_400_000 }),
      )
      .map((byMs) => (bench: Bench) => {
        bench.nowMs += byMs;
      }),
  },
  {
    weight: 1,
    arbitrary: fc.boolean().map((failing) => (bench: Bench) => {
      bench.failing = failing;
    }),
  },
  {
    weight: 1,
    arbitrary: fc.boolean().map((slow) => (bench: Bench) => {
      bench.slow = slow;
      return bench.release();
    }),
  },
);
const steps = fc.array(step, { maxLength: 200, size: "max" });

async function play(bench: Bench, sequence: readonly Step[]): Promise<void> {
  for (const each of sequence) await each(bench);
  await bench.recover();
  await bench.recorder.stop();
}

describe("the usage recorder", () => {
  test("whatever happens, the store has what was recorded, to the bucket, after a stop", async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (sequence) => {
        const bench = new Bench();
        await play(bench, sequence);
        expect(bench.stored.minute.sums).toEqual(bench.recorded.minute.sums);
        expect(bench.lost).toBe(0);
      }),
      { numRuns: 500 },
    );
  });

  test("beyond the bound of memory, what is in no bucket was told as lost", async () => {
    let losses = 0;
    await fc.assert(
      fc.asyncProperty(steps, async (sequence) => {
        const bench = new Bench(4);
        await play(bench, sequence);
        expect(bench.stored.minute.calls + bench.lost).toBe(bench.recorded.minute.calls);
        losses += bench.lost;
        if (bench.lost === 0) expect(bench.stored.day.sums).toEqual(bench.recorded.day.sums);
        for (const [name, { credits }] of bench.stored.day.sums) {
          expect(credits).toBeLessThanOrEqual(bench.recorded.day.sums.get(name)?.credits ?? -1);
        }
      }),
      { numRuns: 500 },
    );
    expect(losses).toBeGreaterThan(0);
  });

  test("writes grow with time, not with calls", async () => {
    const writesOf = async (callsPerSecond: number) => {
      const bench = new Bench();
      for (let second = 0; second < 120; second += 1) {
        for (let call = 0; call < callsPerSecond; call += 1) bench.record(aCall);
        await bench.recorder.flush();
        bench.nowMs += 1000;
      }
      return bench.writes;
    };
    expect(await writesOf(1)).toBe(120);
    expect(await writesOf(1000)).toBe(120);
    expect(await writesOf(0)).toBe(0);
  });

  test("many buckets are written in parts, so that nothing waits long behind one write", async () => {
    const bench = new Bench();
    for (let key = 0; key < 2500; key += 1) bench.record({ ...aCall, keyId: `key_${key}` });
    await bench.recorder.flush();
    expect([bench.writes, bench.rowsOfLastWrite]).toEqual([3, 500]);
    expect(bench.stored.minute.calls).toBe(2500);
  });

  test("a minute ends with the clock's minute", async () => {
    const bench = new Bench();
    bench.nowMs = NOON + MINUTE_MS - 1;
    bench.record(aCall);
    bench.nowMs += 1;
    bench.record(aCall);
    bench.nowMs -= 1;
    bench.record(aCall);
    await bench.recorder.stop();
    const calls = [...bench.stored.minute.sums.values()].map((sums) => sums.calls);
    expect(calls).toEqual([2, 1]);
  });

  test("a stop waits for the write under way, and writes again what that could not", async () => {
    const bench = new Bench();
    bench.slow = true;
    bench.record(aCall);
    void bench.recorder.flush();
    bench.record(aCall);
    const stopped = bench.recorder.stop();
    bench.failing = true;
    await bench.release();
    await bench.recover();
    await stopped;
    expect([bench.stored.minute.calls, bench.lost]).toEqual([2, 0]);
  });

  test("what a failing store does not take at a stop is told as lost", async () => {
    const bench = new Bench();
    bench.failing = true;
    bench.record(aCall);
    bench.record(aCall);
    await bench.recorder.stop();
    expect(bench.lost).toBe(2);
    expect(bench.failures).toHaveLength(1);
  });

  test("what the store may have written already is sent again, counted once, and never lost", async () => {
    const bench = new Bench();
    bench.losingAnswers = true;
    bench.record(aCall);
    bench.record(aCall);
    await bench.recorder.flush();
    bench.losingAnswers = false;
    // It refuses once more before it answers: still nobody knows.
    bench.failing = true;
    bench.record(aCall);
    await bench.recorder.flush();
    await bench.recover();
    await bench.recorder.stop();
    expect([bench.lost, bench.stored.minute.calls, bench.failures.length]).toEqual([0, 3, 1]);
  });

  test("what the store may have written is told as lost where the process ends before it answers", async () => {
    const bench = new Bench();
    bench.losingAnswers = true;
    bench.record(aCall);
    await bench.recorder.flush();
    bench.losingAnswers = false;
    bench.failing = true;
    bench.record(aCall);
    await bench.recorder.stop();
    expect(bench.lost).toBe(2);
  });

  test("a failure of the store is told once, and again after it worked", async () => {
    const bench = new Bench();
    for (const failing of [true, true, false, true]) {
      bench.failing = failing;
      bench.record(aCall);
      await bench.recorder.flush();
      expect(bench.recorder.isStoreFailing).toBe(failing);
    }
    expect(bench.failures).toHaveLength(2);
  });

  test("memory is bounded while the store fails, and what it could not hold is told", async () => {
    const bench = new Bench(100);
    bench.failing = true;
    for (let key = 0; key < 3000; key += 1) {
      bench.record({ ...aCall, keyId: `key_${key}` });
      if (key % 50 === 0) await bench.recorder.flush();
    }
    await bench.recover();
    await bench.recorder.stop();
    expect([bench.stored.minute.sums.size, bench.lost]).toEqual([100, 2900]);
  });

  test("minutes are merged to hours, and hours to days, before a call is lost", async () => {
    const bench = new Bench(40);
    bench.failing = true;
    for (let minute = 0; minute < 10 * 60; minute += 1) {
      bench.record(aCall);
      await bench.recorder.flush();
      bench.nowMs += MINUTE_MS;
    }
    await bench.recover();
    await bench.recorder.stop();
    expect(bench.lost).toBe(0);
    expect(bench.stored.minute.sums.size).toBeLessThan(40);
    expect(bench.stored.hour.sums).toEqual(bench.recorded.hour.sums);
  });

  test("more buckets in a minute than memory holds are no loss while the store works", async () => {
    const bench = new Bench(100);
    for (let key = 0; key < 2000; key += 1) {
      bench.record({ ...aCall, keyId: `key_${key}` });
      if (key % 25 === 24) await bench.recorder.flush();
    }
    await bench.recorder.stop();
    expect([bench.lost, bench.stored.minute.calls]).toEqual([0, 2000]);
  });
});

describe("contracts in the store", () => {
  const contract = fc.oneof(fc.nat(5), fc.nat(80), fc.nat(3000)).map((index) => `0x${index}`);
  const streams = fc.array(contract, { maxLength: 3000, size: "max" });

  test("are never more than the truth, and at most 2 N / k less", async () => {
    await fc.assert(
      fc.asyncProperty(streams, fc.integer({ min: 1, max: 500 }), async (contracts, every) => {
        const bench = new Bench();
        const truth = new Map<string, number>();
        for (const [index, each] of contracts.entries()) {
          bench.recorder.contract("acc_1", "mainnet", each);
          truth.set(each, (truth.get(each) ?? 0) + 1);
          bench.failing = index % 7 === 0;
          if (index % every === 0) await bench.recorder.flush();
        }
        bench.failing = false;
        await bench.recorder.stop();
        for (const [each, called] of truth) {
          const stored = bench.contracts.get(each) ?? 0;
          expect(stored).toBeLessThanOrEqual(called);
          expect(stored).toBeGreaterThanOrEqual(called - (2 * contracts.length) / SKETCH_ENTRIES);
        }
      }),
    );
  });

  test("are counted for the account and the network that called them, though these take turns", async () => {
    const bench = new Bench();
    const owners = ["acc_1 mainnet", "acc_2 mainnet", "acc_2 sepolia", "acc_1 sepolia"];
    for (let call = 0; call < 40; call += 1) {
      const [account = "", network = ""] = (owners[call % 4] ?? "").split(" ");
      bench.recorder.contract(account, network, `0x${call % 4}`);
    }
    await bench.recorder.stop();
    expect(bench.contractOwners).toEqual(owners.map((owner, at) => `${owner} 0x${at} 10`));
  });

  test("have one that is called often, though its calls come after many others", async () => {
    const bench = new Bench();
    for (let call = 0; call < 640; call += 1)
      bench.recorder.contract("acc_1", "mainnet", `0x${call}`);
    for (let call = 0; call < 11; call += 1) bench.recorder.contract("acc_1", "mainnet", "0xlate");
    await bench.recorder.stop();
    expect(bench.contracts.get("0xlate")).toBe(11);
  });

  test("do not grow with the number of contracts that a client makes up", async () => {
    const bench = new Bench();
    for (let call = 0; call < 60_000; call += 1) {
      bench.recorder.contract("acc_1", "mainnet", `0x${call}`);
      if (call % 1000 === 0) await bench.recorder.flush();
    }
    await bench.recorder.stop();
    expect(bench.contractRows).toBeLessThanOrEqual(2 * SKETCH_ENTRIES);
  });
});

describe("in the background", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  test("what was recorded is written within a second, without being asked", async () => {
    vi.useFakeTimers();
    const bench = new Bench();
    bench.recorder.start();
    bench.record(aCall);
    await vi.advanceTimersByTimeAsync(1000);
    expect(bench.stored.minute.calls).toBe(1);
    await bench.recorder.stop();
    bench.record(aCall);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(bench.writes).toBe(1);
  });

  test("a write of many rows lets the next one wait a second for each thousand", async () => {
    vi.useFakeTimers();
    const bench = new Bench();
    bench.recorder.start();
    const second = async () => {
      bench.nowMs += 1000;
      await vi.advanceTimersByTimeAsync(1000);
    };
    for (let key = 0; key < 3000; key += 1) bench.record({ ...aCall, keyId: `key_${key}` });
    await second();
    expect(bench.writes).toBe(3);
    bench.record(aCall);
    await second();
    await second();
    expect(bench.writes).toBe(3);
    await second();
    expect(bench.writes).toBe(4);
    await bench.recorder.stop();
  });

  test("what is older than the configuration keeps is dropped at the start and once an hour", async () => {
    const bench = new Bench();
    for (let minute = 0; minute < 121; minute += 1) {
      await bench.recorder.flush();
      bench.nowMs += MINUTE_MS;
    }
    const at = (nowMs: number): Pruned => ({
      minute: nowMs - keep.minutes,
      hour: nowMs - keep.hours,
      day: nowMs - keep.days,
    });
    const hour = 60 * MINUTE_MS;
    expect(bench.pruned).toEqual([at(NOON), at(NOON + hour), at(NOON + 2 * hour)]);
  });

  test("what is dropped in pieces is dropped to the end, and writes go on in between", async () => {
    const bench = new Bench();
    bench.piecesLeft = 4;
    await bench.recorder.flush();
    expect(bench.pruned).toHaveLength(1);
    bench.record(aCall);
    await bench.recorder.flush();
    expect(bench.stored.minute.calls).toBe(1);
    await vi.waitFor(() => expect(bench.pruned).toHaveLength(4));
    bench.piecesLeft = 1e6;
    bench.nowMs += 60 * MINUTE_MS;
    await bench.recorder.flush();
    await bench.recorder.stop();
    const dropped = bench.pruned.length;
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(bench.pruned.length).toBeLessThanOrEqual(dropped + 1);
  });

  test("a store that fails to drop is told, and asked again an hour later", async () => {
    const bench = new Bench();
    bench.failing = true;
    await bench.recorder.flush();
    bench.failing = false;
    await bench.recorder.flush();
    expect([bench.failures.length, bench.pruned.length]).toEqual([1, 0]);
    expect(bench.recorder.isStoreFailing).toBe(false);
    bench.nowMs += 60 * MINUTE_MS;
    await bench.recorder.flush();
    expect(bench.pruned).toHaveLength(1);
  });
});
