import { expect, test } from "vitest";
import { addLatencies, noLatencies } from "../../src/lib/latency-counts.ts";
import type { Storage } from "../../src/storage/store.ts";
import {
  USAGE_DIMENSIONS,
  type UsageBucket,
  type UsageQuery,
  type UsageSeriesQuery,
} from "../../src/storage/usage-store.ts";
import { latenciesAt } from "./latencies-at.ts";
import { bucket } from "./usage-contract.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const MIDNIGHT = Date.UTC(2026, 10, 21);
const MINUTE = MIDNIGHT / MINUTE_MS;

const span = (over: Partial<UsageQuery> = {}): UsageQuery => ({
  accountId: "acc_1",
  resolution: "minute",
  from: MIDNIGHT - HOUR_MS,
  to: MIDNIGHT + HOUR_MS,
  ...over,
});

const series = (over: Partial<UsageSeriesQuery> = {}): UsageSeriesQuery => ({
  ...span(),
  stepMs: 15 * MINUTE_MS,
  by: "method",
  top: 12,
  ...over,
});

/** Two hours around midnight, of two accounts: figures that a wrong row would spoil. */
function mixture(): readonly UsageBucket[] {
  return Array.from({ length: 400 }, (_, n) =>
    bucket({
      minute: MINUTE - 60 + ((n * 7) % 120),
      accountId: n % 11 === 0 ? "acc_2" : "acc_1",
      keyId: `key_${n % 3}`,
      network: ["mainnet", "sepolia", "base"][n % 7] ?? "mainnet",
      method: `eth_${n % 5}`,
      outcome: ["ok", "reverted", "partner", "unavailable"][n % 13] ?? "ok",
      calls: n + 1,
      credits: 20 * n,
      bytes: 100 + n,
      latencyMs: n / 2,
      latencies: latenciesAt(n / 2, n % 4 === 0 ? 0 : n),
    }),
  );
}

