import { enableCompileCache } from "node:module";
import { PerformanceObserver } from "node:perf_hooks";
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";

/** Two halves of 32 MB. V8 goes to 128 where much survives, as with many connections. */
const MOST_YOUNG_BYTES = 64 * 1024 * 1024;

/**
 * By how much the old generation grows between two full collections. V8 lets it grow to four times what
 * is alive, and keeps the pages afterwards: all of the benchmark's scenarios left 559 MB resident, and leave 450 with this.
 */
const OLD_GROWTH_PERCENT = 50;

/**
 * Each process of the program does this before it loads anything else.
 *
 * V8 (13.6) notes which places of the code make objects that outlive a collection or two, and has
 * the compiler allocate theirs among the old ones. After some slow collections it takes those of
 * each call for such. A call's dead objects then keep all that the next calls make until the next
 * full collection, which the compiler takes for proof. Of equal runs some got into that state, and
 * never out of it: the collector took a third of their time.
 */
export function prepareProcess(): void {
  setFlagsFromString("--no-allocation-site-pretenuring");
  setFlagsFromString(`--heap-growing-percent=${OLD_GROWTH_PERCENT}`);
  boundYoungGeneration();
  // Halves the time to start.
  enableCompileCache();
}

/**
 * Keeps the young generation from growing further: the process keeps that memory, whatever else needs
 * some. Half of this costs a batch's call a fifth more, since more survives each collection. The option
 * for it (--max-semi-space-size) has to be there before the process begins.
 */
function boundYoungGeneration(): void {
  let mayGrow = true;
  const look = () => {
    const young = getHeapSpaceStatistics().find(({ space_name: name }) => name === "new_space");
    const isSmall = (young?.space_size ?? 0) < MOST_YOUNG_BYTES;
    if (isSmall === mayGrow) return;
    mayGrow = isSmall;
    setFlagsFromString(`--semi-space-growth-factor=${isSmall ? 2 : 1}`);
  };
  // It grows after a collection, and to twice its size.
  new PerformanceObserver(look).observe({ entryTypes: ["gc"] });
}
