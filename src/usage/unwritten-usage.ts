import type { UnixMs } from "../lib/clock.ts";
import { addLatencies, latencyPlace, noLatencies } from "../lib/latency-counts.ts";
import type { ContractCount, UsageBucket } from "../storage/usage-store.ts";
import { type ContractSketch, isDue, type SketchEntry } from "./contract-sketch.ts";
import { type Counter, MinuteTally, type SettledCall } from "./minute-tally.ts";

const MINUTE_MS = 60_000;
/** Minutes of an hour and of a day: what minutes are merged to, in this order. */
const COARSER = [60, 1440];

export type Batch = {
  readonly buckets: readonly UsageBucket[];
  readonly contracts: readonly ContractCount[];
};

export type UsageBounds = {
  /** Of what is kept in memory. */
  readonly maxRows: number;
  /** Of a minute, before keys have to call often for rows of their own. */
  readonly detailedRows?: number | undefined;
};

/**
 * The counts that are not in the store yet, in bounded memory. A row is a counter or an entry of a
 * sketch; the rows of the present minute are kept after they were written, so that counting finds
 * them again.
 */
export class UnwrittenUsage {
  readonly #maxRows: number;
  readonly #detailedRows: number | undefined;
  readonly #tallies = new Map<number, MinuteTally>();
  #present: MinuteTally;
  #presentEndsMs = 0;
  #rows = 0;
  /** The counters that have something for the store, longest waiting first. */
  #counters: Counter[] = [];
  #contracts: SketchEntry[] = [];
  /** The minute in which minutes were last merged: once in a minute is enough, and costs a stall. */
  #mergedIn = -1;

  constructor({ maxRows, detailedRows }: UsageBounds) {
    this.#maxRows = maxRows;
    this.#detailedRows = detailedRows;
    this.#present = this.#tally(0);
  }

  /** Rows that have something for the store. */
  get waiting(): number {
    return this.#counters.length + this.#contracts.length;
  }

  /** Calls that the store does not have. */
  get calls(): number {
    return this.#counters.reduce((sum, { calls }) => sum + calls, 0);
  }

