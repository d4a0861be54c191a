import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { account, apiKey } from "../../test/support/records.ts";
import { timed } from "../../test/support/timed.ts";
import { temporaryFolder } from "../../test/support/written.ts";
import { openMemory } from "../storage/memory.ts";
import { openSqlite } from "../storage/sqlite/client.ts";
import { type ApiKey, type KeyRecord, type Storage, StorageError } from "../storage/store.ts";
import { createApiKey, hashApiKey } from "./api-key.ts";
import { Authenticator, type AuthenticatorOptions, type Identity } from "./authenticator.ts";
import { rotateKey } from "./key-rotation.ts";

const NOW = Date.UTC(2026, 10, 21);

class Bench {
  readonly storage: Storage;
  time = NOW;
  failing = false;
  failingReads = false;
  /** While set, look-ups by hash wait for it after they have read. */
  held: Promise<void> | undefined;
  readonly asked: string[] = [];
  readonly failures: unknown[] = [];

  constructor(storage: Storage = openMemory()) {
    this.storage = storage;
  }

  async key(over: Partial<ApiKey> = {}, pepper?: string): Promise<string> {
    const text = createApiKey(randomBytes);
    await this.storage.accounts.insert(account());
    await this.storage.keys.insert(apiKey({ ...over, hash: hashApiKey(text, pepper) }));
    return text;
  }

  async authenticator(options: Partial<AuthenticatorOptions> = {}): Promise<Authenticator> {
    const made = this.create(options);
    await made.poll();
    return made;
  }

  create(options: Partial<AuthenticatorOptions> = {}): Authenticator {
    const { keys, changes } = this.storage;
    const store = {
      keys: {
        ...keys,
        findByHash: (hash: string) => this.#findByHash(hash),
        findById: (id: string) =>
          this.failingReads
            ? Promise.reject(new StorageError("the page is damaged"))
            : this.#unlessFailing(keys.findById)(id),
        recordUse: this.#unlessFailing(keys.recordUse),
      },
      changes: { since: this.#unlessFailing(changes.since) },
    };
    const clock = timed({ now: () => this.time, monotonic: () => this.time });
    const onStoreFailure = (error: unknown): void => void this.failures.push(error);
    return new Authenticator(
      { memoryBytes: 1_000_000, ...options },
      { storage: store, clock, onStoreFailure },
    );
  }

  async #findByHash(hash: string): Promise<KeyRecord | undefined> {
    this.asked.push(hash);
    const record = await this.#unlessFailing(this.storage.keys.findByHash)(hash);
    await this.held;
    return record;
  }

  #unlessFailing<Argument, Result>(
    method: (argument: Argument) => Promise<Result>,
  ): (argument: Argument) => Promise<Result> {
    return (argument) =>
      this.failing ? Promise.reject(new StorageError("the disk is gone")) : method(argument);
  }
}

