import { randomBytes } from "node:crypto";
import { DiskCache } from "../../src/cache/disk-cache.ts";
import { systemTimers } from "../../src/lib/clock.ts";
import type { Logger } from "../../src/telemetry/log.ts";

/** Small, so that segments are begun and deleted all the time. */
export const DISK_BYTES = 4 * 1024 * 1024;
export const WITNESS = { block: 1e9, hash: "0x1f" };
const nothing = (): void => {};
export const NO_LOG = { warn: nothing, info: nothing } as unknown as Logger;

export const keyOf = (entry: number): string =>
  `eth_getBlockByNumber["0x${entry.toString(16)}",true]`;

/** What an entry's number alone decides: anything else that is served is a wrong byte. */
export function stored(entry: number): { value: string | Buffer; block: number } {
  const size = entry % 100 === 7 ? 20_000 + (entry % 30_000) : 50 + ((entry * 37) % 1_500);
  const value = `${entry}:`.repeat(Math.ceil(size / 3)).slice(0, size);
  return { value: size > 8_192 ? Buffer.from(value) : value, block: entry };
}

export type Look = {
  readonly served: number;
  /** Entries that were served and are not what was written. */
  readonly wrong: number[];
  readonly damaged: number;
};

/** Opens the folder as a gateway does after a restart and asks for entries up to `end`. */
export async function look(path: string, end: number): Promise<Look> {
  const cache = DiskCache.open(
    { path, maxBytes: DISK_BYTES },
    { log: NO_LOG, timers: systemTimers, random: randomBytes },
  );
  await cache.loaded;
  const network = cache.open("main");
  network.witness = WITNESS;
  const wrong: number[] = [];
  let served = 0;
  for (let entry = 0; entry < end; entry++) {
    const got = network.get(keyOf(entry));
    if (got === undefined) continue;
    served++;
    const is = stored(entry);
    const same = Buffer.from(got.value as string, "latin1").equals(
      Buffer.from(is.value as string, "latin1"),
    );
    if (!same || got.block !== is.block) wrong.push(entry);
  }
  await cache.close();
  return { served, wrong, damaged: cache.stats.damaged };
}
