import { noLatencies } from "../lib/latency-counts.ts";
import { textHash } from "../lib/text-hash.ts";
import { OTHER_KEYS, type UsageBucket } from "../storage/usage-store.ts";
import { ContractSketch } from "./contract-sketch.ts";
import { OftenSeen } from "./often-seen.ts";

/**
 * Where a minute has so many rows, a key that begins to call is counted among the others, and gets rows of
 * its own as it calls often: a million keys that call once a minute would be a million rows.
 */
const DETAILED_ROWS = 10_000;

/** One call that was settled. */
export type SettledCall = {
  readonly accountId: string;
  readonly keyId: string;
  readonly network: string;
  /** From a definition, or `other`: names that clients invent would never end. */
  readonly method: string;
  /** `ok`, `partner` where a partner gave the answer, or a name of the error table. */
  readonly outcome: string;
  readonly credits: number;
  /** Bytes of the answer. */
  readonly bytes: number;
  /** Absent of what is not timed. */
  readonly latencyMs?: number;
};

/** The part of a bucket that the store does not have yet; without calls: nothing. */
export type Counter = {
  -readonly [Name in Exclude<keyof UsageBucket, "latencies">]: UsageBucket[Name];
} & { latencies: number[] };

type Names = Pick<SettledCall, "accountId" | "keyId" | "network" | "method" | "outcome">;
type Tree<Leaf> = Map<string, Map<string, Map<string, Map<string, Map<string, Leaf>>>>>;

/** The counters and sketches of one minute. Found by maps in maps: joining the names costs more. */
export class MinuteTally {
  readonly minute: number;
  #counted = 0;
  readonly #counters: Tree<Counter> = new Map();
  readonly #sketches = new Map<string, Map<string, ContractSketch>>();
  /** Found last: the next call is its twin more often than not. */
  #last: Counter | undefined;
  #lastSketch: ContractSketch | undefined;
  readonly #detailedRows: number;
  /** Made where it is needed. */
  #callers: OftenSeen | undefined;

  constructor(minute: number, detailedRows = DETAILED_ROWS) {
    this.minute = minute;
    this.#detailedRows = detailedRows;
  }

  /** Its counters, and the entries of its sketches. */
  get rows(): number {
    const sketches = [...this.#sketches.values()].flatMap((ofAccount) => [...ofAccount.values()]);
    return sketches.reduce((sum, { size }) => sum + size, this.#counted);
  }

  counter(names: Names, keyId = names.keyId): Counter | undefined {
    const { accountId, network, method, outcome } = names;
    if (isOf(this.#last, names, keyId)) return this.#last;
    const ofKey = this.#counters.get(accountId)?.get(keyId);
    this.#last = ofKey?.get(network)?.get(method)?.get(outcome);
    return this.#last;
  }

  /** A call without a counter of its own: the id under which it is to be counted. */
  keyToCount({ keyId, network, method }: Names): string {
    if (this.#counted < this.#detailedRows) return keyId;
    this.#callers ??= new OftenSeen();
    const hash =
      textHash(keyId) ^ Math.imul(textHash(network), 31) ^ Math.imul(textHash(method), 37);
    return this.#callers.see(hash) ? keyId : OTHER_KEYS;
  }

  /** Where there is none yet. */
  addCounter(
    { accountId, network, method, outcome, ...names }: Names,
    keyId = names.keyId,
  ): Counter {
    const { minute } = this;
    const none = { calls: 0, credits: 0, bytes: 0, latencyMs: 0, latencies: noLatencies() };
    const counter = { minute, accountId, keyId, network, method, outcome, ...none };
    this.#counted += 1;
    const ofKey = within(within(this.#counters, accountId), keyId);
    within(within(ofKey, network), method).set(outcome, counter);
    return counter;
  }

  sketch(accountId: string, network: string): ContractSketch {
    const { owner } = this.#lastSketch ?? {};
    if (owner?.network !== network || owner.accountId !== accountId) {
      this.#lastSketch = this.#findSketch(accountId, network);
    }
    return this.#lastSketch as ContractSketch;
  }

  #findSketch(accountId: string, network: string): ContractSketch {
    const known = this.#sketches.get(accountId)?.get(network);
    if (known !== undefined) return known;
    const sketch = new ContractSketch({ minute: this.minute, accountId, network });
    within(this.#sketches, accountId).set(network, sketch);
    return sketch;
  }
}

function isOf(counter: Counter | undefined, names: Names, keyId: string): boolean {
  return (
    counter !== undefined &&
    counter.keyId === keyId &&
    counter.method === names.method &&
    counter.outcome === names.outcome &&
    counter.network === names.network &&
    counter.accountId === names.accountId
  );
}

function within<Key, Value>(maps: Map<string, Map<Key, Value>>, name: string): Map<Key, Value> {
  let map = maps.get(name);
  if (map === undefined) {
    map = new Map();
    maps.set(name, map);
  }
  return map;
}