  /** False, and nothing counted, where there is no memory for another row. */
  add(call: SettledCall, nowMs: UnixMs): boolean {
    const tally = this.#at(nowMs);
    let counter = tally.counter(call);
    if (counter === undefined) {
      const keyId = tally.keyToCount(call);
      counter = keyId === call.keyId ? undefined : tally.counter(call, keyId);
      if (counter === undefined) {
        if (this.#rows >= this.#maxRows) return false;
        counter = this.#newCounter(tally, call, keyId);
      }
    }
    if (counter.calls === 0) this.#counters.push(counter);
    counter.calls += 1;
    counter.credits += call.credits;
    counter.bytes += call.bytes;
    if (call.latencyMs !== undefined) time(counter, call.latencyMs);
    return true;
  }

  /** An account's sketch of this minute, on one network. */
  sketch(accountId: string, network: string, nowMs: UnixMs): ContractSketch {
    return this.#at(nowMs).sketch(accountId, network);
  }

  /** Without memory for another row an entry of the sketch is replaced, as when it is full. */
  addContract(sketch: ContractSketch, contract: string): void {
    const before = sketch.size;
    const due = sketch.add(contract, 1, this.#rows < this.#maxRows);
    this.#rows += sketch.size - before;
    if (due !== undefined) this.#contracts.push(due);
  }

  /** Takes what has waited longest, of at most so many rows. */
  take(rows: number): Batch {
    const buckets = this.#counters.splice(0, rows).map(takeCounter);
    const entries = this.#contracts.splice(0, rows - buckets.length);
    return { buckets, contracts: entries.flatMap(takeEntry) };
  }

  /** A batch that could not be written waits again, behind the rest. */
  putBack({ buckets, contracts }: Batch): void {
    for (const bucket of buckets) this.#addBucket(bucket);
    for (const count of contracts) this.#addCount(count);
  }

  /** Call it often. Drops the rows that only wait for their next call, where there are many. */
  compact(): void {
    const half = this.#maxRows / 2;
    if (this.#rows <= half) return;
    if (this.waiting <= this.#rows / 2) this.#rebuild(1);
    if (this.#mergedIn === this.#present.minute) return;
    this.#mergedIn = this.#present.minute;
    for (const span of COARSER) if (this.#rows > half) this.#rebuild(span);
  }

  /** Drops the rows of past minutes once they are written: nothing is added to those any more. */
  dropPast(): void {
    if (this.#tallies.size === 1) return;
    const { minute: present } = this.#present;
    const isPast = ({ minute }: { readonly minute: number }) => minute !== present;
    if (this.#counters.some(isPast) || this.#contracts.some(({ owner }) => isPast(owner))) return;
    for (const tally of this.#tallies.values()) {
      if (tally === this.#present) continue;
      this.#rows -= tally.rows;
      this.#tallies.delete(tally.minute);
    }
  }

  #at(nowMs: UnixMs): MinuteTally {
    if (nowMs >= this.#presentEndsMs || nowMs < this.#presentEndsMs - MINUTE_MS) {
      const minute = Math.floor(nowMs / MINUTE_MS);
      this.#present = this.#tally(minute);
      this.#presentEndsMs = (minute + 1) * MINUTE_MS;
    }
    return this.#present;
  }

  #tally(minute: number): MinuteTally {
    const known = this.#tallies.get(minute);
    if (known !== undefined) return known;
    const tally = new MinuteTally(minute, this.#detailedRows);
    this.#tallies.set(minute, tally);
    return tally;
  }

  #newCounter(tally: MinuteTally, names: SettledCall | UsageBucket, keyId?: string): Counter {
    this.#rows += 1;
    return tally.addCounter(names, keyId);
  }

  /** Counts again what waits: minutes before the present one by the first minute of their span. */
  #rebuild(spanMinutes: number): void {
    const counters = this.#counters;
    const contracts = this.#contracts.flatMap(takeEntry);
    const { minute: present } = this.#present;
    const merged = (minute: number) =>
      minute === present ? minute : minute - (minute % spanMinutes);
    this.#counters = [];
    this.#contracts = [];
    this.#rows = 0;
    this.#tallies.clear();
    this.#present = this.#tally(present);
    for (const each of counters) this.#addBucket({ ...each, minute: merged(each.minute) });
    for (const each of contracts) this.#addCount({ ...each, minute: merged(each.minute) });
  }

  #addBucket(bucket: UsageBucket): void {
    const tally = this.#tally(bucket.minute);
    const counter = tally.counter(bucket) ?? this.#newCounter(tally, bucket);
    if (counter.calls === 0) this.#counters.push(counter);
    counter.calls += bucket.calls;
    counter.credits += bucket.credits;
    counter.bytes += bucket.bytes;
    counter.latencyMs += bucket.latencyMs;
    addLatencies(counter.latencies, bucket.latencies);
  }

  #addCount({ minute, accountId, network, contract, calls }: ContractCount): void {
    const sketch = this.#tally(minute).sketch(accountId, network);
    const before = sketch.size;
    const due = sketch.putBack(contract, calls, this.#rows < this.#maxRows);
    this.#rows += sketch.size - before;
    if (due !== undefined) this.#contracts.push(due);
  }
}

function time(counter: Counter, ms: number): void {
  const place = latencyPlace(ms);
  counter.latencyMs += ms;
  counter.latencies[place] = (counter.latencies[place] ?? 0) + 1;
}

function takeCounter(counter: Counter): UsageBucket {
  const bucket = { ...counter };
  counter.calls = 0;
  counter.credits = 0;
  counter.bytes = 0;
  counter.latencyMs = 0;
  counter.latencies = noLatencies();
  return bucket;
}

/** None where the entry was given to another contract since it was listed. */
function takeEntry(entry: SketchEntry): ContractCount[] {
  entry.listed = false;
  if (!isDue(entry)) return [];
  const count = { ...entry.owner, contract: entry.contract, calls: entry.unsent };
  entry.unsent = 0;
  return [count];
}
