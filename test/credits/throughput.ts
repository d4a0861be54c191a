import { setTimeout } from "node:timers/promises";
import { PRICES, type Price, seeded } from "./calls.ts";
import { spend } from "./spenders.ts";
import { Tally } from "./tally.ts";
import type { Customer } from "./two-gateways.ts";

const CLIENTS = 24;
/** 480 messages a second, of 2.5 calls on average. */
const PAUSE_MS = 50;
const WINDOW_MS = 10_000;

export type Throughput = {
  readonly tally: Tally;
  /** Credits of the ten seconds in which most was served. */
  readonly mostIn10s: number;
  /** Credits a second, from the first to the last answer. */
  readonly perSecond: number;
};

/** Clients of all processes for so long, over HTTP and WebSocket, that want more than they get. */
export async function demand(options: {
  readonly customer: Customer;
  /** Of the processes that clients go to now. */
  readonly ports: () => readonly number[];
  readonly forMs: number;
  readonly prices?: readonly Price[];
}): Promise<Throughput> {
  const { customer, ports, forMs, prices = PRICES } = options;
  const tally = new Tally();
  const ending = new AbortController();
  const spent = spend(CLIENTS, {
    key: customer.key,
    prices,
    port: (client) => {
      const present = ports();
      return present[client % present.length] ?? 0;
    },
    random: seeded(9),
    tally,
    // They would take of the throughput, too, and nobody would see it.
    notServedShare: 0,
    pauseMs: PAUSE_MS,
    signal: ending.signal,
  });
  await setTimeout(forMs);
  ending.abort();
  await spent;
  const { arrivals } = tally;
  const lastedMs = (arrivals.at(-1)?.atMs ?? 0) - (arrivals[0]?.atMs ?? 0);
  return { tally, mostIn10s: mostIn(arrivals), perSecond: (tally.served / lastedMs) * 1000 };
}

function mostIn(arrivals: Tally["arrivals"]): number {
  let most = 0;
  let sum = 0;
  let first = 0;
  for (const { atMs, credits } of arrivals) {
    sum += credits;
    for (; (arrivals[first]?.atMs ?? atMs) <= atMs - WINDOW_MS; first += 1) {
      sum -= arrivals[first]?.credits ?? 0;
    }
    most = Math.max(most, sum);
  }
  return most;
}
