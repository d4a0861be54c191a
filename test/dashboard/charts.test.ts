import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { percentilesOf } from "../../src/console/usage/usage-latency.ts";
import { DAY_MS, dayOf } from "../../src/lib/day.ts";
import { addLatencies, noLatencies } from "../../src/lib/latency-counts.ts";
import type { UsageBucket } from "../../src/storage/usage-store.ts";
import { formatMs } from "../../web/src/format.ts";
import { wallText } from "../../web/src/pages/usage/wall-time.ts";
import { latenciesAt } from "../support/latencies-at.ts";
import { takeRequest } from "../support/ledger-contract.ts";
import { type ClockedDashboard, startClockedDashboard } from "./support/clocked-dashboard.ts";
import { button } from "./support/steps.ts";
import { openBrowser, type TestBrowser, type Visitor } from "./support/test-browser.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Clocks go back in Berlin on 25 October at 01:00 UTC, in New York on 1 November at 06:00 UTC. */
const BERLIN_CHANGE = Date.UTC(2026, 9, 25, 1);
const NEW_YORK_CHANGE = Date.UTC(2026, 10, 1, 6);
/** So that a month holds both. */
const NOW = Date.UTC(2026, 10, 5, 6, 37, 30);
const END = Date.UTC(2026, 10, 5, 7);

type Zone = "America/New_York" | "Europe/Berlin" | "Asia/Kolkata";
const ZONES: readonly Zone[] = ["America/New_York", "Europe/Berlin", "Asia/Kolkata"];

/** Minutes before UTC, and what the zone is called then: known, not asked of any library. */
function offsetOf(zone: Zone, at: number): readonly [minutes: number, name: string] {
  if (zone === "Asia/Kolkata") return [330, "IST"];
  if (zone === "Europe/Berlin") return at < BERLIN_CHANGE ? [120, "CEST"] : [60, "CET"];
  return at < NEW_YORK_CHANGE ? [-240, "EDT"] : [-300, "EST"];
}

let dashboard: ClockedDashboard;
let browser: TestBrowser;
let buckets: readonly UsageBucket[];
beforeAll(async () => {
  [dashboard, browser] = await Promise.all([startClockedDashboard(), openBrowser()]);
  buckets = monthOf(dashboard.account.id);
  await dashboard.storage.usage.record(buckets, []);
  for (const [day, credits] of sumsBy(buckets, ({ minute }) => dayOf(minute * MINUTE_MS))) {
    await spend(day, credits);
  }
});
afterAll(async () => {
  await browser?.close();
  await dashboard?.stop();
});
afterEach(async () => {
  expect(await browser.leave()).toEqual([]);
});

const METHODS = ["eth_call", "eth_getLogs", "eth_getBalance"] as const;
const OUTCOMES = ["ok", "ok", "partner", "revert", "unavailable"] as const;

/** A call somewhere in each half hour of 31 days; no two alike. */
function monthOf(accountId: string): UsageBucket[] {
  let seed = 7;
  const next = (below: number) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % below;
  };
  const first = (END - 31 * DAY_MS) / MINUTE_MS;
  return Array.from({ length: 31 * 48 * 2 }, (_, place) => {
    const calls = 1 + next(900);
    return {
      minute: first + 30 * (place >> 1) + next(30),
      ...{ accountId, keyId: `key_${next(2)}`, network: "mainnet" },
      method: METHODS[next(3)] ?? "eth_call",
      outcome: OUTCOMES[next(5)] ?? "ok",
      ...{ calls, credits: calls * (1 + next(255)), bytes: calls, latencyMs: calls },
      latencies: latenciesAt(1 + next(400), calls),
    };
  }).filter(({ minute }) => minute * MINUTE_MS < NOW);
}

/** As calls would have been charged on that day. */
async function spend(day: number, credits: number): Promise<void> {
  const { storage, account } = dashboard;
  const { granted } = await storage.ledger.take({
    ...{ owner: account.id, day, pool: null, want: credits, least: credits, limit: 75_000_000 },
    ...{ process: "test", number: takeRequest().number, perSecond: 1e9, now: day * DAY_MS },
  });
  expect(granted).toBe(credits);
}

