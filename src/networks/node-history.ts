import type { Time } from "../lib/clock.ts";
import { latencyPlace, noLatencies } from "../lib/latency-counts.ts";
import type { NodeMinute, NodeStore } from "../storage/node-store.ts";
import { isOutcomeUnknown } from "../storage/store.ts";
import type { AttemptObserver } from "../upstreams/upstream.ts";
import type { Network } from "./network.ts";

const MINUTE_MS = 60_000;
/** How often nodes are compared with their network's head. */
const LOOK_EVERY_MS = 10_000;
const KEPT_MS = 8 * 24 * 3_600_000;
/** Minutes of nodes that wait for a store that is away: of 100 nodes those of the last hour and a half. */
const MOST_WAITING = 10_000;

export type NodeHistoryParts = {
  readonly store: Pick<NodeStore, "record">;
  readonly clock: Time;
  /** Told once when the store begins to fail. */
  readonly onStoreFailure: (error: unknown) => void;
};

type Counter = {
  calls: number;
  failed: number;
  lag: number | null;
  latencies: number[];
};

/**
 * How the nodes of this process do, by the minute: what operators see of an hour, a day and a week. It is written once a
 * minute, and what a killed process had not written is lost.
 */
export class NodeHistory {
  readonly #parts: NodeHistoryParts;
  /** By network, then by upstream. */
  readonly #counters = new Map<string, Map<string, Counter>>();
  #minute: number;
  #waiting: NodeMinute[] = [];
  #isFailing = false;
  #writing: Promise<void> | undefined;
  #stopLooking: () => void = () => undefined;

  constructor(parts: NodeHistoryParts) {
    this.#parts = parts;
    this.#minute = this.#now();
  }

  /** Begins to compare and to write. */
  start(networks: readonly Network[]): void {
    this.#stopLooking = this.#parts.clock.every(LOOK_EVERY_MS, () => this.#look(networks));
  }

  /** Writes what is left. */
  async stop(): Promise<void> {
    this.#stopLooking();
    this.#close();
    await this.#writing;
    await this.#write();
  }

  /** Told of every attempt at this node. */
  observer(network: string, upstream: string): AttemptObserver {
    const counter = this.#counterOf(network, upstream);
    return (outcome, seconds) => {
      const ms = seconds * 1000;
      const place = latencyPlace(ms);
      counter.calls += 1;
      if (outcome !== "ok") counter.failed += 1;
      counter.latencies[place] = (counter.latencies[place] ?? 0) + 1;
    };
  }

  #counterOf(network: string, upstream: string): Counter {
    const ofNetwork = this.#counters.get(network) ?? new Map<string, Counter>();
    this.#counters.set(network, ofNetwork);
    const counter = ofNetwork.get(upstream) ?? emptyCounter();
    ofNetwork.set(upstream, counter);
    return counter;
  }

  #look(networks: readonly Network[]): void {
    for (const { name, chain, upstreams } of networks) {
      const head = chain.head?.number;
      for (const upstream of upstreams) {
        if (head === undefined || upstream.head < 0) continue;
        const counter = this.#counterOf(name, upstream.name);
        counter.lag = Math.max(counter.lag ?? 0, head - upstream.head);
      }
    }
    if (this.#now() === this.#minute) return;
    this.#close();
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined;
    });
  }

  /** Ends the minute: what was counted in it is to be written. */
  #close(): void {
    const minute = this.#minute;
    this.#minute = this.#now();
    for (const [network, ofNetwork] of this.#counters) {
      for (const [upstream, counter] of ofNetwork) {
        const { calls, failed, lag, latencies } = counter;
        if (calls === 0 && lag === null) continue;
        this.#waiting.push({ network, upstream, minute, calls, failed, lag, latencies });
        Object.assign(counter, emptyCounter());
      }
    }
    const surplus = this.#waiting.length - MOST_WAITING;
    if (surplus > 0) this.#waiting.splice(0, surplus);
  }

  async #write(): Promise<void> {
    const minutes = this.#waiting;
    if (minutes.length === 0) return;
    this.#waiting = [];
    const { store, clock, onStoreFailure } = this.#parts;
    try {
      await store.record(minutes, clock.now() - KEPT_MS);
      this.#isFailing = false;
    } catch (error) {
      // Written twice it would be wrong; missing it is a gap.
      if (!isOutcomeUnknown(error)) this.#waiting = [...minutes, ...this.#waiting];
      if (!this.#isFailing) onStoreFailure(error);
      this.#isFailing = true;
    }
  }

  #now(): number {
    return Math.floor(this.#parts.clock.now() / MINUTE_MS);
  }
}

const emptyCounter = (): Counter => ({ calls: 0, failed: 0, lag: null, latencies: noLatencies() });
