import type { MonotonicMs } from "../../lib/clock.ts";
import type { PlainLimits } from "./plain-connection-owner.ts";
import { STRANGER_IDLE_MS } from "./stranger.ts";

/** The next thing that a connection waits for from its client. */
export type Awaited = "body" | "request" | "nothing";

/** How long a plain connection stays in a state that a limit is for. */
export class PlainPatience {
  /** When the state began, on the clock of the steps. */
  sinceMs: MonotonicMs;
  /** A request has come. */
  hasSpoken = false;
  /** Its last request was nobody's. */
  isStranger = false;

  constructor(sinceMs: MonotonicMs) {
    this.sinceMs = sinceMs;
  }

  /** Whether its patience is over: it is told so, or ended. */
  isOver(
    awaited: Awaited,
    nowMs: MonotonicMs,
    limits: PlainLimits,
  ): "too_slow" | "idle" | undefined {
    const tookMs = nowMs - this.sinceMs;
    if (awaited === "body") return tookMs >= limits.bodyMs ? "too_slow" : undefined;
    if (awaited === "nothing") return undefined;
    if (!this.hasSpoken) return tookMs >= limits.headersMs ? "too_slow" : undefined;
    if (this.isStranger && tookMs >= STRANGER_IDLE_MS) return "idle";
    return limits.idleMs > 0 && tookMs >= limits.idleMs ? "idle" : undefined;
  }
}