describe("a key", () => {
  test("names its account, with a promise at first and at once from then on", async () => {
    const bench = new Bench();
    const key = await bench.key({ expiresAt: NOW + 1 });
    const authenticator = await bench.authenticator();
    const first = authenticator.authenticate(key);
    expect(first).toBeInstanceOf(Promise);
    const identity = await first;
    expect(identity).toEqual({
      keyId: "key_1",
      accountId: "acc_1",
      email: "ada@example.com",
      plan: "free",
      operator: false,
      suspended: false,
      accountLimits: { creditsPerDay: null, creditsPerSecond: null },
      keyLimits: { creditsPerDay: null, creditsPerSecond: null },
      allow: undefined,
      expiresAt: NOW + 1,
    });
    expect(authenticator.authenticate(key)).toBe(identity);
    expect(bench.asked).toHaveLength(1);
  });

  test("that is malformed is refused at once, without asking the store", async () => {
    const bench = new Bench();
    const authenticator = await bench.authenticator();
    const key = await bench.key();
    const last = key.endsWith("z") ? "y" : "z";
    for (const wrong of ["", "tg_", "x".repeat(16_000), key.slice(0, -1) + last, ` ${key}`]) {
      expect(authenticator.authenticate(wrong)).toBe("refused");
    }
    expect(bench.asked).toEqual([]);
  });

  test("that is unknown, revoked or expired is refused, and the store is asked once", async () => {
    const bench = new Bench();
    const authenticator = await bench.authenticator();
    const unknown = createApiKey(randomBytes);
    const revoked = await bench.key({ id: "key_1", revokedAt: NOW - 1 });
    const expired = await bench.key({ id: "key_2", expiresAt: NOW });
    await authenticator.poll();
    for (const key of [unknown, revoked, expired]) {
      expect(await authenticator.authenticate(key)).toBe("refused");
      expect(authenticator.authenticate(key)).toBe("refused");
    }
    expect(bench.asked).toHaveLength(3);
  });

  test("that is asked for by many callers at once is looked up once", async () => {
    const bench = new Bench();
    const key = await bench.key();
    const authenticator = await bench.authenticator();
    const all = await Promise.all(
      Array.from({ length: 100 }, () => authenticator.authenticate(key)),
    );
    expect(new Set(all).size).toBe(1);
    expect(bench.asked).toHaveLength(1);
  });

  test("is refused from the millisecond in which it expires, though it is in memory", async () => {
    const bench = new Bench();
    const key = await bench.key({ expiresAt: NOW + 1000 });
    const authenticator = await bench.authenticator();
    await authenticator.authenticate(key);
    bench.time = NOW + 999;
    expect(authenticator.authenticate(key)).toMatchObject({ keyId: "key_1" });
    bench.time = NOW + 1000;
    expect(authenticator.authenticate(key)).toBe("refused");
  });

  test("made with a pepper works only with that pepper", async () => {
    const bench = new Bench();
    const key = await bench.key({}, "pepper");
    const peppered = await bench.authenticator({ pepper: "pepper" });
    expect(await peppered.authenticate(key)).toMatchObject({ keyId: "key_1" });
    expect(await (await bench.authenticator()).authenticate(key)).toBe("refused");
  });

  test("that was refused works as soon as it is created", async () => {
    const bench = new Bench();
    const text = createApiKey(randomBytes);
    const authenticator = await bench.authenticator();
    expect(await authenticator.authenticate(text)).toBe("refused");
    await bench.storage.accounts.insert(account());
    await bench.storage.keys.insert(apiKey({ hash: hashApiKey(text) }));
    expect(authenticator.authenticate(text)).toBe("refused");
    await authenticator.poll();
    expect(await authenticator.authenticate(text)).toMatchObject({ keyId: "key_1" });
  });
});

describe("a change in the store", () => {
  test("drops exactly the keys that it concerns", async () => {
    const bench = new Bench();
    await bench.storage.accounts.insert(account({ id: "acc_2", email: "b@example.com" }));
    const keys = [
      await bench.key({ id: "key_1" }),
      await bench.key({ id: "key_2" }),
      await bench.key({ id: "key_3", accountId: "acc_2" }),
    ];
    const authenticator = await bench.authenticator();
    const all = async (): Promise<unknown[]> =>
      Promise.all(keys.map((key) => authenticator.authenticate(key)));
    await all();
    await bench.storage.keys.revoke("key_1", NOW);
    await authenticator.poll();
    bench.asked.length = 0;
    expect(await all()).toMatchObject(["refused", { keyId: "key_2" }, { keyId: "key_3" }]);
    expect(bench.asked).toHaveLength(1);

    await bench.storage.accounts.update("acc_1", { suspended: true });
    await authenticator.poll();
    bench.asked.length = 0;
    expect(await all()).toMatchObject(["refused", { suspended: true }, { suspended: false }]);
    expect(bench.asked).toHaveLength(2);
  });

  test("long after a key was read is not missed, whatever has changed in between", async () => {
    const bench = new Bench();
    const key = await bench.key();
    const other = await bench.key({ id: "key_2" });
    const authenticator = await bench.authenticator();
    for (const each of [key, other]) await authenticator.authenticate(each);
    await bench.storage.keys.revoke("key_1", NOW);
    for (let n = 0; n < 12_000; n += 1) {
      await bench.storage.accounts.insert(account({ id: `a${n}`, email: `${n}@example.com` }));
      await bench.storage.accounts.update(`a${n}`, { plan: "x" });
      if (n % 100 > 0) continue;
      await authenticator.poll();
      expect(authenticator.authenticate(other)).toMatchObject({ keyId: "key_2" });
    }
    bench.asked.length = 0;
    expect(authenticator.authenticate(other)).toMatchObject({ keyId: "key_2" });
    expect(bench.asked).toHaveLength(0);
    expect(await authenticator.authenticate(key)).toBe("refused");
  });

  test("drops everything where the feed no longer knows all of them", async () => {
    const bench = new Bench();
    const key = await bench.key();
    await bench.storage.accounts.insert(account({ id: "acc_2", email: "b@example.com" }));
    const authenticator = await bench.authenticator();
    await authenticator.authenticate(key);
    await bench.storage.keys.revoke("key_1", NOW);
    for (let n = 0; n < 1000; n += 1) await bench.storage.accounts.update("acc_2", { plan: "x" });
    await authenticator.poll();
    expect(await authenticator.authenticate(key)).toBe("refused");
  });

  test("while a key is being looked up does not leave the old answer in memory", async () => {
    const bench = new Bench();
    const key = await bench.key();
    const authenticator = await bench.authenticator();
    const hold = Promise.withResolvers<void>();
    bench.held = hold.promise;
    const answer = authenticator.authenticate(key);
    await bench.storage.keys.revoke("key_1", NOW);
    await authenticator.poll();
    hold.resolve();
    expect(await answer).toBe("refused");
    expect(await authenticator.authenticate(key)).toBe("refused");
  });

  test("before the first poll is not missed either", async () => {
    const bench = new Bench();
    const key = await bench.key();
    const authenticator = bench.create();
    await authenticator.authenticate(key);
    await bench.storage.keys.revoke("key_1", NOW);
    await authenticator.poll();
    expect(await authenticator.authenticate(key)).toBe("refused");
  });
});

