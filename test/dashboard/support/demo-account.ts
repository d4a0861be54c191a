import { MOST_TOKENS } from "../../../src/console/contract/constants.ts";
import { DAY_MS, dayOf } from "../../../src/lib/day.ts";
import { addLatencies } from "../../../src/lib/latency-counts.ts";
import type { ApiToken } from "../../../src/storage/console-stores.ts";
import type { Account, Storage } from "../../../src/storage/store.ts";
import { latenciesAt } from "../../support/latencies-at.ts";
import type { Dashboard } from "./dashboard.ts";
import { recordMonth } from "./demo-month.ts";

export const OWNER = "ada@example.com";
const DAILY_CREDITS = 75_000_000;
/** In a busy minute. */
const CALLS = 600;

export type DemoAccount = {
  readonly account: Account;
  /** The text of the key `web shop`. */
  readonly key: string;
};

/** Of an operator: keys of all kinds, a month of calls and the credits that they cost today. */
export async function makeDemoAccount(dashboard: Dashboard): Promise<DemoAccount> {
  const { storage } = dashboard;
  const now = Date.now();
  const age = (days: number) => ({ createdAt: now - days * DAY_MS });
  const account = await dashboard.account(OWNER, { plan: "team", operator: true, ...age(40) });
  await dashboard.account("grace@example.com", { plan: "developer", ...age(12) });
  await dashboard.account("linus@example.com", { suspended: true, ...age(3) });
  const key = await dashboard.key(account, { name: "web shop", ...age(39) });
  await dashboard.key(account, {
    ...{ name: "indexer", ...age(30), lastUsedAt: now - 2 * 3_600_000 },
    limits: { creditsPerDay: 2_000_000, creditsPerSecond: 500 },
    allow: { network: ["mainnet"], method: ["eth_*"] },
  });
  await dashboard.key(account, { name: "old laptop", ...age(20), expiresAt: now + 20 * DAY_MS });
  await dashboard.key(account, { name: "leaked", ...age(10), revokedAt: now - DAY_MS });
  await makeTokens(storage, account, now);
  const keys = await storage.keys.list(account.id);
  const keyIds = keys.slice(0, 3).map(({ key: { id } }) => id);
  await recordMonth({ storage, account, keyIds, now, calls: CALLS });
  await charge(storage, account, now);
  await recordNode(storage, now);
  return { account, key };
}

/** A day of a node that is slow in the evening, and was away for a while. */
async function recordNode({ nodes }: Storage, now: number): Promise<void> {
  const last = Math.floor(now / 60_000);
  const day = Array.from({ length: 24 * 60 }, (_, ago) => {
    const isAway = ago > 400 && ago < 430;
    const ms = 8 + 30 * Math.max(0, Math.sin((ago / 1440) * 2 * Math.PI)) ** 4;
    const latencies = [...latenciesAt(ms, 90)];
    addLatencies(latencies, latenciesAt(4 * ms, 9));
    addLatencies(latencies, latenciesAt(20 * ms, 1));
    const place = { network: "mainnet", upstream: "geth", minute: last - ago };
    return {
      ...place,
      calls: 100,
      failed: isAway ? 80 : ago % 50 === 0 ? 2 : 0,
      lag: isAway ? 40 : ago % 3,
      latencies,
    };
  });
  await nodes.record(day, 0);
}

async function makeTokens({ tokens }: Storage, { id, email }: Account, now: number): Promise<void> {
  const token: ApiToken = {
    ...{
      id: "tok_billing",
      accountId: id,
      name: "billing",
      hash: "of billing",
      prefix: "tgt_6xYz",
    },
    ...{ scopes: ["usage:read"], createdAt: now - 20 * DAY_MS, createdBy: email, expiresAt: null },
    lastUsedAt: now - 3_600_000,
  };
  await tokens.insert(token, MOST_TOKENS);
  const old = { id: "tok_old", name: "terraform", hash: "of terraform", prefix: "tgt_6pQr" };
  const scopes = ["keys:read", "keys:write"] as const;
  const ended = { scopes, createdAt: now - 40 * DAY_MS, expiresAt: now - DAY_MS, lastUsedAt: null };
  await tokens.insert({ ...token, ...old, ...ended }, MOST_TOKENS);
}

/** What the calls of today have cost, as the gateway would have charged it. */
async function charge(storage: Storage, { id }: Account, now: number): Promise<void> {
  const day = dayOf(now);
  const span = { accountId: id, resolution: "minute", from: day * DAY_MS, to: now } as const;
  const totals = await storage.usage.totals(span);
  const credits = totals.reduce((sum, row) => sum + row.credits, 0);
  await storage.ledger.take({
    ...{ owner: id, day, pool: null, want: credits, least: credits, limit: DAILY_CREDITS },
    ...{ process: "test", number: 1, perSecond: 1e9, now },
  });
}