function sumsBy(of: readonly UsageBucket[], keyOf: (bucket: UsageBucket) => number) {
  const sums = new Map<number, number>();
  for (const bucket of of) {
    const key = keyOf(bucket);
    sums.set(key, (sums.get(key) ?? 0) + bucket.credits);
  }
  return sums;
}

async function openUsage(query: string, timezoneId: string): Promise<Visitor> {
  const visitor = await browser.visit({ ...dashboard, timezoneId });
  await dashboard.signIn(visitor);
  await visitor.open(`/usage?${query}`);
  await button(visitor.page, "Show as table").waitFor();
  return visitor;
}

/** All rows of the table that tells the chart's numbers, its head first. */
async function readTable(page: Page, caption: string): Promise<string[][]> {
  await button(page, "Show as table").click();
  const table = page.getByRole("table", { name: caption, exact: true });
  const next = page.getByRole("navigation", { name: `Pages of: ${caption}` }).getByText("Next");
  const rows = [await cellsOf(page, caption, "thead")].flat();
  for (;;) {
    rows.push(...(await cellsOf(page, caption, "tbody")));
    if (!(await next.isEnabled())) return rows;
    const last = await table.getByRole("rowheader").last().textContent();
    await next.click();
    await expect.poll(() => table.getByRole("rowheader").last().textContent()).not.toBe(last);
  }
}

const cellsOf = (page: Page, caption: string, part: "thead" | "tbody"): Promise<string[][]> =>
  page
    .getByRole("table", { name: caption, exact: true })
    .locator(`${part} tr`)
    .evaluateAll((rows) =>
      rows.map((row) => [...row.children].map((cell) => cell.textContent.trim())),
    );

