import { count } from "../output.ts";
import type { SlotRange } from "./ledger-import-slots.ts";

const EVERY_MS = 1000;

type Parts = { readonly print: (text: string) => void; readonly now: () => number };

/** Counts what was done, and says so at most once a second. */
export class ImportProgress {
  readonly #slots: number;
  readonly #parts: Parts;
  readonly #begunMs: number;
  #printedMs: number;
  #imported = 0;
  #kept = 0;
  /** The slots of the stretches that have ended. */
  #slotsDone = 0;
  #blocksDone = 0;

  constructor({ first, last }: SlotRange, parts: Parts) {
    this.#slots = last - first + 1;
    this.#parts = parts;
    this.#begunMs = parts.now();
    this.#printedMs = this.#begunMs;
  }

  get imported(): number {
    return this.#imported;
  }

  /** Blocks that were there before. */
  get kept(): number {
    return this.#kept;
  }

  /** Slots of the stretches that have ended, without a block. */
  get skipped(): number {
    return this.#slotsDone - this.#blocksDone;
  }

  add(): void {
    this.#imported += 1;
    this.#tell();
  }

  keep(): void {
    this.#kept += 1;
    this.#tell();
  }

  end({ first, last }: SlotRange): void {
    this.#slotsDone += last - first + 1;
    this.#blocksDone = this.#imported + this.#kept;
    this.#tell();
  }

  #tell(): void {
    const nowMs = this.#parts.now();
    if (nowMs - this.#printedMs < EVERY_MS) return;
    this.#printedMs = nowMs;
    const perSecond = Math.round((this.#imported * 1000) / (nowMs - this.#begunMs));
    const share = Math.floor((this.#slotsDone / this.#slots) * 100);
    this.#parts.print(
      `${count(this.#slotsDone)} of ${count(this.#slots)} slots (${share} %), ` +
        `${count(this.#imported + this.#kept)} blocks, ${count(this.skipped)} skipped, ` +
        `${count(perSecond)} blocks a second`,
    );
  }
}
