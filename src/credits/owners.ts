import type { MonotonicMs } from "../lib/clock.ts";
import type { BalanceParts } from "./balance-options.ts";
import { Owner } from "./owner.ts";
import type { Figures } from "./plans.ts";

/** An owner without calls is forgotten after so long; its next call asks the store first. */
const FORGET_MS = 60_000;
/** Looked at per tick, so that many cost no stall; all of them are seen within a minute or so. */
const LOOKED_AT_PER_TICK = 1000;
const TICKS_FOR_ALL = 240;

/** The accounts, or the keys with limits of their own, that a process was called by lately. */
export class Owners {
  readonly #parts: BalanceParts;
  readonly #owners = new Map<string, Owner>();
  #looking: Iterator<[string, Owner]>;
  #closed = false;

  constructor(parts: BalanceParts) {
    this.#parts = parts;
    this.#looking = this.#owners.entries();
  }

  /** The owner as it is called now, with the figures that hold now. */
  called(id: string, figures: Figures, atMs: MonotonicMs): Owner {
    const known = this.#owners.get(id);
    if (known !== undefined) {
      known.follow(figures, atMs);
      return known;
    }
    const owner = new Owner(id, figures, { ...this.#parts, atMs });
    if (this.#closed) owner.balance.close();
    this.#owners.set(id, owner);
    return owner;
  }

  find(id: string): Owner | undefined {
    return this.#owners.get(id);
  }

  get size(): number {
    return this.#owners.size;
  }

  /** To be called with every tick. */
  forget(atMs: MonotonicMs): void {
    const most = Math.max(LOOKED_AT_PER_TICK, Math.ceil(this.#owners.size / TICKS_FOR_ALL));
    for (let seen = 0; seen < most; seen += 1) {
      const { done, value } = this.#looking.next();
      if (done) {
        this.#looking = this.#owners.entries();
        return;
      }
      const [id, owner] = value;
      if (atMs - owner.usedAtMs >= FORGET_MS && owner.isForgettable(atMs)) this.#owners.delete(id);
    }
  }

  /** Nobody gets credits any more. */
  close(): void {
    this.#closed = true;
    for (const owner of this.#owners.values()) owner.balance.close();
  }

  get isTaking(): boolean {
    for (const { balance } of this.#owners.values()) if (balance.isTakingOrInDoubt) return true;
    return false;
  }
}
