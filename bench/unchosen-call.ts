import { randomBytes } from "node:crypto";
import process from "node:process";
import { Call, type Session } from "../src/gateway/call.ts";
import { Traces } from "../src/gateway/traces.ts";
import { systemClock } from "../src/lib/clock.ts";
import { OVERTAKEN, type TracedAttempt } from "../src/telemetry/traces/call-trace.ts";
import { median } from "./histogram.ts";

const CALLS = 200_000;
const ROUNDS = 15;

/**
 * CPU microseconds that traces add to a call of a node that is not chosen, in this process: between two processes so
 * little is not to be seen.
 */
export function unchosenUs(): number {
  const traces = new Traces(
    { ratio: 0, slowMs: Number.POSITIVE_INFINITY },
    {
      clock: systemClock,
      exporter: { add: () => undefined, hasRoom: true, dropped: 0 },
      random: Math.random,
      bytes: randomBytes,
    },
  );
  const differences: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const without = usedBy(() => undefined);
    differences.push(
      usedBy((call, attempt) => {
        call.trace = traces.begin(undefined);
        call.fetchedMs = systemClock.monotonic();
        call.attempted(attempt);
        traces.ended(call, 1);
      }) - without,
    );
  }
  return median(differences) ?? 0;
}

function usedBy(trace: (call: Call, attempt: TracedAttempt) => void): number {
  const session = { identity: {}, network: {}, requestId: "" } as Session;
  const parsed = { id: "1", notification: false, method: "eth_getBalance", fault: undefined };
  const before = process.cpuUsage();
  for (let made = 0; made < CALLS; made += 1) {
    const call = new Call({ ...parsed, params: undefined, paramsText: undefined }, session);
    trace(call, {
      ...{ upstream: { name: "node" }, beganMs: made, beside: undefined },
      ...{ endedMs: made, outcome: OVERTAKEN, context: undefined, earlier: undefined },
    });
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / CALLS;
}
