import { TURN_MS } from "../lib/timer-wheel.ts";

/** Less than this is small, a few calls: it is read in one go, and costs its turn nothing. */
const LARGE_READ_BYTES = 1024;
/** While there is too much to read, each may read so many before it has to wait. */
const SHARE_BYTES = 16 * 1024;
/** The bytes of large reads in one turn of the event loop. */
export const TURN_BYTES = 256 * 1024;
/** From then on nobody's large reads go on in that turn: many that read little each take long, too. */
const LONGEST_TURN_MS = 20;
/** A connection that goes on reads at least so much, if so much is there. */
const READ_BYTES = 64 * 1024;

/** Something that is read, and that may be kept from it for a while. */
export type Reader = {
  /** Nothing more is read until `goOn`, even if the system has said that something is there. */
  stop(): void;
  goOn(): void;
};

/**
 * Bounds what is read in one turn of the event loop. libuv reads up to 32 times from one connection
 * before it looks at the next: 150 clients that send bodies of 5 MB, or nodes that answer with 20 MB,
 * would hold up everybody else for 300 MB, and 50 that send 500 calls each for as long as these take.
 * Once there was enough, whoever has had its share of large reads waits for a later turn, also where
 * something is there for it in this one. Those that wait take turns. Who has not had it waits for the
 * next turn alone, and only where this one has lasted for 20 ms.
 */
export class ReadTurns {
  readonly #now: () => number;
  readonly #afterReads: (run: () => void) => void;
  #left = TURN_BYTES;
  #endMs = 0;
  #isTimeOver = false;
  /** In the order of their turns. */
  readonly #waiting = new Set<Reader>();
  /** In the next turn all of them go on. */
  readonly #deferred = new Set<Reader>();
  /** Calls that go on in a later turn, in that order. */
  #later: (() => void)[] = [];
  /** Those that come in large reads and do not wait for their turn, and how much they have read since they did. */
  readonly #going = new Map<Reader, number>();
  #isTurnOver = true;

  /** `now`: milliseconds that never go back. `afterReads` runs what ends a turn. */
  constructor(
    now: () => number,
    afterReads: (run: () => void) => void = (run) => void setImmediate(run),
  ) {
    this.#now = now;
    this.#afterReads = afterReads;
  }

  /** Counts bytes of a reader that were read and handled. It may be stopped. */
  took(bytes: number, reader: Reader): void {
    if (bytes < LARGE_READ_BYTES) return;
    this.#begin();
    this.#going.set(reader, (this.#going.get(reader) ?? 0) + bytes);
    this.#left -= bytes;
    const overdueMs = this.#now() - this.#endMs;
    this.#isTimeOver = overdueMs >= 0;
    if (this.#left > 0 && !this.#isTimeOver) return;
    const isLongest = overdueMs >= LONGEST_TURN_MS - TURN_MS;
    for (const [one, readBytes] of this.#going) {
      if (readBytes >= SHARE_BYTES) {
        one.stop();
        this.#going.delete(one);
        this.#waiting.add(one);
      } else if (isLongest && !this.#deferred.has(one)) {
        one.stop();
        this.#deferred.add(one);
      }
    }
  }

  /**
   * Whether what a client asks for has to wait, since this turn has lasted for 5 ms: then `goOn` is called in a
   * later one. Many connections that send a batch once in a while are stopped by nothing else. What a message of
   * less than 1 KB asks for never waits.
   */
  defers(goOn: () => void, messageBytes = LARGE_READ_BYTES): boolean {
    if (messageBytes < LARGE_READ_BYTES) return false;
    this.#begin();
    if (this.#later.length === 0 && this.#now() < this.#endMs) return false;
    this.#later.push(goOn);
    return true;
  }

  #begin(): void {
    if (!this.#isTurnOver) return;
    this.#isTurnOver = false;
    this.#left = TURN_BYTES;
    this.#endMs = this.#now() + TURN_MS;
    this.#isTimeOver = false;
    this.#afterReads(this.#end);
  }

  readonly #end = (): void => {
    this.#isTurnOver = true;
    if (this.#left > 0 && !this.#isTimeOver) this.#going.clear();
    for (const reader of this.#deferred) reader.goOn();
    this.#deferred.clear();
    // Where the time was over, one read takes long.
    let next = this.#isTimeOver ? 1 : TURN_BYTES / READ_BYTES;
    for (const reader of this.#waiting) {
      if (next === 0) break;
      next -= 1;
      this.#waiting.delete(reader);
      reader.goOn();
    }
    this.#goOnLater();
    // Readers that still wait are called in the next turn, whether anybody reads in this one or not.
    if (this.#waiting.size > 0) this.#begin();
  };

  #goOnLater(): void {
    const later = this.#later;
    if (later.length === 0) return;
    this.#later = [];
    this.#begin();
    let next = 0;
    for (; next < later.length && this.#now() < this.#endMs; next += 1) later[next]?.();
    // Calls that these have put off come after all that waited before.
    this.#later = [...later.slice(next), ...this.#later];
  }
}
