import { randomBytes } from "node:crypto";
import { createAccount } from "../../src/commands/accounts/accounts.ts";
import { createKey } from "../../src/commands/accounts/keys.ts";
import { BUILT_IN_PLANS } from "../../src/config/plans.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { dayOf } from "../../src/lib/day.ts";
import type { Storage } from "../../src/storage/store.ts";
import { recordKey } from "../support/written.ts";

export type RpcAnswer = {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
};

export type HttpAnswer<Body> = {
  readonly status: number;
  readonly header: (name: string) => string | null;
  readonly body: Body;
};

type Headers = Record<string, string>;
export type Call = { readonly method: string; readonly params?: readonly unknown[] };

/** One call over HTTP. */
export function ask(url: string, call: Call, headers?: Headers): Promise<HttpAnswer<RpcAnswer>> {
  return post(url, { jsonrpc: "2.0", id: 1, params: [], ...call }, headers);
}

/** Calls in one batch; refused as a whole, the answer is one object. */
export function askBatch(
  url: string,
  calls: readonly Call[],
  headers?: Headers,
): Promise<HttpAnswer<readonly RpcAnswer[]>> {
  const batch = calls.map((call, id) => ({ jsonrpc: "2.0", id, params: [], ...call }));
  return post(url, batch, headers);
}

async function post<Body>(url: string, body: object, headers: Headers = {}) {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  return {
    status: response.status,
    header: (name: string) => response.headers.get(name),
    body: (await response.json()) as Body,
  };
}

export type Customer = {
  readonly accountId: string;
  readonly key: string;
  /** Of today, as the store has it now. */
  readonly used: () => Promise<number>;
};

/** An account on a built-in plan, and a key of it. */
export async function customerOf(
  storage: Storage,
  plan: keyof typeof BUILT_IN_PLANS,
): Promise<Customer> {
  const parts = { storage, plans: BUILT_IN_PLANS, clock: systemClock, random: randomBytes };
  const email = `${plan}-${randomBytes(4).toString("hex")}@example.com`;
  const account = await createAccount(parts, { email, plan, operator: false });
  const { id: accountId } = account.json as { id: string };
  const { json } = await createKey(parts, { account: email, name: "test" });
  const { key } = json as { key: string };
  recordKey(key);
  const used = async () => (await storage.ledger.read(accountId, dayOf(Date.now()))).used;
  return { accountId, key, used };
}
