import { describe, expect, test } from "vitest";
import type {
  Latency,
  UsageLatency,
  UsageSeries,
  UsageTable,
} from "../../../src/console/contract/usage.ts";
import { DAY_MS, dayOf } from "../../../src/lib/day.ts";
import { LATENCY_BOUNDS_MS, latencyPlace } from "../../../src/lib/latency-counts.ts";
import type { Account, Storage } from "../../../src/storage/store.ts";
import type { UsageBucket } from "../../../src/storage/usage-store.ts";
import { accountUsage } from "../../../src/usage/account-usage.ts";
import { SeededRandom } from "../../simulation/seeded-random.ts";
import { latenciesAt } from "../../support/latencies-at.ts";
import { takeRequest } from "../../support/ledger-contract.ts";
import { openRig, type Person, type Rig, STORES } from "./support.ts";

const MINUTE_MS = 60_000;
/** Seven minutes after midnight, UTC; in Berlin the night in which summer time ends. */
const AFTER_MIDNIGHT = Date.UTC(2026, 9, 25, 0, 7, 12);
/** Spans of two times: across midnight by the quarter of an hour, and up to now by the minute. */
const BETWEEN = "from=2026-10-24T02:03:04Z&to=2026-10-25T00:01:00.5Z";
const SINCE = "from=2026-10-24T23:00:00Z";
const NETWORKS = ["mainnet", "solana"];
const METHODS = Array.from({ length: 15 }, (_, place) => `eth_m${place}`);
const OUTCOMES = ["ok", "revert", "partner", "unavailable", "invalid_params"];

type Scene = {
  readonly rig: Rig;
  readonly ada: Person;
  readonly account: Account;
  readonly buckets: readonly UsageBucket[];
};

/** 31 hours of calls around midnight, spent in the ledger too; and those of another account. */
async function scene(store: (typeof STORES)[number]): Promise<Scene> {
  const rig = await openRig({ store, now: AFTER_MIDNIGHT });
  const account = await rig.account("ada@example.com");
  const other = await rig.account("bob@example.com");
  const keys = await Promise.all([
    rig.key(account),
    rig.key(account, { name: "=cmd|'/c calc'!A1" }),
  ]);
  const random = new SeededRandom(7);
  const last = Math.floor(AFTER_MIDNIGHT / MINUTE_MS);
  const one = (accountId: string, keyId: string): UsageBucket => ({
    minute: last - Math.min(random.int(0, 31 * 60), random.int(0, 31 * 60)),
    accountId,
    keyId,
    network: NETWORKS[random.int(0, 1)] ?? "",
    method: METHODS[Math.min(random.int(0, 14), random.int(0, 14))] ?? "",
    outcome: OUTCOMES[random.int(0, 4)] ?? "",
    credits: random.int(0, 5000),
    bytes: random.int(0, 100_000),
    ...timedCalls(random),
  });
  const keyOf = () => keys[random.int(0, 1)]?.key.id ?? "";
  const buckets = Array.from({ length: 400 }, () => one(account.id, keyOf()));
  await rig.storage.usage.record([...buckets, one(other.id, "key_other")], []);
  // The ledger never goes back to a day before.
  const inOrder = buckets.toSorted((a, b) => a.minute - b.minute);
  for (const bucket of inOrder) await spend(rig.storage, bucket);
  return { rig, ada: rig.person(account.email), account, buckets };
}

/** A bucket's calls of about as long, so that percentiles are known to be near. */
function timedCalls(random: SeededRandom) {
  const calls = random.int(1, 50);
  const ms = random.int(0, 900);
  return { calls, latencyMs: calls * ms, latencies: latenciesAt(ms, calls) };
}

function spend(storage: Storage, { accountId, minute, credits }: UsageBucket): Promise<unknown> {
  const now = minute * MINUTE_MS;
  const figures = { pool: null, want: credits, least: credits, limit: 1e12, perSecond: 1e12 };
  return storage.ledger.take({
    ...{ owner: accountId, day: dayOf(now), process: "p", number: takeRequest().number, now },
    ...figures,
  });
}

const sum = (values: readonly number[]): number => values.reduce((all, one) => all + one, 0);

const within = (buckets: readonly UsageBucket[], { from, to }: { from: string; to: string }) =>
  buckets.filter(({ minute }) => {
    const at = minute * MINUTE_MS;
    return at >= Date.parse(from) && at < Date.parse(to);
  });

