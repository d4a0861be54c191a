import { readFileSync } from "node:fs";

/**
 * Loaded with `node --import`: the Unix clock of the process is ahead by the milliseconds that a file
 * holds, which the query names (`?file=…`); it is read at most once in 10 ms. The monotonic clock stays
 * as it is.
 */
const { now } = Date;
const file = new URL(import.meta.url).searchParams.get("file") ?? "";
let aheadMs = 0;
let readAtMs = Number.NEGATIVE_INFINITY;
Date.now = () => {
  if (performance.now() - readAtMs >= 10) {
    aheadMs = Number(readFileSync(file, "utf8"));
    readAtMs = performance.now();
  }
  return now() + aheadMs;
};
