import type { UpstreamAnswer } from "../../src/transports/upstream-answer.ts";
import type { SeededRandom } from "./seeded-random.ts";

/** What goes wrong on the way to a node. */
export const WIRE_FAULTS = [
  "slow",
  "reset",
  "stopped",
  "half-open",
  "garbage",
  "too many",
  "server error",
] as const;
/** What is wrong with a node itself. */
export const CHAIN_FAULTS = [
  "stale",
  "forked",
  "nulls",
  "blind",
  "wrong chain",
  "empty",
  "drained",
] as const;

export type WireFault = {
  readonly kind: (typeof WIRE_FAULTS)[number];
  /** Of the requests. */
  readonly share: number;
  readonly slowMs: number;
  readonly answer: UpstreamAnswer;
};
export type ChainFaultKind = (typeof CHAIN_FAULTS)[number];

const LONGEST_RETRY_AFTER_MS = 4000;

const garbage = (status: number, body: string): UpstreamAnswer => ({
  kind: "garbage",
  status,
  body,
});
const GARBAGE = [
  garbage(200, "<html><body>welcome</body></html>"),
  garbage(200, '{"jsonrpc":"2.0","id":1,"resu'),
  garbage(200, '{"jsonrpc":"2.0","id":999999,"result":"0x1"}'),
  garbage(200, ""),
];
const SERVER_ERRORS = [
  garbage(500, "Internal Server Error"),
  garbage(502, "<html>Bad Gateway</html>"),
  garbage(503, "<html>no server is available</html>"),
  { kind: "error", status: 500, error: { code: -32603, message: "internal error" } },
] as const;

export function wireFault(random: SeededRandom): WireFault {
  const kind = random.pick(WIRE_FAULTS);
  const share = random.pick([1, 1, 0.5, 0.2]);
  return { kind, share, slowMs: random.between(100, 3000), answer: refusal(kind, random) };
}

function refusal(kind: WireFault["kind"], random: SeededRandom): UpstreamAnswer {
  if (kind === "garbage") return random.pick(GARBAGE);
  if (kind === "server error") return random.pick(SERVER_ERRORS);
  if (kind !== "too many") return { kind: "unreachable", code: "ECONNRESET" };
  const retryAfterMs = random.int(0, LONGEST_RETRY_AFTER_MS);
  const answer = random.pick([
    garbage(429, "too many requests"),
    {
      kind: "error",
      status: 429,
      error: { code: -32005, message: "rate limit exceeded" },
    } as const,
  ]);
  return random.chance(0.5) ? answer : ({ ...answer, retryAfterMs } as UpstreamAnswer);
}
