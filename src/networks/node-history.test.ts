import { expect, test } from "vitest";
import { latenciesAt } from "../../test/support/latencies-at.ts";
import type { Time } from "../lib/clock.ts";
import type { NodeMinute } from "../storage/node-store.ts";
import { StorageError } from "../storage/store.ts";
import type { Network } from "./network.ts";
import { NodeHistory } from "./node-history.ts";

const MINUTE_MS = 60_000;
const MINUTE = 29_000_000;

/** A history over a store that can fail, of one network with two nodes. */
class Bench {
  nowMs = MINUTE * MINUTE_MS;
  fault: Error | undefined;
  readonly written: NodeMinute[] = [];
  readonly failures: unknown[] = [];
  readonly nodes = [
    { name: "a", head: -1 },
    { name: "b", head: -1 },
  ];
  head: number | undefined;
  #look: () => void = () => undefined;
  readonly history: NodeHistory;

  constructor() {
    const clock = {
      now: () => this.nowMs,
      monotonic: () => this.nowMs,
      every: (_ms: number, run: () => void) => {
        this.#look = run;
        return () => undefined;
      },
    };
    this.history = new NodeHistory({
      clock: clock as unknown as Time,
      store: {
        record: async (minutes) => {
          if (this.fault !== undefined) throw this.fault;
          this.written.push(...minutes);
        },
      },
      onStoreFailure: (error) => this.failures.push(error),
    });
    const headOf = () => (this.head === undefined ? undefined : { number: this.head });
    const chain = Object.defineProperty({}, "head", { get: headOf });
    const network = { name: "net", chain, upstreams: this.nodes };
    this.history.start([network as unknown as Network]);
  }

  async look(ms: number): Promise<void> {
    this.nowMs += ms;
    this.#look();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

test("attempts and lag of a minute are written once it is over, and the next begins with nothing", async () => {
  const bench = new Bench();
  const observe = bench.history.observer("net", "a");
  observe("ok", 0.004);
  observe("timeout", 2.5);
  bench.head = 100;
  Object.assign(bench.nodes[0] as object, { head: 97 });
  await bench.look(10_000);
  Object.assign(bench.nodes[0] as object, { head: 100 });
  await bench.look(10_000);
  expect(bench.written).toEqual([]);
  await bench.look(MINUTE_MS);
  const latencies = latenciesAt(4, 1).map((count, at) => count + (latenciesAt(2500, 1)[at] ?? 0));
  const place = { network: "net", upstream: "a" };
  expect(bench.written).toEqual([
    { ...place, minute: MINUTE, calls: 2, failed: 1, lag: 3, latencies },
  ]);
  observe("ok", 0.004);
  await bench.history.stop();
  expect(bench.written.at(-1)).toEqual({
    ...{ ...place, minute: MINUTE + 1, calls: 1, failed: 0, lag: null },
    latencies: latenciesAt(4, 1),
  });
});

test("what a store that is away did not take is written later, what it may have taken is not", async () => {
  const bench = new Bench();
  const observe = bench.history.observer("net", "b");
  bench.fault = new StorageError("away");
  observe("ok", 0.004);
  await bench.look(MINUTE_MS);
  observe("ok", 0.004);
  await bench.look(MINUTE_MS);
  expect(bench.failures).toHaveLength(1);
  bench.fault = undefined;
  observe("ok", 0.004);
  await bench.look(MINUTE_MS);
  expect(bench.written.map(({ minute }) => minute - MINUTE)).toEqual([0, 1, 2]);
  bench.fault = new StorageError("cut", { isOutcomeUnknown: true });
  observe("ok", 0.004);
  await bench.look(MINUTE_MS);
  bench.fault = undefined;
  await bench.history.stop();
  expect(bench.written).toHaveLength(3);
});
