import { randomBytes } from "node:crypto";
import fs, { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { systemTimers } from "../lib/clock.ts";
import type { Logger } from "../telemetry/log.ts";
import { DiskCache } from "./disk-cache.ts";
import type { NetworkDisk } from "./disk-network.ts";

const MIB = 1024 * 1024;
const WITNESS = { block: 1_000, hash: "0x1f" };
let folder: string;
let lines: string[];
const opened: DiskCache[] = [];
const log = {
  warn: (first: unknown, text?: string) => lines.push(text ?? String(first)),
  info: (first: unknown, text?: string) => lines.push(text ?? String(first)),
} as unknown as Logger;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "disk-cache-"));
  lines = [];
});

afterEach(async () => {
  vi.restoreAllMocks();
  for (const cache of opened.splice(0)) await cache.close();
  rmSync(folder, { recursive: true, force: true });
});

async function open(maxBytes = 8 * MIB): Promise<{ cache: DiskCache; network: NetworkDisk }> {
  const cache = DiskCache.open(
    { path: folder, maxBytes },
    { log, timers: systemTimers, random: randomBytes },
  );
  opened.push(cache);
  await cache.loaded;
  return { cache, network: cache.open("main") };
}

/** One that has a witness already. */
async function openProven(maxBytes?: number): Promise<{ cache: DiskCache; network: NetworkDisk }> {
  const both = await open(maxBytes);
  both.network.witness = WITNESS;
  return both;
}

const sizeOfFolder = (): number =>
  readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);

const broken = (code: string): never => {
  throw Object.assign(new Error(code), { code });
};

describe("what was set", () => {
  test("comes back to the byte, in this run and after a restart", async () => {
    const first = await openProven();
    const large = Buffer.alloc(100_000, "é");
    first.network.set("small", { value: '{"a":"\u00c3\u00a9"}', block: 5 });
    first.network.set("large", { value: large, block: -1 });
    await first.cache.flush();
    for (const _ of [1, 2]) {
      const { cache, network } = await openProven();
      expect(network.get("small")).toEqual({ value: '{"a":"\u00c3\u00a9"}', block: 5 });
      expect(network.get("large")).toEqual({ value: large, block: -1 });
      expect(network.get("smal")).toBeUndefined();
      expect(cache.stats).toMatchObject({ hits: 2, misses: 1, damaged: 0 });
      await first.cache.close();
    }
  });

  test("waits at the end of the process until it is written", async () => {
    const { cache, network } = await openProven();
    network.set("key", { value: "1", block: 5 });
    await cache.close();
    expect((await openProven()).network.get("key")?.value).toBe("1");
  });

  test("is nobody's buffer but the caller's: later reads and writes do not change it", async () => {
    const { cache, network } = await openProven();
    for (const name of ["a", "b"]) {
      network.set(name, { value: Buffer.alloc(9_000, name), block: 5 });
    }
    await cache.flush();
    const got = network.get("a");
    network.get("b");
    expect(got?.value).toEqual(Buffer.alloc(9_000, "a"));
  });

  test("belongs to its network", async () => {
    const { cache, network } = await openProven();
    const other = cache.open("other");
    other.witness = WITNESS;
    network.set("key", { value: "1", block: 5 });
    await cache.flush();
    expect(other.get("key")).toBeUndefined();
    expect(network.get("key")?.value).toBe("1");
  });

  test("is found by other processes with the same folder, and neither gets in the other's way", async () => {
    const one = await openProven();
    const two = await openProven();
    for (let round = 0; round < 5; round++) {
      one.network.set(`one ${round}`, { value: `1-${round}`, block: 5 });
      two.network.set(`two ${round}`, { value: `2-${round}`, block: 5 });
      await Promise.all([one.cache.flush(), two.cache.flush()]);
    }
    await Promise.all([one.cache.sweep(), two.cache.sweep()]);
    for (const { network } of [one, two]) {
      expect(network.get("one 4")?.value).toBe("1-4");
      expect(network.get("two 3")?.value).toBe("2-3");
    }
  });

  test("too large for a segment is not kept, and nothing else suffers", async () => {
    const { cache, network } = await openProven(4 * MIB);
    network.set("large", { value: Buffer.alloc(70_000), block: 5 });
    network.set("k".repeat(70_000), { value: "1", block: 5 });
    network.set("small", { value: "1", block: 5 });
    await cache.flush();
    expect(network.get("large")).toBeUndefined();
    expect(network.get("k".repeat(70_000))).toBeUndefined();
    expect(network.get("small")?.value).toBe("1");
  });
});

