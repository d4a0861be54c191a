import { randomBytes } from "node:crypto";
import { DiskCache } from "../../src/cache/disk-cache.ts";
import { systemTimers } from "../../src/lib/clock.ts";
import { DISK_BYTES, keyOf, NO_LOG, stored, WITNESS } from "./disk-entries.ts";

/** Writes entries from a number on until it is killed: `node disk-child.ts FOLDER FIRST`. */
const [, , path = "", first = "0"] = process.argv;
const cache = DiskCache.open(
  { path, maxBytes: DISK_BYTES },
  { log: NO_LOG, timers: systemTimers, random: randomBytes },
);
await cache.loaded;
const network = cache.open("main");
network.witness = WITNESS;
for (let entry = Number(first); ; entry++) {
  network.set(keyOf(entry), stored(entry));
  if (entry % 50 === 49) await cache.flush();
  if (entry % 500 === 499) process.stdout.write(`${entry}\n`);
}
