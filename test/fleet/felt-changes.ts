import { randomBytes } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import pg from "pg";
import { createApiKey, hashApiKey } from "../../src/access/api-key.ts";
import { Authenticator } from "../../src/access/authenticator.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { openPostgres } from "../../src/storage/postgres/client.ts";
import type { Storage } from "../../src/storage/store.ts";
import { seeded } from "../credits/calls.ts";
import { newSchema, sharedPostgres } from "../support/postgres.ts";
import { account, apiKey } from "../support/records.ts";

const ACCOUNTS = 50;
const GATEWAYS = 4;
const WRITERS = 8;
const TOGETHER = 100;
/** A writer holds what it changed for up to so long before it commits. */
const LONGEST_HELD_MS = 20;
const LOOKED_AT_EVERY_MS = 10;
const GIVEN_UP_MS = 5000;
const NEW_LIMIT = 7;

type Key = { readonly id: string; readonly text: string; readonly isRevoked: boolean };
type Committed = Key & { readonly atMs: number; readonly feltBy: Set<number> };

/** How long it took until the last gateway felt a change, milliseconds, and what none of them felt. */
export type Felt = {
  readonly longestMs: number;
  readonly missed: number;
  /** Of the keys that were revoked, what a gateway answers at the end. */
  readonly answers: ReadonlySet<unknown>;
};

/** Revocations and limit changes of so many keys, half each, committed in a random order by 8 writers. */
export async function changeKeys(changes: number): Promise<Felt> {
  const settings = { url: await sharedPostgres(), schema: newSchema(), poolSize: 3 };
  const storages = await Promise.all(
    Array.from({ length: GATEWAYS }, () => openPostgres(settings)),
  );
  const [first] = storages;
  if (first === undefined) throw new Error("no storage");
  const keys = await makeKeys(first, changes);
  const gateways = storages.map((storage) => gatewayOn(storage));
  await Promise.all(gateways.map((gateway) => gateway.start()));
  for (const gateway of gateways) {
    for (const { text } of keys) await gateway.authenticate(text);
  }
  const committed: Committed[] = [];
  const watched = watch(gateways, committed, changes);
  await commitAll(settings, keys, committed);
  const felt = await watched;
  const revoked = keys.filter(({ isRevoked }) => isRevoked);
  const answers = new Set<unknown>();
  for (const gateway of gateways) {
    for (const { text } of revoked) answers.add(await gateway.authenticate(text));
  }
  await Promise.all(gateways.map((gateway) => gateway.stop()));
  await Promise.all(storages.map((storage) => storage.close()));
  return { ...felt, answers };
}

function gatewayOn(storage: Storage): Authenticator {
  const parts = { storage, clock: systemClock, onStoreFailure: () => undefined };
  return new Authenticator({ memoryBytes: 100_000_000 }, parts);
}

async function makeKeys({ accounts, keys }: Storage, count: number): Promise<readonly Key[]> {
  for (let n = 0; n < ACCOUNTS; n += 1) {
    await accounts.insert(account({ id: `acc_${n}`, email: `user${n}@example.com` }));
  }
  const made = Array.from({ length: count }, (_, n) => ({
    id: `key_${n}`,
    text: createApiKey(randomBytes),
    isRevoked: n % 2 === 0,
  }));
  // Whoever waits for a connection for two seconds is refused.
  for (let n = 0; n < made.length; n += TOGETHER) {
    await Promise.all(
      made.slice(n, n + TOGETHER).map(({ id, text }, at) => {
        const accountId = `acc_${(n + at) % ACCOUNTS}`;
        return keys.insert(apiKey({ id, accountId, hash: hashApiKey(text) }));
      }),
    );
  }
  return made;
}

async function commitAll(
  { url, schema }: { readonly url: string; readonly schema: string },
  keys: readonly Key[],
  committed: Committed[],
): Promise<void> {
  const random = seeded(3);
  const left = [...keys].sort(() => random() - 0.5);
  const write = async () => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    for (let key = left.pop(); key !== undefined; key = left.pop()) {
      const set = key.isRevoked ? "revoked_at = 1" : `credits_per_day = ${NEW_LIMIT}`;
      await client.query("BEGIN");
      await client.query(`UPDATE ${schema}.keys SET ${set} WHERE id = $1`, [key.id]);
      // Later writers commit earlier.
      await setTimeout(random() * LONGEST_HELD_MS);
      await client.query("COMMIT");
      committed.push({ ...key, atMs: performance.now(), feltBy: new Set() });
    }
    await client.end();
  };
  await Promise.all(Array.from({ length: WRITERS }, write));
}

/** Looks at what each gateway knows of each key that was changed. */
async function watch(
  gateways: readonly Authenticator[],
  committed: readonly Committed[],
  changes: number,
): Promise<Omit<Felt, "answers">> {
  let longestMs = 0;
  let missed = 0;
  for (let seen = 0; seen < changes; ) {
    await setTimeout(LOOKED_AT_EVERY_MS);
    const nowMs = performance.now();
    for (const change of committed.slice(seen)) {
      for (const [index, gateway] of gateways.entries()) {
        if (isFelt(gateway, change)) change.feltBy.add(index);
      }
    }
    // In the order of their commits, so that what was felt by all is not looked at again.
    for (let change = committed[seen]; change !== undefined; change = committed[seen]) {
      const agoMs = nowMs - change.atMs;
      const isByAll = change.feltBy.size === gateways.length;
      if (!isByAll && agoMs < GIVEN_UP_MS) break;
      longestMs = Math.max(longestMs, agoMs);
      missed += isByAll ? 0 : 1;
      seen += 1;
    }
  }
  return { longestMs, missed };
}

/** What it knew before is dropped, or has changed. */
function isFelt(gateway: Authenticator, { text, isRevoked }: Committed): boolean {
  const known = gateway.known(text);
  if (known === undefined || typeof known === "string") return true;
  return !isRevoked && known.keyLimits.creditsPerDay === NEW_LIMIT;
}