describe("a watch", () => {
  const watched = async (
    bench: Bench,
    over: Partial<ApiKey> = {},
  ): Promise<{ authenticator: Authenticator; told: unknown[]; stop: () => void }> => {
    const key = await bench.key(over);
    const authenticator = await bench.authenticator();
    const { moment } = authenticator;
    const identity = (await authenticator.authenticate(key)) as Identity;
    const told: unknown[] = [];
    const stop = authenticator.watch(identity, moment, (now) => told.push(now));
    return { authenticator, told, stop };
  };

  test("tells a suspension, its end, another plan, and at last the revocation", async () => {
    const bench = new Bench();
    const { authenticator, told } = await watched(bench);
    const { accounts, keys } = bench.storage;
    await authenticator.poll();
    expect(told).toEqual([]);
    await accounts.update("acc_1", { suspended: true });
    await authenticator.poll();
    await accounts.update("acc_1", { suspended: false, plan: "growth" });
    await authenticator.poll();
    await keys.revoke("key_1", NOW);
    await authenticator.poll();
    await accounts.update("acc_1", { suspended: true });
    await authenticator.poll();
    expect(told).toMatchObject([
      { suspended: true },
      { suspended: false, plan: "growth" },
      "refused",
    ]);
  });

  test("tells nothing of other keys and other accounts", async () => {
    const bench = new Bench();
    const { authenticator, told } = await watched(bench);
    await bench.storage.accounts.insert(account({ id: "acc_2", email: "b@example.com" }));
    await bench.key({ id: "key_2" });
    await bench.storage.keys.revoke("key_2", NOW);
    await bench.storage.accounts.update("acc_2", { suspended: true });
    await authenticator.poll();
    expect(told).toEqual([]);
  });

  test("tells an expiry without a change, even while the store fails", async () => {
    const bench = new Bench();
    const { authenticator, told } = await watched(bench, { expiresAt: NOW + 1000 });
    bench.failing = true;
    bench.time = NOW + 999;
    await authenticator.poll();
    expect(told).toEqual([]);
    bench.time = NOW + 1000;
    await authenticator.poll();
    expect(told).toEqual(["refused"]);
  });

  test("that began after its key had been revoked is told at the next poll", async () => {
    const bench = new Bench();
    const key = await bench.key();
    const authenticator = await bench.authenticator();
    const { moment } = authenticator;
    const identity = (await authenticator.authenticate(key)) as Identity;
    await bench.storage.keys.revoke("key_1", NOW);
    await authenticator.poll();
    const told: unknown[] = [];
    authenticator.watch(identity, moment, (now) => told.push(now));
    await authenticator.poll();
    expect(told).toEqual(["refused"]);
  });

  test("learns of a change later where the store failed in between", async () => {
    const bench = new Bench();
    const { authenticator, told } = await watched(bench);
    await bench.storage.keys.revoke("key_1", NOW);
    bench.failing = true;
    await authenticator.poll();
    bench.failing = false;
    bench.failingReads = true;
    await authenticator.poll();
    expect(told).toEqual([]);
    bench.failingReads = false;
    await authenticator.poll();
    expect(told).toEqual(["refused"]);
  });

  test("that has ended is told nothing", async () => {
    const bench = new Bench();
    const { authenticator, told, stop } = await watched(bench);
    stop();
    await bench.storage.keys.revoke("key_1", NOW);
    await authenticator.poll();
    expect(told).toEqual([]);
  });
});