const figuresOf = (buckets: readonly UsageBucket[]) => ({
  calls: sum(buckets.map(({ calls }) => calls)),
  credits: sum(buckets.map(({ credits }) => credits)),
  failed: sum(
    buckets
      .filter(({ outcome }) => !["ok", "partner", "revert"].includes(outcome))
      .map((b) => b.calls),
  ),
});

/** The shares of the percentiles. */
const SHARES = { p50: 0.5, p95: 0.95, p99: 0.99 } as const;

/** Each percentile lies in the span of time in which that of the calls lies. */
function expectNear(shown: Latency, buckets: readonly UsageBucket[]): void {
  const times = buckets.flatMap(({ calls, latencyMs }) => Array(calls).fill(latencyMs / calls));
  times.sort((a, b) => a - b);
  for (const [name, share] of Object.entries(SHARES)) {
    const told = shown[name as keyof typeof SHARES];
    if (times.length === 0) expect(told).toBeNull();
    else {
      const place = latencyPlace(times[Math.ceil(share * times.length) - 1]);
      expect(told).toBeGreaterThanOrEqual(LATENCY_BOUNDS_MS[place - 1] ?? 0);
      expect(told).toBeLessThanOrEqual(LATENCY_BOUNDS_MS[place] as number);
    }
  }
}

function expectPercentiles(shown: UsageLatency, buckets: readonly UsageBucket[]): void {
  expectNear(shown.whole, buckets);
  for (const [place, from] of shown.times.entries()) {
    const to = new Date(Date.parse(from) + shown.stepMs).toISOString();
    const {
      p50 = null,
      p95 = null,
      p99 = null,
    } = {
      ...{ p50: shown.p50[place], p95: shown.p95[place], p99: shown.p99[place] },
    };
    expectNear({ p50, p95, p99 }, within(buckets, { from, to }));
  }
}

