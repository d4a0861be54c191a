import { enableCompileCache } from "node:module";
import {
  constants,
  type NodeGCPerformanceDetail,
  type PerformanceEntry,
  PerformanceObserver,
} from "node:perf_hooks";
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";

/**
 * Two halves of 32 MB. V8 goes to 128 where much survives, as with many connections, and keeps that memory,
 * whatever else needs some. Half of this costs a batch's call a fifth more, since more survives each collection. The
 * option for it (--max-semi-space-size) has to be there before the process begins.
 */
const MOST_YOUNG_BYTES = 64 * 1024 * 1024;

/**
 * The old generation may grow so far between two full collections, or to half more than what is alive. V8 by itself
 * lets it grow to four times that and more, and keeps freed pages: a program with 80 MB alive came to 926 MB, and a run
 * of the whole benchmark left 735. Half more alone costs a batch's call 17 %: what is kept in the cache grows old.
 */
const MOST_OLD_BYTES = 144 * 1024 * 1024;
const LEAST_GROWTH_PERCENT = 50;
const MOST_GROWTH_PERCENT = 200;
/** What is alive grows by more than that from one full collection to the next: so it may again, and little is to come on top. */
const STEADY = 1.5;

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
  setFlagsFromString(`--heap-growing-percent=${LEAST_GROWTH_PERCENT}`);
  boundHeap();
  // Halves the time to start.
  enableCompileCache();
}

/** V8 reads these flags whenever a generation may grow next, so that they can follow what it holds. */
function boundHeap(): void {
  let mayGrow = true;
  let aliveBefore = 0;
  new PerformanceObserver((list) => {
    const spaces = new Map(getHeapSpaceStatistics().map((space) => [space.space_name, space]));
    const isSmall = (spaces.get("new_space")?.space_size ?? 0) < MOST_YOUNG_BYTES;
    if (isSmall !== mayGrow) setFlagsFromString(`--semi-space-growth-factor=${isSmall ? 2 : 1}`);
    mayGrow = isSmall;
    // Between two of these there is garbage among what is old.
    if (!list.getEntries().some(isFullCollection)) return;
    const alive = spaces.get("old_space")?.space_used_size ?? 0;
    const percent = alive > STEADY * aliveBefore ? LEAST_GROWTH_PERCENT : growthPercent(alive);
    setFlagsFromString(`--heap-growing-percent=${percent}`);
    aliveBefore = alive;
  }).observe({ entryTypes: ["gc"] });
}

function isFullCollection(entry: PerformanceEntry): boolean {
  const { detail } = entry as PerformanceEntry & { readonly detail: NodeGCPerformanceDetail };
  return detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR;
}

function growthPercent(aliveBytes: number): number {
  const percent = Math.ceil((100 * (MOST_OLD_BYTES - aliveBytes)) / Math.max(aliveBytes, 1));
  return Math.min(MOST_GROWTH_PERCENT, Math.max(LEAST_GROWTH_PERCENT, percent));
}
