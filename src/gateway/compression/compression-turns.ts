/** Node has four threads, which files and names of hosts need too. */
const MOST_AT_ONCE = 2;
/** The bytes of all answers that are being compressed or wait for it. */
const MOST_BYTES = 32 * 1024 * 1024;

/** Begins on a thread; `end` is called once, when that is done. */
type Work = (end: () => void) => void;

/** Compresses a few answers at once and the others in turn, and refuses what exceeds a sum of bytes. */
export class CompressionTurns {
  readonly #waiting: { readonly sizeBytes: number; readonly work: Work }[] = [];
  #atOnce = 0;
  #bytes = 0;

  /** Does the work, at once or when its turn comes; false where there is no room for it. */
  take(sizeBytes: number, work: Work): boolean {
    if (this.#bytes + sizeBytes > MOST_BYTES) return false;
    this.#bytes += sizeBytes;
    this.#waiting.push({ sizeBytes, work });
    this.#begin();
    return true;
  }

  #begin(): void {
    while (this.#atOnce < MOST_AT_ONCE) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      this.#atOnce += 1;
      next.work(() => {
        this.#atOnce -= 1;
        this.#bytes -= next.sizeBytes;
        this.#begin();
      });
    }
  }
}