describe("the witness", () => {
  async function filled(): Promise<void> {
    const { cache, network } = await openProven();
    network.set("key", { value: "1", block: 900 });
    await cache.close();
  }

  test("of an earlier run has to be shown again before anything is served or taken", async () => {
    await filled();
    const { cache, network } = await open();
    expect(network.witness).toEqual(WITNESS);
    expect(network.get("key")).toBeUndefined();
    network.set("new", { value: "2", block: 900 });
    await cache.flush();
    network.witness = WITNESS;
    expect(network.get("key")?.value).toBe("1");
    expect(network.get("new")).toBeUndefined();
  });

  test.each([
    ["hash", { block: 1_000, hash: "0x2f" }],
    ["number", { block: 1_001, hash: "0x1f" }],
  ])("of another %s ends what an earlier run left, for every later run too", async (_, witness) => {
    await filled();
    const { cache, network } = await open();
    network.witness = witness;
    expect(network.get("key")).toBeUndefined();
    network.set("new", { value: "2", block: 900 });
    await cache.close();
    const later = (await open()).network;
    expect(later.witness).toEqual(witness);
    later.witness = witness;
    expect(later.get("key")).toBeUndefined();
    expect(later.get("new")?.value).toBe("2");
  });

  test("below an entry can't prove it: such an entry is not kept", async () => {
    const { cache, network } = await open();
    network.set("before any", { value: "1", block: -1 });
    network.witness = WITNESS;
    network.set("above", { value: "1", block: 1_001 });
    network.set("at", { value: "1", block: 1_000 });
    await cache.flush();
    expect(network.get("before any")).toBeUndefined();
    expect(network.get("above")).toBeUndefined();
    expect(network.get("at")?.value).toBe("1");
  });

  test("goes up only, by whichever process, and the highest is what a later run has to show", async () => {
    const one = await openProven();
    const two = await openProven();
    one.network.witness = { block: 1_020, hash: "0x20" };
    two.network.witness = { block: 1_010, hash: "0x10" };
    two.network.witness = WITNESS;
    one.network.set("one", { value: "1", block: 1_015 });
    await one.cache.flush();
    two.network.set("two", { value: "1", block: 1_005 });
    await two.cache.flush();
    const { network } = await open();
    expect(network.witness).toEqual({ block: 1_020, hash: "0x20" });
    network.witness = { block: 1_020, hash: "0x20" };
    expect([network.get("one")?.value, network.get("two")?.value]).toEqual(["1", "1"]);
    expect(readdirSync(folder).filter((name) => /witness|first/.test(name))).toHaveLength(1);
  });

  test("is on the disk before the entry that needs it", async () => {
    const { cache, network } = await openProven();
    const files: string[][] = [];
    const write = fs.write;
    vi.spyOn(fs, "write").mockImplementation(((...args: Parameters<typeof write>) => {
      files.push(readdirSync(folder).filter((name) => name.endsWith(".witness")));
      return write(...args);
    }) as typeof write);
    network.set("key", { value: "1", block: 900 });
    await cache.flush();
    expect(files.length).toBeGreaterThan(0);
    for (const names of files) expect(names).toHaveLength(1);
  });
});

