import type { Clock } from "../../lib/clock.ts";
import type { Timers } from "../../lib/timer-wheel.ts";
import { ChainCheck } from "../chain-check.ts";
import type { ChainIdentity } from "../chain-identity.ts";
import type { TrackedUpstream } from "../tracked-upstream.ts";
import { COMMITMENTS, type Commitment, type Slots } from "./slot-heads.ts";

const ASK_MS = 3000;
/** Twice this is what the breaker allows a probe. */
const PROBE_MS = 1000;

export type SlotPollParts = {
  readonly clock: Pick<Clock, "monotonic">;
  readonly timers: Timers;
  readonly identity: ChainIdentity<string>;
  readonly told: (upstream: TrackedUpstream, slots: Partial<Slots>) => void;
  /** Told after each answer. */
  readonly changed: (upstream: TrackedUpstream) => void;
};

/** The questions to one upstream about heads: its chain, and its slot by commitment. */
export class SlotPoll {
  readonly upstream: TrackedUpstream;
  readonly chain: ChainCheck;
  readonly #parts: SlotPollParts;
  #isLooking = false;
  #askedMs = Number.NEGATIVE_INFINITY;

  constructor(upstream: TrackedUpstream, parts: SlotPollParts) {
    this.upstream = upstream;
    this.chain = new ChainCheck(upstream, parts);
    this.#parts = parts;
  }

  get isLooking(): boolean {
    return this.#isLooking;
  }

  /** When it was last asked for its slots. */
  get askedMs(): number {
    return this.#askedMs;
  }

  /**
   * Asks for the node's slots, and for its chain first where that has to be checked. `done` is told
   * whether a slot of the right chain came.
   */
  look(kind: "poll" | "probe", done: (isRight: boolean) => void): void {
    const timeoutMs = kind === "probe" ? PROBE_MS : ASK_MS;
    this.#isLooking = true;
    this.#askedMs = this.#parts.clock.monotonic();
    const finish = (isRight: boolean) => {
      this.#isLooking = false;
      done(isRight);
      this.#parts.changed(this.upstream);
    };
    const askSlots = (isRight: boolean) => {
      if (isRight) this.#askSlots(timeoutMs, finish);
      else finish(false);
    };
    if (kind === "probe" || this.chain.isDue) this.chain.run(timeoutMs, askSlots);
    else askSlots(true);
  }

  /** A partner, who is paid for each call, is asked for one of them only. */
  #askSlots(timeoutMs: number, finish: (isRight: boolean) => void): void {
    const wanted: readonly Commitment[] =
      this.upstream.role === "partner" ? ["confirmed"] : COMMITMENTS;
    const slots: Partial<Record<Commitment, number>> = {};
    let left = wanted.length;
    for (const commitment of wanted) {
      const params = `[{"commitment":"${commitment}"}]`;
      this.upstream.ask({ method: "getSlot", params, timeoutMs }, (answer) => {
        const slot = readSlot(answer);
        if (slot !== undefined) slots[commitment] = slot;
        left -= 1;
        if (left > 0) return;
        const isRight = slots.confirmed !== undefined;
        if (isRight) this.#parts.told(this.upstream, slots);
        else this.chain.suspect();
        finish(isRight);
      });
    }
  }
}

/** A slot as JSON text; undefined for anything else. */
export function readSlot(text: string | undefined): number | undefined {
  const digits = /^\s*(\d{1,15})\s*$/.exec(text ?? "")?.[1];
  return digits === undefined ? undefined : Number(digits);
}