describe.each(STORES)("usage of 31 hours across midnight UTC, in %s storage", (store) => {
  test.each([
    ...["15m", "1h", "24h", "7d", "30d"].map((range) => `range=${range}`),
    BETWEEN,
    SINCE,
  ])("the series of %s sum up to the store's own rows, step by step", async (asked) => {
    const { rig, ada, account, buckets } = await scene(store);
    for (const by of ["method", "network", "key", "outcome"] as const) {
      const reply = await ada.get(`/api/accounts/${account.id}/usage/series?${asked}&by=${by}`);
      const shown = reply.json() as UsageSeries;
      const { times, stepMs, series } = shown;
      expect(times[0]).toBe(shown.from);
      expect(Date.parse(shown.to) - Date.parse(times.at(-1) ?? "")).toBe(stepMs);
      if (asked !== BETWEEN) expect(Date.parse(shown.to)).toBeGreaterThan(AFTER_MIDNIGHT);
      for (const [place, time] of times.entries()) {
        const from = Date.parse(time);
        // Every step is as long as any other, and begins at a whole one of UTC.
        expect(from).toBe(Date.parse(shown.from) + place * stepMs);
        expect(from % stepMs).toBe(0);
        const step = { from: time, to: new Date(from + stepMs).toISOString() };
        const of = (figure: "calls" | "credits" | "failed") =>
          sum(series.map((one) => one[figure][place] ?? Number.NaN));
        const drawn = { calls: of("calls"), credits: of("credits"), failed: of("failed") };
        expect(drawn, `${by} ${time}`).toEqual(figuresOf(within(buckets, step)));
      }
    }
    await rig.close();
  });

  test("twelve methods are told apart, the rest is one series that stands last", async () => {
    const { rig, ada, account, buckets } = await scene(store);
    const reply = await ada.get(`/api/accounts/${account.id}/usage/series?range=7d&by=method`);
    const { series } = reply.json() as UsageSeries;
    const callsOf = (name: string) =>
      sum(buckets.filter((b) => b.method === name).map((b) => b.calls));
    const largest = [...METHODS].sort((a, b) => callsOf(b) - callsOf(a)).slice(0, 12);
    expect(series.map(({ name }) => name)).toEqual([...largest, "other"]);
    for (const { name, calls } of series.slice(0, 12)) expect(sum(calls)).toBe(callsOf(name));
    await rig.close();
  });

  test("the table and the exports sum up to the same, also of one key, network, method and outcome", async () => {
    const { rig, ada, account, buckets } = await scene(store);
    const url = `/api/accounts/${account.id}/usage`;
    for (const range of ["1h", "24h", "7d"]) {
      const key = buckets[0]?.keyId ?? "";
      const filters = ["", `&key=${key}`, "&network=solana", `&network=mainnet&key=${key}`];
      filters.push(
        "&method=eth_m1",
        "&outcome=partner",
        "&outcome=ok&method=eth_m0&network=mainnet",
      );
      for (const filter of filters) {
        const table = (await ada.get(`${url}/table?range=${range}${filter}`)).json() as UsageTable;
        const asked = new URLSearchParams(filter);
        const is = (name: string, value: string) => !asked.has(name) || asked.get(name) === value;
        const chosen = within(buckets, table).filter(
          ({ keyId, network, method, outcome }) =>
            is("key", keyId) &&
            is("network", network) &&
            is("method", method) &&
            is("outcome", outcome),
        );
        const times = await ada.get(`${url}/latency?range=${range}${filter}`);
        expectPercentiles(times.json() as UsageLatency, chosen);
        const { rows } = table;
        const total = (figure: "calls" | "credits" | "failed") =>
          sum(rows.map((row) => row[figure]));
        const shown = { calls: total("calls"), credits: total("credits"), failed: total("failed") };
        expect(shown, range + filter).toEqual(figuresOf(chosen));
        for (const row of rows) {
          const own = chosen.filter((b) => b.network === row.network && b.method === row.method);
          expect(row.ok + row.reverted + row.failed).toBe(row.calls);
          expect(sum(Object.values(row.outcomes))).toBe(row.calls);
          expect(row.bytes).toBe(sum(own.map(({ bytes }) => bytes)));
          const mean = sum(own.map((b) => b.latencyMs)) / row.calls;
          expect(Math.abs(row.latencyMs - mean)).toBeLessThan(0.051);
          expectNear(row, own);
        }
      }
      const list = (await ada.get(`${url}/export?range=${range}&format=json`)).json();
      const series = (await ada.get(`${url}/series?range=${range}`)).json() as UsageSeries;
      const expected = figuresOf(within(buckets, series));
      expect(sum(list.map((row: { calls: number }) => row.calls)), range).toBe(expected.calls);
      expect(sum(list.map((row: { credits: number }) => row.credits)), range).toBe(
        expected.credits,
      );
      const csv = (await ada.get(`${url}/export?range=${range}&format=csv`)).body
        .trim()
        .split("\r\n");
      expect(csv.length - 1, range).toBe(list.length);
    }
    await rig.close();
  });

  test("balance, command line, ledger and charts say the same of the day that began seven minutes ago", async () => {
    const { rig, ada, account, buckets } = await scene(store);
    const { storage, config, clock } = rig.parts;
    const midnight = dayOf(AFTER_MIDNIGHT) * DAY_MS;
    const today = buckets.filter(({ minute }) => minute * MINUTE_MS >= midnight);
    const spent = figuresOf(today).credits;
    expect(spent).toBeGreaterThan(0);
    const balance = (await ada.get(`/api/accounts/${account.id}/balance`)).json();
    const command = await accountUsage({ storage, plans: config.plans }, account, clock.now());
    const ledger = await storage.ledger.read(account.id, dayOf(AFTER_MIDNIGHT));
    const { day, used, left, limit, resetSeconds } = balance;
    expect({ day, used, left, limit, resetSeconds }).toEqual({
      ...{ day: command.day, used: command.used, left: command.left },
      ...{ limit: command.limit, resetSeconds: command.resetSeconds },
    });
    expect([used, ledger.used, sum(command.calls.map(({ credits }) => credits))]).toEqual([
      ...[spent, spent, spent],
    ]);
    const series = (await ada.get(`/api/accounts/${account.id}/usage/series?range=24h`)).json();
    const drawn = (series as UsageSeries).times.flatMap((time, place) =>
      Date.parse(time) >= midnight
        ? series.series.map((one: { credits: number[] }) => one.credits[place])
        : [],
    );
    expect(sum(drawn)).toBe(spent);
    await rig.close();
  });
});

