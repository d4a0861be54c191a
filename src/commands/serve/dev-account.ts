import { randomBytes } from "node:crypto";
import { BUILT_IN_PLANS } from "../../config/plans.ts";
import { systemClock } from "../../lib/clock.ts";
import { DAY_MS, dayOf } from "../../lib/day.ts";
import type { Storage } from "../../storage/store.ts";
import type { Logger } from "../../telemetry/log.ts";
import { accountBalance } from "../../usage/account-usage.ts";
import { createAccount } from "../accounts/accounts.ts";
import { createKey, revokeKey } from "../accounts/keys.ts";

const PLAN = "team";
const OWN_KEY = "dev";
const TRAFFIC_KEY = "demo traffic";
const LOOK_MS = 1000;

type DemoKey = { readonly id: string; readonly key: string };

export type DemoKeys = {
  /** The account's owner. */
  readonly email: string;
  /** For whoever reads the banner. */
  readonly own: DemoKey;
  /** For the calls that are made in the background. */
  readonly traffic: DemoKey;
};

/** New keys at each start, because only hashes are kept; those of the last start end. */
export async function demoKeys(storage: Storage, email: string): Promise<DemoKeys> {
  const parts = { storage, plans: { [PLAN]: {} }, clock: systemClock, random: randomBytes };
  const account = await storage.accounts.findByEmail(email);
  if (account === undefined) await createAccount(parts, { email, plan: PLAN, operator: true });
  for (const { key } of await storage.keys.list(account?.id)) {
    if ([OWN_KEY, TRAFFIC_KEY].includes(key.name)) await revokeKey(parts, { id: key.id });
  }
  const make = async (name: string) =>
    (await createKey(parts, { account: email, name })).json as DemoKey;
  return { email, own: await make(OWN_KEY), traffic: await make(TRAFFIC_KEY) };
}

/** A line whenever calls of the printed key have cost something. Returns what ends it. */
export function showSpending(
  { storage, log }: { readonly storage: Storage; readonly log: Logger },
  { email, own }: DemoKeys,
): () => Promise<void> {
  let shown = 0;
  const look = async () => {
    const account = await storage.accounts.findByEmail(email);
    if (account === undefined) return;
    const now = systemClock.now();
    const from = dayOf(now) * DAY_MS;
    const span = { accountId: account.id, keyId: own.id, from, to: from + DAY_MS };
    const rows = await storage.usage.query({ ...span, resolution: "day" });
    const used = rows.reduce((sum, { credits }) => sum + credits, 0);
    if (used === shown) return;
    shown = used;
    const { left } = await accountBalance({ storage, plans: BUILT_IN_PLANS }, account, now);
    log.info({ used, left }, "credits of today");
  };
  const timer = setInterval(() => void look().catch(() => undefined), LOOK_MS);
  return async () => clearInterval(timer);
}