describe("clear", () => {
  test("ends everything at once, what waits included, and after a restart", async () => {
    const { cache, network } = await openProven();
    network.set("written", { value: "1", block: 5 });
    await cache.flush();
    network.set("waiting", { value: "1", block: 5 });
    const cleared = network.clear();
    expect(network.get("written")).toBeUndefined();
    await cleared;
    await cache.close();
    expect(cache.stats.written).toBe(1);
    const later = await open();
    expect(later.network.witness).toBeUndefined();
    later.network.witness = WITNESS;
    expect(later.network.get("written")).toBeUndefined();
    expect(later.network.get("waiting")).toBeUndefined();
  });

  test("takes new entries at once, and leaves other networks alone", async () => {
    const { cache, network } = await openProven();
    const other = cache.open("other");
    other.witness = WITNESS;
    other.set("key", { value: "other", block: 5 });
    network.set("key", { value: "old", block: 5 });
    await cache.flush();
    void network.clear();
    network.witness = WITNESS;
    network.set("key", { value: "new", block: 5 });
    await cache.close();
    const later = await openProven();
    const otherLater = later.cache.open("other");
    otherLater.witness = WITNESS;
    expect(later.network.get("key")?.value).toBe("new");
    expect(otherLater.get("key")?.value).toBe("other");
  });
});

test("what one process cleared, another that has not yet does not bring back", async () => {
  const one = await openProven();
  const two = await openProven();
  two.network.set("old", { value: "1", block: 5 });
  await two.cache.flush();
  await one.network.clear();
  const lower = { block: 10, hash: "0x2f" };
  one.network.witness = lower;
  one.network.set("new", { value: "2", block: 5 });
  await one.cache.flush();
  two.network.witness = { block: 1_020, hash: "0x20" };
  two.network.set("old too", { value: "1", block: 1_010 });
  await two.cache.flush();
  const { network } = await open();
  expect(network.witness).toEqual(lower);
  network.witness = lower;
  expect(network.get("old")).toBeUndefined();
  expect(network.get("old too")).toBeUndefined();
  expect(network.get("new")?.value).toBe("2");
});

describe("the bound", () => {
  test("holds for all files at every moment, and the first in go first", async () => {
    const { cache, network } = await openProven(4 * MIB);
    const value = "v".repeat(3_000);
    let most = 0;
    for (let key = 0; key < 2_400; key++) {
      network.set(`key ${key}`, { value, block: 5 });
      if (key % 20 !== 19) continue;
      await cache.flush();
      most = Math.max(most, sizeOfFolder());
    }
    expect(most).toBeLessThanOrEqual(4 * MIB);
    expect(cache.bytes).toBe(sizeOfFolder());
    expect(network.get("key 0")).toBeUndefined();
    for (let key = 1_400; key < 2_400; key++) expect(network.get(`key ${key}`)).toBeDefined();
  });

  test("holds for several processes together", async () => {
    const all: { cache: DiskCache; network: NetworkDisk }[] = [];
    for (let at = 0; at < 12; at++) all.push(await openProven(4 * MIB));
    let most = 0;
    for (let key = 0; key < 180; key++) {
      for (const [at, { network }] of all.entries()) {
        network.set(`${at} ${key}`, { value: "v".repeat(4_000), block: 5 });
      }
      if (key % 5 !== 4) continue;
      await Promise.all(all.map(({ cache }) => cache.flush()));
      most = Math.max(most, sizeOfFolder());
    }
    expect(most).toBeLessThanOrEqual(4 * MIB);
    expect(most).toBeGreaterThan(3 * MIB);
    expect(all[1]?.network.get("1 179")).toBeDefined();
  });

  test("smaller than what an earlier run left is reached at once", async () => {
    const { cache, network } = await openProven(16 * MIB);
    for (let key = 0; key < 100; key++) {
      network.set(`key ${key}`, { value: Buffer.alloc(100_000), block: 5 });
      if (key % 10 === 9) await cache.flush();
    }
    await cache.close();
    const later = await openProven(4 * MIB);
    expect(sizeOfFolder()).toBeLessThanOrEqual(4 * MIB);
    expect(later.network.get("key 99")).toBeUndefined();
    expect(lines).toEqual([
      "disk cache: an entry is not what was written; such entries are not served",
    ]);
  });

  test("holds for what waits in memory, too: what is too much is not kept", async () => {
    const { cache, network } = await openProven(128 * MIB);
    for (let key = 0; key < 40; key++) {
      network.set(`key ${key}`, { value: Buffer.alloc(MIB), block: 5 });
    }
    expect(cache.stats.dropped).toBeGreaterThan(20);
  });
});