/** What an adapter owes of sums: they are the rows', put together. */
export function usageSumsContract(storage: () => Storage): void {
  test("a point is what its step's rows add up to, failed calls told apart", async () => {
    const { usage } = storage();
    await usage.record(
      [
        bucket({ minute: MINUTE - 1, calls: 1, credits: 5 }),
        bucket({ calls: 2, credits: 6 }),
        bucket({ minute: MINUTE + 14, keyId: "key_2", calls: 3, credits: 7 }),
        bucket({ minute: MINUTE + 14, outcome: "reverted", calls: 4, credits: 8 }),
        bucket({ minute: MINUTE + 14, outcome: "partner", calls: 5, credits: 9 }),
        bucket({ minute: MINUTE + 15, method: "eth_chainId", calls: 6, credits: 0 }),
      ],
      [],
    );
    const name = "eth_call";
    const at = (minutes: number) => MIDNIGHT + minutes * MINUTE_MS;
    expect(await usage.series(series())).toEqual([
      { at: at(-15), name, calls: 1, credits: 5, failed: 0 },
      { at: at(0), name, calls: 14, credits: 30, failed: 4 },
      { at: at(15), name: "eth_chainId", calls: 6, credits: 0, failed: 0 },
    ]);
  });

  test("names beyond the most called are summed as null, behind the others", async () => {
    const { usage } = storage();
    const calls = { a: 5, b: 9, c: 1, d: 5, e: 2 };
    const buckets = Object.entries(calls).map(([method, n]) => bucket({ method, calls: n }));
    await usage.record([...buckets, bucket({ method: "e", minute: MINUTE + 15, calls: 1 })], []);
    const told = await usage.series(series({ top: 2 }));
    expect(told.map((point) => [point.name, point.calls])).toEqual([
      ["a", 5],
      ["b", 9],
      [null, 8],
      [null, 1],
    ]);
    expect((await usage.series(series({ top: 5 }))).map(({ name }) => name)).not.toContain(null);
    expect((await usage.series(series({ top: 0 }))).map(({ name }) => name)).toEqual([null, null]);
  });

  test("whatever is asked for, points and totals add up to the rows of the query", async () => {
    const { usage } = storage();
    await usage.record(mixture(), []);
    for (const resolution of ["minute", "hour", "day"] as const) {
      for (const keyId of [undefined, "key_1", "key_9"]) {
        for (const [network, method, outcome] of OTHER_FILTERS) {
          const to = MIDNIGHT + 25 * HOUR_MS;
          const some = { keyId, network, method, outcome };
          const asked = span({ resolution, ...some, from: MIDNIGHT - 24 * HOUR_MS, to });
          const rows = sums(await usage.query(asked));
          expect(sums(await usage.totals(asked))).toEqual(rows);
          for (const by of USAGE_DIMENSIONS) {
            const stepMs = resolution === "minute" ? 15 * MINUTE_MS : 24 * HOUR_MS;
            const points = await usage.series({ ...asked, by, stepMs, top: 2 });
            const [calls, credits] = rows;
            expect(sums(points).slice(0, 2)).toEqual([calls, credits]);
            expect(points.every(({ at }) => at % stepMs === 0)).toBe(true);
          }
        }
      }
    }
  });

  test("how long calls took is told of each step, as the buckets of what was asked for add up", async () => {
    const { usage } = storage();
    const buckets = mixture();
    await usage.record(buckets.slice(0, 150), []);
    await usage.record(buckets.slice(150), []);
    const filters = [
      {},
      { keyId: "key_1" },
      { network: "sepolia", method: "eth_2" },
      { outcome: "ok" },
      { keyId: "key_2", outcome: "reverted", method: "eth_0", network: "mainnet" },
    ];
    for (const filter of filters) {
      for (const [resolution, stepMs] of STEPS) {
        const asked = span({ ...filter, resolution, from: MIDNIGHT - 24 * HOUR_MS });
        const chosen = buckets.filter(
          (one) => one.accountId === "acc_1" && one.minute * MINUTE_MS < asked.to,
        );
        const points = new Map<number, number[]>();
        const whole = noLatencies();
        for (const one of chosen.filter((each) => isOf(each, filter))) {
          const at = Math.floor((one.minute * MINUTE_MS) / stepMs) * stepMs;
          points.set(at, points.get(at) ?? noLatencies());
          addLatencies(points.get(at) as number[], one.latencies);
          addLatencies(whole, one.latencies);
        }
        const expected = [...points].sort(([a], [b]) => a - b);
        const told = await usage.latencies({ ...asked, stepMs });
        expect(told.map(({ at, latencies }) => [at, latencies])).toEqual(expected);
        const sums = noLatencies();
        for (const { latencies } of await usage.totals(asked)) addLatencies(sums, latencies);
        expect(sums).toEqual(whole);
      }
    }
  });

  test("totals are told by network, method and outcome, in a fixed order", async () => {
    const { usage } = storage();
    await usage.record(
      [
        bucket({ network: "sepolia" }),
        bucket({ outcome: "reverted" }),
        bucket({ keyId: "key_2", minute: MINUTE + 1 }),
        bucket({ method: "a" }),
        bucket(),
        bucket({ minute: MINUTE + 60 }),
        bucket({ minute: MINUTE - 61 }),
      ],
      [],
    );
    const one = { network: "mainnet", method: "eth_call", outcome: "ok" };
    const { calls, credits, bytes, latencyMs, latencies } = bucket();
    const figures = { calls, credits, bytes, latencyMs, latencies };
    const twice = { calls: 4, credits: 320, bytes: 2_000, latencyMs: 5 };
    for (const resolution of ["minute", "hour"] as const) {
      expect(await usage.totals(span({ resolution }))).toEqual([
        { ...one, ...figures, method: "a" },
        { ...one, ...twice, latencies: latenciesAt(1.25, 4) },
        { ...one, ...figures, outcome: "reverted" },
        { ...one, ...figures, network: "sepolia" },
      ]);
    }
  });

  test("any text in a filter is a name, and no statement", async () => {
    const { usage } = storage();
    await usage.record([bucket(), bucket({ keyId: "a' OR '1'='1", network: 'x" --' })], []);
    const texts = ["key_1' OR '1'='1", '"; DROP TABLE usage_hours; --', "%", "", "\0"];
    for (const text of texts) {
      for (const name of ["keyId", "network", "method", "outcome", "accountId"]) {
        const filter = { [name]: text };
        expect(await usage.series(series(filter))).toEqual([]);
        expect(await usage.totals(span(filter))).toEqual([]);
        expect(await usage.latencies(series(filter))).toEqual([]);
      }
    }
    const odd = { keyId: "a' OR '1'='1", network: 'x" --' };
    expect(await usage.totals(span({ ...odd, resolution: "hour" }))).toHaveLength(1);
  });

  test("pruned hours are in no sum", async () => {
    const { usage } = storage();
    await usage.record([bucket({ minute: MINUTE - 1 }), bucket()], []);
    await usage.prune({ minute: MIDNIGHT, hour: MIDNIGHT, day: 0 });
    const asked = span({ resolution: "hour", from: 0 });
    expect((await usage.totals(asked)).map(({ calls }) => calls)).toEqual([2]);
    const points = await usage.series({ ...asked, by: "network", stepMs: HOUR_MS, top: 1 });
    expect(points.map(({ at }) => at)).toEqual([MIDNIGHT]);
  });

  test("the accounts that used most come first, beside the sums of all", async () => {
    const { usage } = storage();
    const of = (accountId: string, credits: number, over: Partial<UsageBucket> = {}) =>
      bucket({ ...{ minute: MINUTE, accountId, calls: 2, credits }, ...over });
    await usage.record(
      [
        of("acc_small", 80),
        of("acc_large", 500),
        of("acc_large", 0, { outcome: "unavailable", keyId: "key_2" }),
        of("acc_large", 400, { minute: MINUTE - 1, outcome: "partner" }),
        of("acc_even", 80, { calls: 3 }),
        of("acc_before", 9999, { minute: MINUTE - 60 }),
        of("acc_after", 9999, { minute: MINUTE + 1 }),
      ],
      [],
    );
    const asked = {
      resolution: "minute",
      from: MIDNIGHT - 2 * MINUTE_MS,
      to: MIDNIGHT + 1,
    } as const;
    expect(await usage.topAccounts({ ...asked, limit: 2 })).toEqual({
      leading: [
        { accountId: "acc_large", calls: 6, credits: 900, failed: 2 },
        { accountId: "acc_even", calls: 3, credits: 80, failed: 0 },
      ],
      all: { accounts: 3, calls: 11, credits: 1060, failed: 2 },
    });
    const day = { resolution: "day", from: MIDNIGHT, to: MIDNIGHT + 1, limit: 9 } as const;
    const { leading } = await usage.topAccounts(day);
    expect(leading.map(({ accountId }) => accountId)).toEqual([
      ...["acc_after", "acc_large", "acc_even", "acc_small"],
    ]);
    expect(
      await usage.topAccounts({ ...asked, from: MIDNIGHT + HOUR_MS, to: MIDNIGHT, limit: 2 }),
    ).toEqual({ leading: [], all: { accounts: 0, calls: 0, credits: 0, failed: 0 } });
  });
}

const OTHER_FILTERS = [
  [],
  ["sepolia"],
  [undefined, "eth_3"],
  ["mainnet", "eth_1", "ok"],
  [undefined, undefined, "reverted"],
] as const;

const STEPS = [
  ["minute", 15 * MINUTE_MS],
  ["hour", HOUR_MS],
  ["day", 24 * HOUR_MS],
] as const;

const isOf = (bucket: UsageBucket, filter: Partial<UsageBucket>): boolean =>
  Object.entries(filter).every(([name, value]) => bucket[name as keyof UsageBucket] === value);

type Figures = {
  readonly calls: number;
  readonly credits: number;
  readonly bytes?: number;
  readonly latencyMs?: number;
};

function sums(rows: readonly Figures[]): readonly number[] {
  return rows.reduce(
    ([calls = 0, credits = 0, bytes = 0, latencyMs = 0], row) => [
      calls + row.calls,
      credits + row.credits,
      bytes + (row.bytes ?? 0),
      latencyMs + (row.latencyMs ?? 0),
    ],
    [0, 0, 0, 0],
  );
}