test("the pace is that of the last 15 minutes, and the day ends by it where it does not last", async () => {
  const rig = await openRig({ now: Date.UTC(2026, 10, 21, 12, 0, 0) });
  const account = await rig.account("ada@example.com", {
    limits: { creditsPerDay: 10_000, creditsPerSecond: null },
  });
  const ada = rig.person(account.email);
  const balance = async () => (await ada.get(`/api/accounts/${account.id}/balance`)).json();
  expect(await balance()).toMatchObject({ perMinute: 0, endsAt: null, left: 10_000, used: 0 });
  const minute = Math.floor(rig.parts.clock.now() / MINUTE_MS) - 3;
  const bucket = {
    ...{ minute, accountId: account.id, keyId: "key_a", network: "mainnet", method: "eth_call" },
    ...{
      outcome: "ok",
      calls: 10,
      credits: 1400,
      bytes: 0,
      latencyMs: 0,
      latencies: latenciesAt(0, 10),
    },
  };
  await rig.storage.usage.record([bucket, { ...bucket, minute: minute - 30, credits: 7 }], []);
  await spend(rig.storage, bucket);
  // 14 whole minutes and the one that begins now.
  expect(await balance()).toMatchObject({ perMinute: 100, used: 1400, left: 8600 });
  expect((await balance()).endsAt).toBe("2026-11-21T13:26:00.000Z");
  await rig.storage.ledger.add(account.id, dayOf(rig.parts.clock.now()), 1_000_000);
  expect(await balance()).toMatchObject({ limit: 1_010_000, endsAt: null });
  await rig.close();
});

test("where minutes are not kept for a day, a day is shown by the hour, and nothing is missing", async () => {
  const rig = await openRig({ usage: { keep: { minutes: "2h" } } });
  const account = await rig.account("ada@example.com");
  const ada = rig.person(account.email);
  const now = rig.parts.clock.now();
  const bucket = {
    ...{ accountId: account.id, keyId: "key_a", network: "mainnet", method: "eth_call" },
    ...{
      outcome: "ok",
      calls: 10,
      credits: 800,
      bytes: 0,
      latencyMs: 0,
      latencies: latenciesAt(0, 10),
    },
  };
  const hours = [0, 5, 20].map((ago) => Math.floor(now / MINUTE_MS) - ago * 60);
  await rig.storage.usage.record(
    hours.map((minute) => ({ ...bucket, minute })),
    [],
  );
  await rig.storage.usage.prune({ minute: now - 2 * 3_600_000, hour: 0, day: 0 });
  const url = `/api/accounts/${account.id}/usage`;
  const series = (await ada.get(`${url}/series?range=24h`)).json() as UsageSeries;
  expect(series.stepMs).toBe(3_600_000);
  expect(sum(series.series[0]?.credits ?? [])).toBe(2400);
  expect(((await ada.get(`${url}/table?range=24h`)).json() as UsageTable).rows[0]?.credits).toBe(
    2400,
  );
  await rig.close();
});

test("a spreadsheet takes no cell of an export for a formula", async () => {
  const rig = await openRig();
  const account = await rig.account("ada@example.com");
  const ada = rig.person(account.email);
  const names = ["=1+1", "+1", "-1", "@SUM(A1)", '=HYPERLINK("http://x","a,b")', 'a "b", c'];
  for (const name of names) {
    const { key } = await rig.key(account, { name });
    const minute = Math.floor(rig.parts.clock.now() / MINUTE_MS);
    const bucket = {
      ...{ minute, accountId: account.id, keyId: key.id, network: "mainnet", method: "eth_call" },
      ...{
        outcome: "ok",
        calls: 1,
        credits: 80,
        bytes: 0,
        latencyMs: 1,
        latencies: latenciesAt(1, 1),
      },
    };
    await rig.storage.usage.record([bucket], []);
  }
  const reply = await ada.get(`/api/accounts/${account.id}/usage/export?range=1h&format=csv`);
  expect(reply.headers["content-type"]).toBe("text/csv; charset=utf-8");
  expect(reply.headers["content-disposition"]).toBe(
    'attachment; filename="tollgate-usage-1h-2026-11-21.csv"',
  );
  for (const cell of [
    "'=1+1",
    "'+1",
    "'-1",
    "'@SUM(A1)",
    `"'=HYPERLINK(""http://x"",""a,b"")"`,
    '"a ""b"", c"',
  ]) {
    expect(reply.body).toContain(`,${cell},mainnet,eth_call,ok,1,80,0,1\r\n`);
  }
  await rig.close();
});

