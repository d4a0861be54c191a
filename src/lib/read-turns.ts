/** Less than this is small: it is read in one go, and costs its turn nothing. */
const LARGE_READ_BYTES = 16 * 1024;
/** Of large reads, in one turn of the event loop. */
export const TURN_BYTES = 256 * 1024;
/** A connection that goes on reads at least so much, if so much is there. */
const READ_BYTES = 64 * 1024;

/**
 * Bounds what is read in one turn of the event loop. libuv reads up to 32 times from one connection
 * before it looks at the next: 150 clients that send bodies of 5 MB, or nodes that answer with 20 MB,
 * would hold up everybody else for 300 MB. What comes in large reads waits for the next turn once
 * there were enough of them; connections that wait take turns.
 */
export class ReadTurns {
  #left = TURN_BYTES;
  #waiting: (() => void)[] = [];
  #isTurnOver = true;

  /** So many bytes were read. False: no more is to be read there until `goOn`, which is called once. */
  take(bytes: number, goOn: () => void): boolean {
    if (bytes < LARGE_READ_BYTES) return true;
    this.#begin();
    this.#left -= bytes;
    if (this.#left > 0) return true;
    this.#waiting.push(goOn);
    return false;
  }

  #begin(): void {
    if (!this.#isTurnOver) return;
    this.#isTurnOver = false;
    setImmediate(this.#end);
  }

  readonly #end = (): void => {
    this.#isTurnOver = true;
    this.#left = TURN_BYTES;
    for (const goOn of this.#waiting.splice(0, TURN_BYTES / READ_BYTES)) goOn();
    // Who waits still is called in the next turn, whether anybody reads in this one or not.
    if (this.#waiting.length > 0) this.#begin();
  };
}

/** For all connections of this process. */
export const readTurns = new ReadTurns();