describe("a disk that does not work", () => {
  test.each([
    [
      "ENOSPC",
      (done: (error: Error | null) => void) => done(Object.assign(new Error(), { code: "ENOSPC" })),
    ],
    ["half a write", (done: (error: null, bytes: number) => void) => done(null, 7)],
  ])(
    "(%s) is told once, what was kept is served, and it is used again when it works",
    async (_, fail) => {
      const { cache, network } = await openProven();
      network.set("before", { value: "1", block: 5 });
      await cache.flush();
      const write = vi.spyOn(fs, "write").mockImplementation(((...args: unknown[]) => {
        fail(args.at(-1) as never);
      }) as never);
      for (let round = 0; round < 5; round++) {
        network.set(`lost ${round}`, { value: "1", block: 5 });
        await cache.flush();
        network.set(`dropped ${round}`, { value: "1", block: 5 });
        expect(network.get("before")?.value).toBe("1");
        await cache.sweep();
      }
      expect(lines).toEqual(["disk cache: the disk does not work; nothing is kept until it does"]);
      expect(cache.stats).toMatchObject({ faults: 5, written: 1, dropped: 5 });
      write.mockRestore();
      network.set("after", { value: "2", block: 5 });
      await cache.flush();
      expect(lines[1]).toBe("disk cache: the disk works again");
      expect(network.get("after")?.value).toBe("2");
      expect(readdirSync(folder).filter((name) => name.endsWith(".records"))).toHaveLength(1);
    },
  );

  test("where no file can be created, no folder read: started, told once, used when it works", async () => {
    rmSync(folder, { recursive: true });
    writeFileSync(folder, "a file");
    const { cache, network } = await openProven();
    network.set("key", { value: "1", block: 5 });
    await cache.flush();
    await cache.sweep();
    expect(network.get("key")).toBeUndefined();
    expect(lines).toEqual(["disk cache: the disk does not work; nothing is kept until it does"]);
    rmSync(folder);
    await cache.sweep();
    network.set("key", { value: "1", block: 5 });
    await cache.flush();
    expect(network.get("key")?.value).toBe("1");
    expect(lines[1]).toBe("disk cache: the disk works again");
  });

  test("where a read fails: a miss, told once", async () => {
    const { cache, network } = await openProven();
    for (const name of ["a", "b"]) network.set(name, { value: "1", block: 5 });
    await cache.flush();
    vi.spyOn(fs, "readSync").mockImplementation(() => broken("EIO"));
    expect(network.get("a")).toBeUndefined();
    expect(network.get("b")).toBeUndefined();
    expect(lines).toHaveLength(1);
  });

  test("where a new segment can't be created no empty files pile up", async () => {
    const { cache, network } = await openProven();
    const openSync = fs.openSync;
    vi.spyOn(fs, "openSync").mockImplementation(((path: string, flags: string) =>
      path.endsWith(".places") ? broken("ENOSPC") : openSync(path, flags)) as never);
    for (let round = 0; round < 3; round++) {
      network.set("key", { value: "1", block: 5 });
      await cache.flush();
      await cache.sweep();
    }
    expect(readdirSync(folder).filter((name) => name.endsWith(".records"))).toEqual([]);
  });
});

describe("the folder", () => {
  test("may be deleted while it is used: the tier goes on", async () => {
    const { cache, network } = await openProven();
    network.set("before", { value: "1", block: 5 });
    await cache.flush();
    rmSync(folder, { recursive: true });
    network.set("after", { value: "2", block: 5 });
    await cache.flush();
    expect(network.get("after")?.value).toBe("2");
    await cache.sweep();
    expect(existsSync(folder)).toBe(true);
    expect(lines).toEqual([]);
  });

  test("holds files that are none of ours without harm to them or to us", async () => {
    for (const name of ["0000000001.records.bak", "x.places", "notes.txt", "12.records"]) {
      writeFileSync(join(folder, name), "mine");
    }
    writeFileSync(join(folder, "0000000007.places"), Buffer.alloc(4_000, 0xff));
    const { cache, network } = await openProven();
    network.set("key", { value: "1", block: 5 });
    await cache.close();
    expect((await openProven()).network.get("key")?.value).toBe("1");
    expect(readdirSync(folder)).toContain("notes.txt");
  });
});
