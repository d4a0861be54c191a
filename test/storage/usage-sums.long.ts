import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openSqlite } from "../../src/storage/sqlite/client.ts";
import type { Storage } from "../../src/storage/store.ts";
import {
  USAGE_DIMENSIONS,
  type UsageBucket,
  type UsageQuery,
} from "../../src/storage/usage-store.ts";
import { latenciesAt } from "../support/latencies-at.ts";
import { takeRequest } from "../support/ledger-contract.ts";
import { temporaryFolder } from "../support/written.ts";

/** 30 days with 10 million calls of one account: 720 x 5 x 8 x 12 x 3 rows of hours. */
const HOURS = 720;
const CALLS = 10_000_000;
const MINUTES_OF_A_DAY = 1440;
const HOUR_MS = 3_600_000;
const FROM = Date.UTC(2026, 9, 22);
const TO = FROM + HOURS * HOUR_MS;
const NETWORKS = Array.from({ length: 8 }, (_, n) => `network-${n}`);
const METHODS = Array.from({ length: 12 }, (_, n) => `eth_someMethod${n}`);
const OUTCOMES = ["ok", "reverted", "invalid_params"];
const KEYS = Array.from({ length: 5 }, (_, n) => `key_3fGhK9mNpQ${n}`);
/** Of the fastest of five: twice what it takes where the machine does nothing else. */
const MOST_MS = 500;
/** A day of minutes at its worst: no two calls of a minute are alike. 0.3 s on an idle machine. */
const MOST_OF_MINUTES_MS = 2_000;

const path = join(temporaryFolder("usage-sums"), "tollgate.db");
let gateway: Storage;
let dashboard: Storage;

beforeAll(async () => {
  // Like after their start: each behind its own thread.
  gateway = await openSqlite(path, { threadAfterMs: 0 });
  for (let hour = 0; hour < HOURS; hour += 1) {
    const minute = FROM / 60_000 + hour * 60;
    await gateway.usage.record(everyName("acc_1", KEYS, minute), []);
    for (const other of ["acc_0", "acc_2"]) {
      await gateway.usage.record(everyName(other, KEYS.slice(0, 1), minute), []);
    }
  }
  // The last day's minutes: as many rows as the day has calls, at most.
  const names = everyName("acc_1", KEYS, 0);
  const aMinute = Math.floor(CALLS / 30 / MINUTES_OF_A_DAY);
  for (let n = 0; n < MINUTES_OF_A_DAY; n += 1) {
    const minute = TO / 60_000 - MINUTES_OF_A_DAY + n;
    const some = Array.from(
      { length: aMinute },
      (_, row) => names[(n * 7 + row * 5) % names.length],
    );
    const buckets = some.flatMap((each) => (each ? [{ ...each, minute, calls: 1 }] : []));
    await gateway.usage.record(buckets, []);
  }
  dashboard = await openSqlite(path, { threadAfterMs: 0 });
}, 600_000);

afterAll(async () => {
  await gateway.close();
  await dashboard.close();
});

test("each figure of 30 days with 10 million calls is summed within 500 ms", async () => {
  const month: UsageQuery = { accountId: "acc_1", resolution: "hour", from: FROM, to: TO };
  const day: UsageQuery = { ...month, resolution: "minute", from: TO - 24 * HOUR_MS };
  const { usage } = dashboard;
  const asked: Record<string, () => Promise<unknown>> = {};
  for (const [name, query, stepMs] of [
    ["30 d", month, HOUR_MS],
    ["24 h", day, HOUR_MS / 4],
  ] as const) {
    for (const by of USAGE_DIMENSIONS) {
      asked[`${name} by ${by}`] = () => usage.series({ ...query, by, stepMs, top: 12 });
    }
    const keyId = KEYS[2];
    asked[`${name} of a key by method`] = () =>
      usage.series({ ...query, by: "method", stepMs, top: 12, keyId });
    asked[`${name} in all`] = () => usage.totals(query);
    asked[`${name} in all of a key`] = () => usage.totals({ ...query, keyId });
  }
  const figures = await usage.totals(month);
  expect(sum(figures.map(({ calls }) => calls))).toBeGreaterThan(CALLS);
  const took: Record<string, number> = {};
  for (const [name, ask] of Object.entries(asked)) took[name] = Math.min(...(await timed(ask, 5)));
  print("summed in", took);
  for (const [name, ms] of Object.entries(took)) {
    expect(ms, name).toBeLessThan(name.startsWith("24 h") ? MOST_OF_MINUTES_MS : MOST_MS);
  }
});

test("a dashboard that reads all the time does not hold up what the gateway writes", async () => {
  const work = {
    "1,000 rows of usage": () => {
      const buckets = everyName("acc_3", KEYS.slice(0, 4), TO / 60_000).slice(0, 1_000);
      return gateway.usage.record(buckets, []);
    },
    "a lease": () => gateway.ledger.take(takeRequest({ want: 1 })),
  };
  const alone: Record<string, number> = {};
  const beside: Record<string, number> = {};
  for (const [name, write] of Object.entries(work)) alone[name] = median(await timed(write, 50));
  const reading = { ends: false };
  const reader = (async () => {
    const query: UsageQuery = { accountId: "acc_1", resolution: "hour", from: FROM, to: TO };
    while (!reading.ends) await dashboard.usage.totals(query);
  })();
  for (const [name, write] of Object.entries(work)) beside[name] = median(await timed(write, 50));
  reading.ends = true;
  await reader;
  print("written alone in", alone);
  print("written beside a reader in", beside);
  // A writer that had to wait for a reader would take as long as it reads.
  for (const [name, ms] of Object.entries(beside)) expect(ms, name).toBeLessThan(100);
});

function everyName(accountId: string, keys: readonly string[], minute: number): UsageBucket[] {
  const calls = Math.ceil(CALLS / (HOURS * KEYS.length * 8 * 12 * 3));
  return keys.flatMap((keyId) =>
    NETWORKS.flatMap((network) =>
      METHODS.flatMap((method) =>
        OUTCOMES.map((outcome) => {
          const names = { minute, accountId, keyId, network, method, outcome };
          const figures = { calls, credits: 20 * calls, bytes: 900 * calls, latencyMs: 2.5 };
          return { ...names, ...figures, latencies: latenciesAt(2.5, calls) };
        }),
      ),
    ),
  );
}

async function timed(ask: () => Promise<unknown>, times: number): Promise<readonly number[]> {
  const took: number[] = [];
  for (let n = 0; n < times; n += 1) {
    const begun = performance.now();
    await ask();
    took.push(performance.now() - begun);
  }
  return took;
}

const sum = (values: readonly number[]): number => values.reduce((all, each) => all + each, 0);

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

function print(what: string, took: Readonly<Record<string, number>>): void {
  const texts = Object.entries(took).map(([name, ms]) => `${name} ${ms.toFixed(1)} ms`);
  process.stdout.write(`${what}: ${texts.join(", ")}\n`);
}
