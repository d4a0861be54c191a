import { afterAll, beforeAll, expect, test } from "vitest";
import type { Started } from "../support/started-gateway.ts";
import { PRICES, type Price } from "./calls.ts";
import { demand } from "./throughput.ts";
import { startTwoGateways, type TwoGateways } from "./two-gateways.ts";

const FOR_MS = 30_000;
/** Long enough that the lease of the first is as large as it becomes alone. */
const JOINING_MS = 8000;

let four: TwoGateways;
let gateways: readonly Started[];
beforeAll(async () => {
  const plan = (creditsPerSecond: number) => ({ dailyCredits: 100_000_000, creditsPerSecond });
  four = await startTwoGateways({ p500: plan(500), p2000: plan(2000), p8000: plan(8000) });
  const more = await Promise.all([four.workplace.start(), four.workplace.start()]);
  gateways = [...four.gateways, ...more];
});
afterAll(() => four.stop());

type Case = {
  readonly perSecond: number;
  readonly processes: number;
  readonly prices: readonly Price[];
  /** How many there are in the first seconds, before the others join. */
  readonly first: number;
};

const CASES: readonly Case[] = [
  { perSecond: 8000, processes: 2, prices: PRICES, first: 2 },
  { perSecond: 2000, processes: 2, prices: PRICES, first: 2 },
  { perSecond: 2000, processes: 4, prices: PRICES, first: 4 },
  { perSecond: 500, processes: 2, prices: [5, 80], first: 2 },
  { perSecond: 500, processes: 2, prices: [1000], first: 2 },
  { perSecond: 2000, processes: 2, prices: [5, 80, 150], first: 1 },
  { perSecond: 8000, processes: 4, prices: [5, 80, 150, 300], first: 1 },
];

test.concurrent.each(CASES)(
  "$processes processes (first $first) at $perSecond credits a second: 10 s serve 10 % more, or a call more, at most",
  async ({ perSecond, processes, prices, first }) => {
    const customer = await four.customer(`p${perSecond}`);
    const startMs = performance.now();
    const ports = () => {
      const present = performance.now() - startMs < JOINING_MS ? first : processes;
      return gateways.slice(0, present).map(({ port }) => port);
    };
    const served = await demand({ customer, ports, forMs: FOR_MS, prices });
    // A call dearer than a second's credits is served whole: the bucket goes below zero for it.
    const most = Math.max(perSecond * 10 * 1.1, perSecond * 10 + Math.max(...prices));
    expect(served.mostIn10s).toBeLessThanOrEqual(most);
    expect(served.perSecond).toBeGreaterThanOrEqual(perSecond * 0.7);
    expect(served.tally).toMatchObject({ odd: [], doubtful: [] });
  },
);