const MONTHS = [
  "Jan",
  "Feb",
  "Mar",
  "Apr",
  "May",
  "Jun",
  "Jul",
  "Aug",
  "Sept",
  "Oct",
  "Nov",
  "Dec",
];
const two = (value: number) => String(value).padStart(2, "0");
/** `25 Oct, 02:00` of a clock that shows UTC. */
function clockText(at: number): string {
  const date = new Date(at);
  const time = `${two(date.getUTCHours())}:${two(date.getUTCMinutes())}`;
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]}, ${time}`;
}
const grouped = (value: number) => String(value).replace(/\B(?=(\d{3})+$)/g, ",");

type Measure = "calls" | "credits" | "failed";
const failed = ({ outcome, calls }: UsageBucket) => (outcome === "unavailable" ? calls : 0);
const figureOf = (bucket: UsageBucket, measure: Measure) =>
  measure === "failed" ? failed(bucket) : bucket[measure];
const sum = (of: readonly UsageBucket[], measure: Measure) =>
  of.reduce((total, bucket) => total + figureOf(bucket, measure), 0);

type Span = { readonly from: number; readonly to: number; readonly stepMs: number };

/** What the table has to say, made of the calls themselves. */
function expectedTable(
  { from, to, stepMs }: Span,
  by: "method" | "outcome",
  { measure, zone }: { readonly measure: Measure; readonly zone: Zone },
): string[][] {
  const within = buckets.filter(
    ({ minute }) => minute * MINUTE_MS >= from && minute * MINUTE_MS < to,
  );
  const names = [...new Set(within.map((bucket) => bucket[by]))]
    .toSorted((a, b) => {
      const calls = (name: string) =>
        sum(
          within.filter((each) => each[by] === name),
          "calls",
        );
      return calls(b) - calls(a);
    })
    .filter(
      (name) =>
        sum(
          within.filter((each) => each[by] === name),
          measure,
        ) > 0,
    );
  const bySteps = Map.groupBy(within, ({ minute }) =>
    Math.floor((minute * MINUTE_MS - from) / stepMs),
  );
  const rows: string[][] = [];
  for (let at = to - stepMs; at >= from; at -= stepMs) {
    const inStep = bySteps.get((at - from) / stepMs) ?? [];
    const [minutes, name] = offsetOf(zone, at);
    rows.push([
      `${clockText(at + minutes * MINUTE_MS)} ${name}`,
      clockText(at),
      ...names.map((each) =>
        grouped(
          sum(
            inStep.filter((one) => one[by] === each),
            measure,
          ),
        ),
      ),
      grouped(sum(inStep, measure)),
    ]);
  }
  return [["From", "UTC", ...names, "All"], ...rows];
}

const MONTH: Span = { from: END - 30 * DAY_MS, to: END, stepMs: HOUR_MS };

test.each(ZONES)(
  "in %s each hour of 30 days stands at its own time, and UTC days are what the ledger charged",
  async (zone) => {
    dashboard.setTime(NOW);
    const { page } = await openUsage("range=30d&measure=credits", zone);
    const table = await readTable(page, "Credits by method: credits");
    expect(table).toEqual(expectedTable(MONTH, "method", { measure: "credits", zone }));

    const days = new Map<string, number>();
    for (const [, utc = "", ...values] of table.slice(1)) {
      const [day = ""] = utc.split(",");
      days.set(day, (days.get(day) ?? 0) + Number(values.at(-1)?.replaceAll(",", "")));
    }
    // The oldest of them began before the table does.
    const whole = [...days.values()].slice(0, -1);
    const places = Array.from({ length: 30 }, (_, place) => dayOf(NOW) - place);
    const { ledger } = dashboard.storage;
    const charged = places.map(async (day) => (await ledger.read(dashboard.account.id, day)).used);
    expect(whole).toEqual(await Promise.all(charged));
    const today = page.getByRole("meter", { name: "Credits of the day" });
    expect(await today.getAttribute("aria-valuetext")).toBe(
      `${grouped(whole[0] ?? 0)} of 75,000,000 credits used`,
    );
  },
);

test("quarters of an hour on the night when clocks go back: each once, over midnight too", async () => {
  dashboard.setTime(BERLIN_CHANGE + 5 * HOUR_MS + 20 * MINUTE_MS);
  const to = BERLIN_CHANGE + 5 * HOUR_MS + 30 * MINUTE_MS;
  const span = { from: to - DAY_MS, to, stepMs: 15 * MINUTE_MS };
  const zone = "Europe/Berlin";
  for (const measure of ["calls", "failed"] as const) {
    const { page } = await openUsage(`range=24h&by=outcome&measure=${measure}`, zone);
    const caption =
      measure === "calls" ? "Calls by outcome: calls" : "Failed by outcome: failed calls";
    const table = await readTable(page, caption);
    expect(table).toEqual(expectedTable(span, "outcome", { measure, zone }));
    const times = table.map(([time]) => time);
    expect(times).toContain("25 Oct, 02:30 CEST");
    expect(times).toContain("25 Oct, 02:30 CET");
    expect(new Set(times).size).toBe(97);
  }
});

test("bars are as high as their numbers, and the pointer reads the bar that it is on", async () => {
  dashboard.setTime(BERLIN_CHANGE + 5 * HOUR_MS + 20 * MINUTE_MS);
  const { page } = await openUsage("range=24h&by=network", "Europe/Berlin");
  const [, ...rows] = await readTable(page, "Calls by network: calls");
  const bars = rows.toReversed().map(([time = "", , , all = ""]) => ({ time, all }));
  const values = bars.map(({ all }) => Number(all.replaceAll(",", "")));
  const { heights, planeHeight } = await barHeights(page, bars.length);
  const scale = planeHeight / (Math.max(...values) * 1.05);
  for (const [place, height] of heights.entries()) {
    expect(Math.abs(height - (values[place] ?? 0) * scale), `bar ${place}`).toBeLessThan(3);
  }
  const plane = page.locator(".u-over");
  const { width } = (await plane.boundingBox()) ?? { width: 0 };
  for (const [place, { time, all }] of bars.entries()) {
    if (place % 6 !== 0) continue;
    await plane.hover({ position: { x: ((place + 0.5) / bars.length) * width, y: 40 } });
    const tooltip = page.locator(".chart-tooltip");
    await expect
      .poll(() => tooltip.locator(".chart-tooltip-total").textContent())
      .toBe(`${all} calls`);
    const [start, zone] = [time.slice(0, -5).trim(), time.split(" ").at(-1)];
    const shown = (await tooltip.locator(".chart-tooltip-time").textContent()) ?? "";
    expect(shown.startsWith(start) && shown.endsWith(`${zone}`), `${shown} for ${time}`).toBe(true);
  }
});

/** Of the pixels that have each bar's own colour, from the ground up. */
function barHeights(
  page: Page,
  count: number,
): Promise<{ heights: number[]; planeHeight: number }> {
  return page.evaluate(`(() => {
    const canvas = document.querySelector(".chart canvas");
    const outer = canvas.getBoundingClientRect();
    const plane = document.querySelector(".u-over").getBoundingClientRect();
    const left = plane.left - outer.left, top = Math.round(plane.top - outer.top);
    const planeHeight = Math.round(plane.height);
    const width = Math.round(plane.width);
    const image = canvas.getContext("2d").getImageData(Math.round(left), top, width, planeHeight);
    const colourAt = (x, fromGround) => {
      const start = 4 * ((planeHeight - 1 - fromGround) * width + x);
      return image.data.slice(start, start + 4);
    };
    const heights = Array.from({ length: ${count} }, (_, bar) => {
      const x = Math.round(((bar + 0.5) / ${count}) * width);
      const colour = colourAt(x, 2);
      if (colour[3] === 0) return 0;
      let height = 2;
      while (height < planeHeight && colourAt(x, height).join() === colour.join()) height += 1;
      return height;
    });
    return { heights, planeHeight };
  })()`);
}

test("of one method, over a span of one's own, percentiles lie where the calls' times do", async () => {
  dashboard.setTime(NOW);
  const zone = "Europe/Berlin";
  const [from, to] = [END - 60 * HOUR_MS, END - 20 * HOUR_MS];
  const later = new URLSearchParams({
    ...{ range: "custom", measure: "latency" },
    from: new Date(to + HOUR_MS).toISOString(),
    to: new Date(to + 2 * HOUR_MS).toISOString(),
  });
  const { page } = await openUsage(`${later}`, zone);
  await button(page, "Only eth_getLogs").first().click();
  await page.getByLabel(/^To \(/).fill(wallText(to, zone));
  await page.getByText("The start must be before the end.").waitFor();
  await page.getByLabel(/^From \(/).fill(wallText(from, zone));
  const shown = () => Object.fromEntries(new URL(page.url()).searchParams);
  await expect.poll(shown).toMatchObject({
    ...{ from: new Date(from).toISOString(), to: new Date(to).toISOString() },
    method: "eth_getLogs",
  });
  const table = await readTable(page, "Latency: latency");
  const expected = [];
  for (let at = to - 15 * MINUTE_MS; at >= from; at -= 15 * MINUTE_MS) {
    const counts = noLatencies();
    for (const { minute, method, latencies } of buckets) {
      const start = minute * MINUTE_MS;
      if (method !== "eth_getLogs" || start < at || start >= at + 15 * MINUTE_MS) continue;
      addLatencies(counts, latencies);
    }
    const { p50, p95, p99 } = percentilesOf(counts);
    expected.push([
      clockText(at),
      ...[p50, p95, p99].map((ms) => (ms === null ? "–" : formatMs(ms))),
    ]);
  }
  expect(table[0]).toEqual(["From", "UTC", "p50", "p95", "p99"]);
  expect(table.slice(1).map(([, ...cells]) => cells)).toEqual(expected);
  const methods = page.getByRole("table", { name: "Calls by network and method" });
  await expect
    .poll(() => methods.getByRole("rowheader").allTextContents())
    .toEqual(["eth_getLogs"]);
});
