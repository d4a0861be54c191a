import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { UsageBucket } from "../../src/storage/usage-store.ts";
import { connectViem } from "../outside/viem.ts";
import { latenciesAt } from "../support/latencies-at.ts";
import { type Dashboard, startDashboard } from "./support/dashboard.ts";
import { go, heading, stat } from "./support/steps.ts";
import { openBrowser, type TestBrowser } from "./support/test-browser.ts";

const EMAIL = "ada@example.com";
const MINUTE_MS = 60_000;
const HOURS = 720;
const CALLS = 10_000_000;
const NETWORKS = Array.from({ length: 8 }, (_, n) => `network-${n}`);
const METHODS = Array.from({ length: 12 }, (_, n) => `eth_someMethod${n}`);
const OUTCOMES = ["ok", "revert", "invalid_params"];
const ROUNDS = 5;
const TEST_MS = 120_000;
/** The fastest of the rounds: what the program owes, where the machine does other work too. */
const MOST_MS = {
  "the sign-in page": 1000,
  "the first page": 1000,
  "30 days": 500,
  "a call": 2000,
};

let dashboard: Dashboard;
let browser: TestBrowser;
let key: string;
beforeAll(async () => {
  [dashboard, browser] = await Promise.all([startDashboard(), openBrowser()]);
  const account = await dashboard.account(EMAIL, { plan: "growth" });
  key = await dashboard.key(account);
  const [record] = await dashboard.storage.keys.list(account.id);
  const own = { accountId: account.id, keyId: record?.key.id ?? "" };
  // Of the last minutes are only the calls that are made below.
  const last = Math.floor(Date.now() / MINUTE_MS) - 40;
  for (let hour = 0; hour < HOURS; hour += 1) {
    await dashboard.storage.usage.record(hourOf({ minute: last - 60 * hour, ...own }), []);
  }
}, 600_000);
afterAll(async () => {
  await browser?.close();
  await dashboard?.stop();
});

/** Every name that there is: as many rows as an hour of this account can have. */
function hourOf(where: Pick<UsageBucket, "minute" | "accountId" | "keyId">): UsageBucket[] {
  const calls = Math.ceil(CALLS / HOURS / (NETWORKS.length * METHODS.length * OUTCOMES.length));
  return NETWORKS.flatMap((network) =>
    METHODS.flatMap((method) =>
      OUTCOMES.map((outcome) => ({
        ...{ ...where, network, method, outcome, calls },
        ...{ credits: 80 * calls, bytes: 40 * calls, latencyMs: 9 * calls },
        latencies: latenciesAt(9, calls),
      })),
    ),
  );
}

async function rounds(measure: () => Promise<number>): Promise<readonly number[]> {
  const found: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) found.push(await measure());
  return found;
}

function expectFast(what: keyof typeof MOST_MS, found: readonly number[]): void {
  const all = found.map((ms) => Math.round(ms)).join(", ");
  process.stdout.write(`${what}: ${all} ms\n`);
  expect(Math.min(...found)).toBeLessThan(MOST_MS[what]);
}

/** Since the address was asked for. */
const sinceOpened = (page: Page): Promise<number> => page.evaluate("performance.now()");

test(
  "the sign-in page can be used within a second, by a browser that has nothing of it",
  async () => {
    const found = await rounds(async () => {
      const { page, open } = await browser.visit(dashboard);
      await open("/");
      await page.getByLabel("E-mail").fill("a");
      const ms = await sinceOpened(page);
      expect(await browser.leave()).toEqual([]);
      return ms;
    });
    expectFast("the sign-in page", found);
  },
  TEST_MS,
);

test(
  "the first page shows the credits and the chart within a second",
  async () => {
    const found = await rounds(async () => {
      const visitor = await browser.visit(dashboard);
      await dashboard.signIn(visitor, EMAIL);
      await visitor.open("/");
      await stat(visitor.page, "Left").waitFor();
      await visitor.page.locator(".chart canvas").waitFor();
      const ms = await sinceOpened(visitor.page);
      expect(await browser.leave()).toEqual([]);
      return ms;
    });
    expectFast("the first page", found);
  },
  TEST_MS,
);

test(
  "30 days with ten million calls are drawn within half a second of the click",
  async () => {
    const visitor = await browser.visit(dashboard);
    const { page } = visitor;
    await dashboard.signIn(visitor, EMAIL);
    const found = await rounds(async () => {
      await visitor.open("/usage");
      await page.locator(".chart canvas").waitFor();
      return page.evaluate<number>(`new Promise((resolve) => {
      const began = performance.now();
      [...document.querySelectorAll("button")].find((one) => one.textContent === "30d").click();
      const look = () => {
        const label = document.querySelector(".chart [role=img]")?.getAttribute("aria-label") ?? "";
        const drawn = /10,\\d{3},\\d{3} calls in all/.test(label);
        if (drawn) requestAnimationFrame(() => resolve(performance.now() - began));
        else requestAnimationFrame(look);
      };
      look();
    })`);
    });
    expect(await browser.leave()).toEqual([]);
    expectFast("30 days", found);
  },
  TEST_MS,
);

test(
  "a call appears on a page that is open within two seconds of its answer",
  async () => {
    const visitor = await browser.visit(dashboard);
    const { page } = visitor;
    await dashboard.signIn(visitor, EMAIL);
    await visitor.open("/usage?range=15m");
    await heading(page, "Usage").waitFor();
    const client = await connectViem(`${dashboard.gateway.origin}/mainnet/v3/${key}`);
    let calls = 0;
    const found = await rounds(async () => {
      calls += 1;
      await client.chainId();
      const began = performance.now();
      await page.getByText(`ok ${calls}`, { exact: true }).waitFor();
      return performance.now() - began;
    });
    await go(page, "API keys");
    expect(await browser.leave()).toEqual([]);
    expectFast("a call", found);
  },
  TEST_MS,
);
