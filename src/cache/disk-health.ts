import type { Logger } from "../telemetry/log.ts";

/** Plain counters since the start of this process, for the metrics to read. */
export type DiskStats = {
  hits: number;
  misses: number;
  /** Entries written. */
  written: number;
  /** Entries not written: a full queue, a disk that does not work. */
  dropped: number;
  /** Entries whose digest said that they are not what was written. */
  damaged: number;
  /** Errors of the disk. */
  faults: number;
};

/** Whether the disk works, told in the log once per change, not once per call. */
export class DiskHealth {
  readonly stats: DiskStats = {
    hits: 0,
    misses: 0,
    written: 0,
    dropped: 0,
    damaged: 0,
    faults: 0,
  };
  readonly #log: Logger;
  #works = true;
  #told = false;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** While false nothing is written. */
  get works(): boolean {
    return this.#works;
  }

  fault(error: unknown): void {
    this.stats.faults++;
    this.#works = false;
    if (this.#told) return;
    this.#told = true;
    const reason = (error as NodeJS.ErrnoException).code ?? String(error);
    this.#log.warn({ reason }, "disk cache: the disk does not work; nothing is kept until it does");
  }

  /** Worth another try. */
  retry(): void {
    this.#works = true;
  }

  wrote(entries: number): void {
    this.stats.written += entries;
    if (!this.#told) return;
    this.#told = false;
    this.#log.info("disk cache: the disk works again");
  }

  damaged(): void {
    this.stats.damaged++;
    if (this.stats.damaged > 1) return;
    this.#log.warn("disk cache: an entry is not what was written; such entries are not served");
  }
}