describe("while the store fails", () => {
  test("known keys go on working, and unknown ones are neither let in nor refused", async () => {
    const bench = new Bench();
    const known = await bench.key({ id: "key_1" });
    const unseen = await bench.key({ id: "key_2" });
    const authenticator = await bench.authenticator();
    await authenticator.authenticate(known);
    bench.failing = true;
    await authenticator.poll();
    expect(authenticator.authenticate(known)).toMatchObject({ keyId: "key_1" });
    expect(await authenticator.authenticate(unseen)).toBe("unavailable");
    bench.failing = false;
    expect(await authenticator.authenticate(unseen)).toMatchObject({ keyId: "key_2" });
  });

  test("that is reported once for each time that it begins", async () => {
    const bench = new Bench();
    const authenticator = await bench.authenticator();
    for (const failing of [true, true, true, false, false, true, true]) {
      bench.failing = failing;
      await authenticator.poll();
    }
    expect(bench.failures).toHaveLength(2);
  });

  test("a revocation of that time holds as soon as the store is back", async () => {
    const bench = new Bench();
    const key = await bench.key();
    const authenticator = await bench.authenticator();
    await authenticator.authenticate(key);
    bench.failing = true;
    await bench.storage.keys.revoke("key_1", NOW);
    await authenticator.poll();
    expect(authenticator.authenticate(key)).toMatchObject({ keyId: "key_1" });
    bench.failing = false;
    await authenticator.poll();
    expect(await authenticator.authenticate(key)).toBe("refused");
  });
});

describe("the last-used time of a key", () => {
  const lastUsed = async (bench: Bench): Promise<number | null | undefined> =>
    (await bench.storage.keys.findById("key_1"))?.key.lastUsedAt;

  test("is written in the background, at most once a minute", async () => {
    const bench = new Bench();
    const key = await bench.key();
    const authenticator = await bench.authenticator();
    await authenticator.authenticate(key);
    expect(await lastUsed(bench)).toBeNull();
    await authenticator.poll();
    expect(await lastUsed(bench)).toBe(NOW);
    for (bench.time = NOW; bench.time < NOW + 60_000; bench.time += 1000) {
      void authenticator.authenticate(key);
      await authenticator.poll();
    }
    expect(await lastUsed(bench)).toBe(NOW);
    void authenticator.authenticate(key);
    await authenticator.poll();
    expect(await lastUsed(bench)).toBe(NOW + 60_000);
  });

  test("does not stop the key from being known", async () => {
    const bench = new Bench();
    const key = await bench.key();
    const authenticator = await bench.authenticator();
    await authenticator.authenticate(key);
    await authenticator.poll();
    await authenticator.poll();
    expect(authenticator.authenticate(key)).not.toBeInstanceOf(Promise);
  });

  test("is written a few keys at a time where many are used at once, and all at a stop", async () => {
    const bench = new Bench();
    const keys: string[] = [];
    for (let n = 0; n < 600; n += 1) keys.push(await bench.key({ id: `key_${n}` }));
    const authenticator = await bench.authenticator();
    for (const key of keys) await authenticator.authenticate(key);
    const written = async (): Promise<number> => {
      const found = await bench.storage.keys.list("acc_1");
      return found.filter(({ key }) => key.lastUsedAt === NOW).length;
    };
    await authenticator.poll();
    expect(await written()).toBe(250);
    await authenticator.poll();
    expect(await written()).toBe(500);
    for (const key of keys) void authenticator.authenticate(key);
    await authenticator.stop();
    expect(await written()).toBe(600);
  });

  test("is kept for later while the store fails, and written at a stop", async () => {
    const bench = new Bench();
    const key = await bench.key();
    const authenticator = await bench.authenticator();
    await authenticator.authenticate(key);
    bench.failing = true;
    await authenticator.poll();
    bench.failing = false;
    await authenticator.stop();
    expect(await lastUsed(bench)).toBe(NOW);
  });
});

