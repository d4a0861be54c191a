/** A change of a network's head. Blocks up to and with `commonAncestor` stayed as they were. */
export type HeadChange =
  /** `from` and `to` are the same where primaries have shown more of what partners had told. */
  | { readonly kind: "advance"; readonly from: number; readonly to: number }
  | {
      readonly kind: "reorg";
      /** -1: no block is known to have stayed. */
      readonly commonAncestor: number;
      readonly from: number;
      /** May be lower than `from`, or the same number with another block; -1: no head is known. */
      readonly to: number;
    };

export type HeadListener = (change: HeadChange) => void;

/** Tells listeners of changes, in order: one that causes the next change is told of it afterwards. */
export class HeadListeners {
  readonly #listeners = new Set<HeadListener>();
  readonly #untold: HeadChange[] = [];
  #isTelling = false;

  get isTelling(): boolean {
    return this.#isTelling;
  }

  /** Returns what ends it. */
  add(listener: HeadListener): () => void {
    const own: HeadListener = (change) => listener(change);
    this.#listeners.add(own);
    return () => {
      this.#listeners.delete(own);
    };
  }

  tell(change: HeadChange): void {
    this.#untold.push(change);
    if (this.#isTelling) return;
    this.#isTelling = true;
    try {
      for (let next = this.#untold.shift(); next !== undefined; next = this.#untold.shift()) {
        for (const listener of [...this.#listeners]) listener(next);
      }
    } finally {
      this.#isTelling = false;
    }
  }
}
