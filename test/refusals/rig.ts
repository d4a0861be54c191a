import { randomBytes } from "node:crypto";
import { createId } from "../../src/access/ids.ts";
import { newKey } from "../../src/access/new-key.ts";
import type { Clock } from "../../src/lib/clock.ts";
import { openStorage } from "../../src/storage/open.ts";
import type { AllowLists, Limits } from "../../src/storage/store.ts";
import { type BreakableStorage, breakable } from "../store-faults/breakable-storage.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { type StandInNode, startStandInNode } from "../support/stand-in-node.ts";
import { testStorage } from "../support/test-storage.ts";

const DAY_MS = 86_400_000;
/** Four hours before midnight. */
const START_MS = Date.UTC(2026, 10, 21, 20);
export const RESET_SECONDS = 4 * 3600;

/** The one call that the node does not answer. */
export const UNANSWERED = "eth_getCode";
export const PLANS = {
  wide: { dailyCredits: 1_000_000, creditsPerSecond: 10_000 },
  /** Its day is over after one call of 80 credits and two of 5. */
  brief: { dailyCredits: 90, creditsPerSecond: 10_000 },
  /** And so is its second. */
  slow: { dailyCredits: 1_000_000, creditsPerSecond: 90 },
  /** Its leases are 80 credits. */
  leased: { dailyCredits: 8000, creditsPerSecond: 400 },
} as const;

export type Grant = {
  readonly plan?: keyof typeof PLANS;
  readonly suspended?: boolean;
  readonly keyLimits?: Partial<Limits>;
  readonly allow?: AllowLists;
  readonly expiresAt?: number;
  readonly revoked?: boolean;
};

export type Granted = {
  readonly accountId: string;
  readonly keyId: string;
  readonly key: string;
  readonly email: string;
};

/** A gateway whose time stands still, so that every header and every Retry-After is known. */
export type Rig = {
  readonly gateway: TestGateway;
  readonly node: StandInNode;
  readonly stores: BreakableStorage;
  readonly clock: Clock & { readonly advance: (ms: number) => void };
  /** An account of its own with one key. */
  readonly grant: (grant?: Grant) => Promise<Granted>;
  /** A second key of an account, without limits of its own. */
  readonly anotherKey: (granted: Granted) => Promise<Granted>;
  /** Credits of the present day that the store has as used. */
  readonly used: (owner: string) => Promise<number>;
  readonly stop: () => Promise<void>;
};

export async function startRig(server: object = {}, atMs = START_MS): Promise<Rig> {
  const clock = stoppedClock(atMs);
  const stores = breakable(await openStorage(await testStorage("memory:")));
  const node = await startStandInNode(({ method }) =>
    method === UNANSWERED ? "reset" : { result: "0x10" },
  );
  const network = { family: "evm", upstreams: [{ name: "node", url: node.url }] };
  const gateway = await startTestGateway({
    networks: [
      { name: "net", chainId: 1, ...network },
      { name: "other", chainId: 2, ...network },
    ],
    server,
    plans: PLANS,
    storage: stores.storage,
    clock,
  });
  return {
    gateway,
    node,
    stores,
    clock,
    grant: (wanted = {}) => grant(gateway, clock, wanted),
    anotherKey: async (granted) => ({
      ...granted,
      ...(await addKey(gateway, clock, { accountId: granted.accountId })),
    }),
    used: async (owner) => {
      const day = Math.floor(clock.now() / DAY_MS);
      return (await gateway.storage.ledger.read(owner, day)).used;
    },
    stop: async () => {
      await gateway.stop();
      await node.stop();
    },
  };
}

function stoppedClock(startMs: number): Rig["clock"] {
  let passedMs = 0;
  return {
    now: () => startMs + passedMs,
    monotonic: () => passedMs,
    advance: (ms) => {
      passedMs += ms;
    },
  };
}

let accounts = 0;

const NO_LIMITS: Limits = { creditsPerDay: null, creditsPerSecond: null };

async function grant(gateway: TestGateway, clock: Clock, wanted: Grant): Promise<Granted> {
  const { plan = "wide", suspended = false } = wanted;
  accounts += 1;
  const accountId = createId("acc", randomBytes);
  const email = `user-${accounts}@example.com`;
  const account = { id: accountId, email, plan, suspended, operator: false, limits: NO_LIMITS };
  await gateway.storage.accounts.insert({ ...account, createdAt: clock.now() });
  return { accountId, email, ...(await addKey(gateway, clock, { ...wanted, accountId })) };
}

async function addKey(
  { storage }: TestGateway,
  clock: Clock,
  wanted: Grant & { readonly accountId: string },
): Promise<Pick<Granted, "keyId" | "key">> {
  const { accountId, keyLimits, allow = {}, expiresAt = null, revoked } = wanted;
  const limits = { ...NO_LIMITS, ...keyLimits };
  const { text, key } = newKey(
    { clock, random: randomBytes },
    { accountId, name: "test", expiresAt, limits, allow },
  );
  await storage.keys.insert(key);
  if (revoked) await storage.keys.revoke(key.id, clock.now());
  return { keyId: key.id, key: text };
}
