import type { CounterFamily, GaugeFamily, PlainCounter } from "./plain-metrics.ts";

/** The metrics of one network's calls before a node is asked. */
export type CacheMetrics = {
  readonly hits: PlainCounter;
  /** Calls whose answer could have been kept, and was not there. */
  readonly misses: PlainCounter;
  /** Calls that got the answer to another one, which was in the air. */
  readonly shared: PlainCounter;
};

/** The cache of all networks together. */
export type CacheState = {
  readonly bytes: number;
  readonly entries: number;
  readonly stats: { readonly evicted: number };
};

/** The disk tier of all networks and processes, and the outcomes of this process's part in it. */
export type DiskCacheState = {
  readonly bytes: number;
  readonly stats: Readonly<Record<DiskOutcome, number>> & { readonly faults: number };
};

const DISK_OUTCOMES = ["hits", "misses", "written", "dropped", "damaged"] as const;
type DiskOutcome = (typeof DISK_OUTCOMES)[number];

type Make = {
  readonly counter: (name: string, description: Description) => CounterFamily;
  readonly gauge: (name: string, description: Description, type?: "counter") => GaugeFamily;
};
type Description = { readonly help: string; readonly labels: readonly string[] };

/** The families are registered once, for all networks. */
export function cacheFamilies({ counter, gauge }: Make): {
  readonly network: (network: string) => CacheMetrics;
  /** Looked up at each scrape. */
  readonly watch: (cache: CacheState) => void;
  readonly watchDisk: (disk: DiskCacheState) => void;
} {
  const hits = counter("tollgate_cache_hits_total", {
    help: "Calls that were answered with what was kept",
    labels: ["network"],
  });
  const misses = counter("tollgate_cache_misses_total", {
    help: "Calls whose answer could have been kept, and was not there",
    labels: ["network"],
  });
  const shared = counter("tollgate_shared_calls_total", {
    help: "Calls that got the answer to another one like them, which was in the air",
    labels: ["network"],
  });
  const bytes = gauge("tollgate_cache_bytes", {
    help: "What the kept answers take of cache.memoryBytes",
    labels: [],
  });
  const entries = gauge("tollgate_cache_entries", { help: "Kept answers", labels: [] });
  const evicted = gauge(
    "tollgate_cache_evicted_total",
    { help: "Kept answers that made room for others", labels: [] },
    "counter",
  );
  const onDisk = gauge(
    "tollgate_disk_cache_answers_total",
    { help: "Answers that were looked for on disk or put there", labels: ["outcome"] },
    "counter",
  );
  const faults = gauge(
    "tollgate_disk_cache_faults_total",
    { help: "Errors of the disk that cache.disk is on", labels: [] },
    "counter",
  );
  const diskBytes = gauge("tollgate_disk_cache_bytes", {
    help: "What the answers on disk take of cache.disk.maxBytes",
    labels: [],
  });
  return {
    network: (network) => ({
      hits: hits.of(network),
      misses: misses.of(network),
      shared: shared.of(network),
    }),
    watch: (cache) => {
      bytes.of().read = () => cache.bytes;
      entries.of().read = () => cache.entries;
      evicted.of().read = () => cache.stats.evicted;
    },
    watchDisk: (disk) => {
      for (const outcome of DISK_OUTCOMES) onDisk.of(outcome).read = () => disk.stats[outcome];
      faults.of().read = () => disk.stats.faults;
      diskBytes.of().read = () => disk.bytes;
    },
  };
}
