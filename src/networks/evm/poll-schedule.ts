import type { MonotonicMs } from "../../lib/clock.ts";
import { BlockRhythm } from "./block-rhythm.ts";

/** Polls that an upstream can have saved up: one for a block that comes later than expected. */
const MOST_SAVED = 2;
/** An upstream that was polled beyond its due while no block came makes good for it up to this. */
const MOST_OWED = -4;
/** How soon a block is looked for again that was expected and is not there: in blocks. */
const RETRY_SHARE = 1 / 8;
/** Where no block comes, each poll waits so much longer than the one before. */
const GROWTH = 1.5;
const MOST_OF = 0.75;
/** docs/decisions.md, "Heads": how long at most, with clients that use the head and without. */
const USED_MS = 2000;
const IDLE_MS = 15_000;
/** Clients that ask less often do not notice. */
const IN_USE_MS = 30_000;
/** Nodes get a block from each other: those that are asked too soon have not got it yet. */
const FOLLOW_SHARE = 1 / 16;
const LONGEST_FOLLOW_MS = 200;

/** The polls that one upstream may be sent. */
export class PollAccount {
  #balance = MOST_SAVED;

  get mayPoll(): boolean {
    return this.#balance >= 1;
  }

  get balance(): number {
    return this.#balance;
  }

  spend(): void {
    this.#balance = Math.max(this.#balance - 1, MOST_OWED);
  }

  /** Each new block of the network pays for one poll. */
  earn(blocks: number): void {
    this.#balance = Math.min(this.#balance + blocks, MOST_SAVED);
  }
}

/** When a network's next block is looked for. Monotonic milliseconds throughout. */
export class PollSchedule {
  readonly rhythm = new BlockRhythm();
  #lastMs = Number.NEGATIVE_INFINITY;
  #usedMs = Number.NEGATIVE_INFINITY;
  /** Since the last new block. */
  #empty = 0;
  #unpaid = 0;
  #isInAir = false;

  /** When the others are asked, once a new block is known. */
  followMs = Number.POSITIVE_INFINITY;

  /** A client uses the head. True where none did for a while. */
  used(now: MonotonicMs): boolean {
    const wasIdle = !this.isUsed(now);
    this.#usedMs = now;
    return wasIdle;
  }

  /** Whether clients have used the head of late. */
  isUsed(now: MonotonicMs): boolean {
    return now - this.#usedMs < IN_USE_MS;
  }

  sighted(number: number, timestamp: number | undefined, now: MonotonicMs): void {
    this.rhythm.sighted(number, timestamp, now);
    this.#empty = 0;
    this.#unpaid = 0;
    this.#isInAir = false;
    this.followMs = now + Math.min(this.rhythm.slotMs * FOLLOW_SHARE, LONGEST_FOLLOW_MS);
  }

  /** A poll that looks for the next block was sent. */
  sent(isPaid: boolean, now: MonotonicMs): void {
    this.#lastMs = now;
    this.#isInAir = true;
    if (!isPaid) this.#unpaid += 1;
  }

  /** It found no new block, or failed. */
  foundNothing(wasAnswered: boolean): void {
    this.#isInAir = false;
    this.#empty += 1;
    if (wasAnswered && this.#lastMs >= this.rhythm.expectedMs) this.rhythm.missed();
  }

  /** `isTold`: some node tells of new blocks by itself, and a poll is for when it does not. */
  nextMs({ balance, mayPoll }: PollAccount, isTold: boolean, now: MonotonicMs): number {
    const slot = this.rhythm.slotMs;
    const expected = this.rhythm.expectedMs + (isTold ? slot / 2 : 0);
    // A node that hangs must not keep the others from being asked.
    if (this.#isInAir) return this.#lastMs + Math.min(Math.max(slot / 2, 250), USED_MS);
    if (mayPoll) {
      if (this.#lastMs < expected) return expected;
      const again = slot * RETRY_SHARE * 2 ** Math.max(this.#empty - 1, 0);
      return this.#lastMs + Math.min(again, slot);
    }
    const longest = this.isUsed(now) ? USED_MS : IDLE_MS;
    const growth = GROWTH ** Math.max(this.#unpaid, -balance);
    const interval = Math.min(slot * growth, Math.max(longest, slot * 2));
    if (slot < longest && interval >= longest) return this.#lastMs + interval;
    // Whole slots after the expected moment, it comes when a block does.
    const slots = Math.ceil((this.#lastMs + interval * MOST_OF - expected) / slot);
    return expected + Math.max(slots, 0) * slot;
  }
}
