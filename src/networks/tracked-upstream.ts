import type { MonotonicMs } from "../lib/clock.ts";
import type { UpstreamRequest } from "../transports/transport.ts";
import type { NewHead } from "../transports/ws-frame.ts";
import type { ErrorReason } from "../upstreams/last-error.ts";
import type { HeadSource } from "../upstreams/upstream.ts";

/** A block's header: hashes in lower case, the gas limit as hex text, the timestamp in seconds. */
export type BlockHeader = NewHead;

/** An upstream as heads need it: its state, and a way to ask it something. */
export type TrackedUpstream = {
  readonly name: string;
  readonly role: "primary" | "partner";
  /** Its place in the configuration: of two forks the first one's is right. */
  readonly index: number;
  readonly drained: boolean;
  /** Whether its chain id is the network's. */
  chain: "unknown" | "right" | "wrong";
  /** The highest block that it is known to have; -1: nothing is known. */
  head: number;
  /** Its head is not known to be a block of the network's chain. */
  isForked: boolean;
  /** Where it is known to be on another fork: the last block that both have; else Infinity. */
  forkedAfter: number;
  readonly breaker: {
    readonly state: "closed" | "open" | "half-open";
    /** Monotonic milliseconds; Infinity where no probe is needed. */
    readonly probeDueAtMs: MonotonicMs;
    probeStarted(now: MonotonicMs): void;
    probeSucceeded(): void;
  };
  /** Whether it asked to be left alone for now. */
  readonly allowance: { isPaused(): boolean };
  readonly heads?: HeadSource | undefined;
  /** For its operator: why it is not used. */
  readonly lastError: { note(reason: ErrorReason): void };
  /** `done` is called once, within `timeoutMs`: with the result, or undefined where none came. */
  ask(request: UpstreamRequest, done: (result: string | undefined) => void): void;
};

/** Whether its word counts: of the right chain, in use, and not failing its calls. */
export function isHealthy({
  chain,
  drained,
  breaker,
}: Pick<TrackedUpstream, "chain" | "drained" | "breaker">): boolean {
  return chain === "right" && !drained && breaker.state !== "open";
}