test("contracts that eth_call named most come first, of the account alone", async () => {
  const rig = await openRig();
  const account = await rig.account("ada@example.com");
  const other = await rig.account("bob@example.com");
  const minute = Math.floor(rig.parts.clock.now() / MINUTE_MS);
  const one = (accountId: string, contract: string, calls: number) => ({
    ...{ minute, accountId, network: "mainnet", contract, calls },
  });
  const counts = [one(account.id, "0xa", 3), one(account.id, "0xb", 8), one(other.id, "0xc", 9)];
  await rig.storage.usage.record([], counts);
  const reply = await rig
    .person(account.email)
    .get(`/api/accounts/${account.id}/usage/contracts?range=15m`);
  expect(reply.json().items).toEqual([
    { network: "mainnet", contract: "0xb", calls: 8 },
    { network: "mainnet", contract: "0xa", calls: 3 },
  ]);
  await rig.close();
});

test("operators see what all accounts used, the largest first, and an account's usage as its people do", async () => {
  const rig = await openRig();
  const large = await rig.account("large@example.com");
  const small = await rig.account("small@example.com");
  await rig.account("operator@example.com", { operator: true });
  const minute = Math.floor(rig.parts.clock.now() / 60_000);
  const of = (accountId: string, credits: number) => ({
    ...{ minute, accountId, keyId: "key_1", network: "mainnet", method: "eth_call", outcome: "ok" },
    ...{ calls: 2, credits, bytes: 1, latencyMs: 1, latencies: latenciesAt(1, 2) },
  });
  await rig.storage.usage.record([of(small.id, 80), of(large.id, 240), of("acc_gone", 5)], []);
  const operator = rig.person("operator@example.com");
  for (const range of ["1h", "24h", "7d", "30d"]) {
    const reply = await operator.get(`/api/operator/usage?range=${range}`);
    expect(reply.json(), range).toMatchObject({
      all: { accounts: 3, calls: 6, credits: 325, failed: 0 },
      accounts: [
        { id: large.id, email: "large@example.com", plan: "free", calls: 2, credits: 240 },
        { id: small.id, email: "small@example.com", credits: 80 },
        { id: "acc_gone", email: null, plan: null, credits: 5 },
      ],
    });
  }
  const { from, to } = (await operator.get("/api/operator/usage?range=7d")).json();
  expect([from, to]).toEqual(["2026-11-15T00:00:00.000Z", "2026-11-22T00:00:00.000Z"]);
  const table = `/api/accounts/${large.id}/usage/table?range=1h`;
  const own = await rig.person("large@example.com").get(table);
  expect((await operator.get(table)).body).toBe(own.body);
  expect((await operator.post(`/api/accounts/${large.id}/keys`, { name: "x" })).statusCode).toBe(
    404,
  );
  expect((await operator.get(`/api/accounts/${large.id}/alerts`)).statusCode).toBe(404);
  expect((await rig.person("small@example.com").get(table)).statusCode).toBe(404);
  await rig.close();
});

test("a span that is none is refused with what would be right", async () => {
  const rig = await openRig({ now: AFTER_MIDNIGHT });
  const account = await rig.account("ada@example.com");
  const ada = rig.person(account.email);
  const refused = async (query: string) => {
    const reply = await ada.get(`/api/accounts/${account.id}/usage/latency?${query}`);
    expect(reply.statusCode, query).toBe(400);
    return reply.json().error;
  };
  expect(await refused("range=1h&from=2026-10-24T02:00:00Z")).toMatchObject({
    message: "give `range`, or `from` and `to`, not both",
    field: "query.range",
  });
  expect(await refused("to=2026-10-24T02:00:00Z")).toMatchObject({ field: "query.from" });
  expect(await refused("from=yesterday")).toMatchObject({ field: "query.from" });
  for (const query of [
    "from=2026-10-24T02:00:00Z&to=2026-10-24T02:00:00Z",
    "from=2026-10-26T00:00:00Z",
    "from=2026-10-26T00:00:00Z&to=2026-10-27T00:00:00Z",
  ]) {
    expect(await refused(query)).toMatchObject({
      message: "`from` must be before `to`, and in the past",
    });
  }
  expect(await refused("from=2021-10-24T02:00:00Z")).toMatchObject({
    message: "a span has at most 1,100 days",
  });
  await rig.close();
});
