import type { Clock } from "../lib/clock.ts";
import type { Timers } from "../lib/timer-wheel.ts";
import { waitersInTurns } from "../lib/turn-queue.ts";
import type { ChainIdentity } from "./chain-identity.ts";
import type { TrackedUpstream } from "./tracked-upstream.ts";

const ASK_MS = 3000;
/** Between checks of a node that could not be asked for its chain. */
const UNREACHED_MS = 1000;
/** A node of the wrong chain that is put right has to be in use again within 10 s. */
const WRONG_MS = 5000;

export type ChainCheckParts = {
  readonly clock: Pick<Clock, "monotonic">;
  readonly timers: Timers;
  readonly identity: Pick<ChainIdentity<unknown>, "judge" | "question">;
  /** Told after each answer. */
  readonly changed: (upstream: TrackedUpstream) => void;
};

/** Whether one upstream is of the network's chain: asked at first, and after whatever may change it. */
export class ChainCheck {
  readonly #upstream: TrackedUpstream;
  readonly #parts: ChainCheckParts;
  readonly #waiting = new Set<(isRight: boolean) => void>();
  #isChecking = false;
  #isDue = true;
  #dueAtMs = Number.NEGATIVE_INFINITY;

  constructor(upstream: TrackedUpstream, parts: ChainCheckParts) {
    this.#upstream = upstream;
    this.#parts = parts;
  }

  /** Whether its next head is worth nothing before it was checked. */
  get isDue(): boolean {
    return this.#isDue;
  }

  /** When it is to be checked, unless something else is asked of it before; Infinity: it is right. */
  get dueAtMs(): number {
    return this.#upstream.chain === "right" ? Number.POSITIVE_INFINITY : this.#dueAtMs;
  }

  /** It did not answer: it may have been replaced before it answers again. */
  suspect(): void {
    this.#isDue = true;
  }

  /** It is there again: it need not wait for its turn. */
  hasten(): void {
    this.#dueAtMs = this.#parts.clock.monotonic();
  }

  /**
   * The connection broke: whoever answers there next may be of another chain. Where the chain is
   * unknown anyway nothing changes: a node that is down is not checked at each of its failures.
   */
  forget(): void {
    const upstream = this.#upstream;
    if (upstream.chain !== "right") return;
    this.reset();
    this.#parts.changed(upstream);
  }

  /** Whatever it was judged by does not hold: it is checked before it is used again. */
  reset(): void {
    this.#upstream.chain = "unknown";
    this.#isDue = true;
    this.hasten();
  }

  /** `done` is called once, within the time, when the chain is known or cannot be found out. */
  verify(timeoutMs: number, done: () => void): void {
    if (this.#upstream.chain !== "unknown") {
      done();
      return;
    }
    const finish = () => {
      this.#parts.timers.clear(timer);
      this.#waiting.delete(finish);
      done();
    };
    const timer = this.#parts.timers.set(timeoutMs, finish);
    this.run(ASK_MS, finish);
  }

  /** Asks the node, once for all who want to know. */
  run(timeoutMs: number, done: (isRight: boolean) => void): void {
    this.#waiting.add(done);
    if (this.#isChecking) return;
    this.#isChecking = true;
    const upstream = this.#upstream;
    const { identity, clock, changed } = this.#parts;
    const { method } = identity.question;
    upstream.ask({ method, params: "[]", timeoutMs }, (answer) => {
      const isRight = identity.judge(upstream, answer);
      this.#isChecking = false;
      this.#isDue = !isRight;
      this.#dueAtMs = clock.monotonic() + (upstream.chain === "wrong" ? WRONG_MS : UNREACHED_MS);
      // Those whose time is over meanwhile are told that.
      waitersInTurns(this.#waiting, (one) => {
        this.#waiting.delete(one);
        one(isRight);
      });
      changed(upstream);
    });
  }
}
