import { randomBytes } from "node:crypto";
import { cpSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { DiskCache } from "../../src/cache/disk-cache.ts";
import { systemTimers } from "../../src/lib/clock.ts";
import { type Damage, damage, flip } from "./disk-damage.ts";
import { DISK_BYTES, keyOf, look, NO_LOG, stored, WITNESS } from "./disk-entries.ts";

const ENTRIES = 100;
let run: string;
let whole: string;

beforeAll(async () => {
  run = mkdtempSync(join(tmpdir(), "disk-damage-"));
  whole = join(run, "whole");
  const cache = DiskCache.open(
    { path: whole, maxBytes: DISK_BYTES },
    { log: NO_LOG, timers: systemTimers, random: randomBytes },
  );
  const network = cache.open("main");
  network.witness = WITNESS;
  for (let entry = 0; entry < ENTRIES; entry++) network.set(keyOf(entry), stored(entry));
  await cache.close();
});

afterAll(() => rmSync(run, { recursive: true, force: true }));

async function copied<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = join(run, "copy");
  cpSync(whole, folder, { recursive: true });
  try {
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const part = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const anyDamage: fc.Arbitrary<Damage> = fc.record({
  kind: fc.constantFrom("flip", "flip", "flip", "cut", "zeros", "garbage"),
  file: part,
  at: part,
});

test("undamaged it serves every entry", async () => {
  expect(await look(whole, ENTRIES)).toEqual({ served: ENTRIES, wrong: [], damaged: 0 });
});

test("one flipped bit anywhere costs at most the one entry that it hit", async () => {
  await copied(async (folder) => {
    const files = readdirSync(folder).map((name) => join(folder, name));
    const named = files.filter((file) => /records|places/.test(file) && statSync(file).size > 0);
    expect(named.length).toBeGreaterThanOrEqual(2);
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...named), part, async (file, at) => {
        const bit = Math.floor(at * statSync(file).size * 8);
        flip(file, bit);
        const { served, wrong } = await look(folder, ENTRIES);
        flip(file, bit);
        expect(wrong).toEqual([]);
        expect(served).toBeGreaterThanOrEqual(ENTRIES - 1);
      }),
      { numRuns: 300 },
    );
  });
});

test("every bit of a record's head, and of the first places, costs at most one entry", async () => {
  await copied(async (folder) => {
    const names = readdirSync(folder).filter((name) => /records|places/.test(name));
    for (const name of names) {
      for (let bit = 0; bit < 28 * 8; bit++) {
        flip(join(folder, name), bit);
        const { served, wrong } = await look(folder, ENTRIES);
        flip(join(folder, name), bit);
        expect({ name, bit, wrong }).toEqual({ name, bit, wrong: [] });
        expect(served).toBeGreaterThanOrEqual(ENTRIES - 1);
      }
    }
  });
}, 60_000);

test("much damage of all kinds at once never makes a wrong byte, nor an error", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyDamage, { minLength: 1, maxLength: 30 }), async (damages) => {
      await copied(async (folder) => {
        for (const one of damages) damage(folder, one);
        expect((await look(folder, ENTRIES)).wrong).toEqual([]);
      });
    }),
    { numRuns: 100 },
  );
});

test("damage while it is open is seen, too", async () => {
  await copied(async (folder) => {
    const cache = DiskCache.open(
      { path: folder, maxBytes: DISK_BYTES },
      { log: NO_LOG, timers: systemTimers, random: randomBytes },
    );
    await cache.loaded;
    const network = cache.open("main");
    network.witness = WITNESS;
    expect(network.get(keyOf(0))).toEqual(stored(0));
    for (const name of readdirSync(folder)) {
      const path = join(folder, name);
      if (name.endsWith(".records")) writeFileSync(path, Buffer.alloc(statSync(path).size, 0x31));
    }
    for (let entry = 0; entry < ENTRIES; entry++) expect(network.get(keyOf(entry))).toBeUndefined();
    expect(cache.stats.damaged).toBe(ENTRIES);
    await cache.close();
  });
});
