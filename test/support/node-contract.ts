import { expect, test } from "vitest";
import { addLatencies, noLatencies } from "../../src/lib/latency-counts.ts";
import type { NodeMinute, NodeQuery } from "../../src/storage/node-store.ts";
import type { Storage } from "../../src/storage/store.ts";
import { latenciesAt } from "./latencies-at.ts";

const MINUTE_MS = 60_000;
const MIDNIGHT = Date.UTC(2026, 10, 21);
const MINUTE = MIDNIGHT / MINUTE_MS;

const minuteOf = (over: Partial<NodeMinute> = {}): NodeMinute => ({
  ...{ network: "mainnet", upstream: "geth", minute: MINUTE, calls: 3, failed: 1, lag: null },
  latencies: latenciesAt(5, 3),
  ...over,
});

const query = (over: Partial<NodeQuery> = {}): NodeQuery => ({
  ...{ network: "mainnet", upstream: "geth", stepMs: 15 * MINUTE_MS },
  ...{ from: MIDNIGHT - 60 * MINUTE_MS, to: MIDNIGHT + 60 * MINUTE_MS, ...over },
});

/** What an adapter owes of how nodes did. */
export function nodeContract(storage: () => Storage): void {
  test("minutes of a node are added up by step, whichever gateway told them", async () => {
    const { nodes } = storage();
    await nodes.record([minuteOf(), minuteOf({ minute: MINUTE + 14, lag: 2 })], 0);
    await nodes.record(
      [
        minuteOf({ calls: 1, failed: 0, lag: 1, latencies: latenciesAt(700, 1) }),
        minuteOf({ minute: MINUTE - 1 }),
        minuteOf({ upstream: "reth", calls: 50 }),
        minuteOf({ network: "base", calls: 60 }),
      ],
      0,
    );
    const latencies = noLatencies();
    addLatencies(latencies, latenciesAt(5, 6));
    addLatencies(latencies, latenciesAt(700, 1));
    expect(await nodes.history(query())).toEqual([
      {
        at: MIDNIGHT - 15 * MINUTE_MS,
        calls: 3,
        failed: 1,
        lag: null,
        latencies: latenciesAt(5, 3),
      },
      { at: MIDNIGHT, calls: 7, failed: 2, lag: 2, latencies },
    ]);
    const first = await nodes.history(
      query({ stepMs: MINUTE_MS, from: MIDNIGHT, to: MIDNIGHT + 1 }),
    );
    expect(first.map(({ calls, lag }) => [calls, lag])).toEqual([[4, 1]]);
    expect(await nodes.history(query({ network: "sepolia" }))).toEqual([]);
  });

  test("what is older than it is kept goes with the next minute that is written", async () => {
    const { nodes } = storage();
    const old = Array.from({ length: 20 }, (_, n) => minuteOf({ minute: MINUTE - 1 - n }));
    await nodes.record([...old, minuteOf()], 0);
    await nodes.record([], MIDNIGHT);
    expect(await nodes.history(query())).toHaveLength(1);
  });
}