describe("several processes", () => {
  const folder = temporaryFolder("access");

  test("a key revoked in one process is refused in all within 1 s", async () => {
    const path = join(folder, "tollgate.db");
    const [first, second] = [new Bench(await openSqlite(path)), new Bench(await openSqlite(path))];
    const key = await first.key();
    const all = [await first.authenticator(), await second.authenticator()];
    const told: unknown[] = [];
    for (const authenticator of all) {
      const identity = (await authenticator.authenticate(key)) as Identity;
      expect(identity).toMatchObject({ keyId: "key_1" });
      authenticator.watch(identity, authenticator.moment, (now) => told.push(now));
    }
    await first.storage.keys.revoke("key_1", NOW);
    // One poll each; the next test shows how often that is.
    for (const authenticator of all) {
      await authenticator.poll();
      expect(await authenticator.authenticate(key)).toBe("refused");
    }
    expect(told).toEqual(["refused", "refused"]);
    await Promise.all(all.map((authenticator) => authenticator.stop()));
    await Promise.all([first.storage.close(), second.storage.close()]);
  });

  test("whatever is changed in one process reaches known keys and watches in all", async () => {
    const path = join(folder, "changes.db");
    const [first, second] = [new Bench(await openSqlite(path)), new Bench(await openSqlite(path))];
    const key = await first.key();
    const all = [await first.authenticator(), await second.authenticator()];
    const told: unknown[] = [];
    for (const authenticator of all) {
      const identity = (await authenticator.authenticate(key)) as Identity;
      authenticator.watch(identity, authenticator.moment, (now) => told.push(now));
    }
    const { accounts, keys } = first.storage;
    const limits = { creditsPerDay: 1000, creditsPerSecond: 10 };
    const changes: readonly [() => Promise<unknown>, unknown][] = [
      [() => accounts.update("acc_1", { plan: "growth" }), { plan: "growth" }],
      [() => accounts.update("acc_1", { limits }), { accountLimits: limits }],
      [() => keys.update("key_1", { limits }), { keyLimits: limits }],
      [() => keys.update("key_1", { allow: { agent: ["curl"] } }), { allow: { agents: ["curl"] } }],
      [() => keys.update("key_1", { allow: {} }), { allow: undefined }],
      [() => keys.update("key_1", { expiresAt: NOW + 5000 }), { expiresAt: NOW + 5000 }],
      [() => accounts.update("acc_1", { suspended: true }), { suspended: true }],
      [() => accounts.update("acc_1", { suspended: false }), { suspended: false }],
    ];
    for (const [change, expected] of changes) {
      told.length = 0;
      await change();
      for (const authenticator of all) {
        await authenticator.poll();
        expect(await authenticator.authenticate(key)).toMatchObject(expected as object);
      }
      expect(told).toMatchObject([expected, expected]);
    }
    told.length = 0;
    await accounts.delete("acc_1");
    for (const authenticator of all) {
      await authenticator.poll();
      expect(await authenticator.authenticate(key)).toBe("refused");
      await authenticator.stop();
    }
    expect(told).toEqual(["refused", "refused"]);
    await Promise.all([first.storage.close(), second.storage.close()]);
  });

  test("a rotated key's watches end with the overlap, in a process that did not rotate it", async () => {
    const bench = new Bench();
    const key = await bench.key();
    const [rotating, other] = [await bench.authenticator(), await bench.authenticator()];
    const told: unknown[] = [];
    const identity = (await other.authenticate(key)) as Identity;
    other.watch(identity, other.moment, (now) => told.push(now));
    const old = (await bench.storage.keys.findById("key_1"))?.key as ApiKey;
    const clock = { now: () => bench.time, monotonic: () => bench.time };
    const parts = { storage: bench.storage, clock, random: randomBytes };
    const made = await rotateKey(parts, old, { overlapMs: 1000, maxKeys: 1 });
    if (typeof made === "string") throw new Error(made);
    for (const authenticator of [rotating, other]) {
      await authenticator.poll();
      expect(await authenticator.authenticate(made.text)).toMatchObject({ keyId: made.key.id });
      expect(await authenticator.authenticate(key)).toMatchObject({ keyId: "key_1" });
    }
    bench.time = NOW + 1000;
    await other.poll();
    expect(other.authenticate(key)).toBe("refused");
    expect(other.authenticate(made.text)).toMatchObject({ keyId: made.key.id });
    expect(told).toMatchObject([{ expiresAt: NOW + 1000 }, "refused"]);
  });

  test("the store is asked for changes four times a second, until the stop", async () => {
    vi.useFakeTimers();
    const bench = new Bench();
    const authenticator = bench.create();
    const polls = vi.spyOn(authenticator, "poll");
    await authenticator.start();
    expect(polls).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(1000);
    expect(polls).toHaveBeenCalledTimes(5);
    await authenticator.stop();
    await vi.advanceTimersByTimeAsync(1000);
    expect(polls).toHaveBeenCalledTimes(5);
    vi.useRealTimers();
  });
});
