import type { MonotonicMs, UnixMs } from "../lib/clock.ts";
import { dayOf } from "../lib/day.ts";
import type { Day, Grant } from "../storage/ledger-store.ts";
import type { Ask } from "./lease-taker.ts";

/** Why an owner's credits cannot be had. */
export type Denial = {
  readonly kind: "balance" | "throughput" | "unavailable";
  readonly retryAfterSeconds?: number;
};

export const UNAVAILABLE: Denial = Object.freeze({ kind: "unavailable" });

type Remembered = {
  readonly kind: Denial["kind"];
  /** Calls that miss so many credits, or more, are refused alike. */
  readonly from: number;
  readonly untilMs: MonotonicMs;
  /** The only day that it is said of; undefined: of any. */
  readonly day: Day | undefined;
};

/** How long it is remembered: four questions a second, and what was added counts as soon as that. */
const DENIAL_MS = 250;

/** The throughput that several processes share has no more; `waitMs` as the store says. */
export function throughputDenial(waitMs: number): Denial {
  return { kind: "throughput", retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)) };
}

/** The store's last refusal, for a short time: an account that is used up costs no statement a call. */
export class RecentDenial {
  #last: Remembered | undefined;
  #quietUntilMs: MonotonicMs = 0;

  /** Whether the store may be asked before a call waits for it. */
  mayAskAhead(atMs: MonotonicMs): boolean {
    return atMs >= this.#quietUntilMs;
  }

  /** The store granted nothing that no call waited for. */
  refusedAhead(atMs: MonotonicMs): void {
    this.#quietUntilMs = atMs + DENIAL_MS;
  }

  /** The store could not answer. */
  rememberFailure(atMs: MonotonicMs): void {
    this.refusedAhead(atMs);
    this.#last = { kind: "unavailable", from: 1, untilMs: atMs + DENIAL_MS, day: undefined };
  }

  /** The store granted nothing to a call that waited; `left` is what went back to it thereafter. */
  rememberRefusal(grant: Grant, { least }: Ask, at: { atMs: MonotonicMs; left: number }): void {
    const { day } = grant;
    this.#last =
      grant.waitMs > 0
        ? { kind: "throughput", from: least, untilMs: at.atMs + grant.waitMs, day }
        : {
            kind: "balance",
            from: Math.min(grant.left + 1, least) + at.left,
            untilMs: at.atMs + DENIAL_MS,
            day,
          };
  }

  /** Beside the process's share the throughput has no more at present. */
  rememberScarcity({ day }: Grant, atMs: MonotonicMs): void {
    this.refusedAhead(atMs);
    this.#last = { kind: "throughput", from: 1, untilMs: atMs + DENIAL_MS, day };
  }

  forget(): void {
    this.#last = undefined;
    this.#quietUntilMs = 0;
  }

  /** `missing`: credits beyond what is at hand. `nowMs` is Unix time, `atMs` never goes back. */
  of(missing: number, nowMs: UnixMs, atMs: MonotonicMs): Denial | undefined {
    const last = this.#last;
    if (last === undefined || missing < last.from) return undefined;
    const isOfToday = last.day === undefined || last.day === dayOf(nowMs);
    if (atMs >= last.untilMs || !isOfToday) {
      this.#last = undefined;
      return undefined;
    }
    if (last.kind !== "throughput") return { kind: last.kind };
    return throughputDenial(last.untilMs - atMs);
  }
}
