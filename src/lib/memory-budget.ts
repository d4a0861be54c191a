/** The sum of one owner's holdings. */
type Share = { readonly owner: string; bytes: number; holdings: number };

/** After somebody was refused, so that not each next byte has somebody refused. */
const RELIEVED = 0.95;

/**
 * Memory that clients make the gateway hold: what they have sent and nobody has answered yet, and what
 * they were answered and have not read. Where it is used up, the owner who holds most loses the largest
 * of its holdings, again and again until there is room.
 */
export class MemoryBudget {
  readonly limitBytes: number;
  #bytes = 0;
  #refused = 0;
  readonly #shares = new Map<string, Share>();
  readonly #holdings = new Set<Holding>();
  /** Answers that several may wait to read: memory that is held once, however many hold it. */
  readonly #common = new Map<ArrayBufferLike, number>();

  constructor(limitBytes: number) {
    this.limitBytes = limitBytes;
  }

  /** All that is held. */
  get bytes(): number {
    return this.#bytes;
  }

  /** How many holdings had to go. */
  get refused(): number {
    return this.#refused;
  }

  /** `giveUp` has to let go of everything at once, and may close the holding. */
  open(owner: string, giveUp: () => void): Holding {
    const holding = new Holding(this, this.#join(owner), giveUp);
    this.#holdings.add(holding);
    return holding;
  }

  /** For a holding. */
  move(from: Share, owner: string, bytes: number): Share {
    if (from.owner === owner) return from;
    this.#leave(from, bytes);
    const share = this.#join(owner);
    share.bytes += bytes;
    return share;
  }

  /** For a holding. */
  count(share: Share, bytes: number): void {
    share.bytes += bytes;
    this.#bytes += bytes;
    if (this.#bytes > this.limitBytes) this.#relieve();
  }

  /** For a holding: memory that others may hold too. */
  countCommon(share: Share, memory: ArrayBufferLike): void {
    share.bytes += memory.byteLength;
    const holders = this.#common.get(memory) ?? 0;
    this.#common.set(memory, holders + 1);
    if (holders > 0) return;
    this.#bytes += memory.byteLength;
    if (this.#bytes > this.limitBytes) this.#relieve();
  }

  /** For a holding. */
  releaseCommon(share: Share, memory: ArrayBufferLike): void {
    share.bytes -= memory.byteLength;
    const holders = (this.#common.get(memory) ?? 1) - 1;
    if (holders > 0) {
      this.#common.set(memory, holders);
      return;
    }
    this.#common.delete(memory);
    this.#bytes -= memory.byteLength;
  }

  /** For a holding. */
  close(holding: Holding, share: Share): void {
    if (this.#holdings.delete(holding)) this.#leave(share, 0);
  }

  #join(owner: string): Share {
    let share = this.#shares.get(owner);
    if (share === undefined) {
      share = { owner, bytes: 0, holdings: 0 };
      this.#shares.set(owner, share);
    }
    share.holdings += 1;
    return share;
  }

  #leave(share: Share, bytes: number): void {
    share.bytes -= bytes;
    share.holdings -= 1;
    if (share.holdings === 0) this.#shares.delete(share.owner);
  }

  #relieve(): void {
    const enough = this.limitBytes * RELIEVED;
    while (this.#bytes > enough) {
      const share = heaviest(this.#shares.values());
      const holding =
        share && heaviest([...this.#holdings].filter((one) => one.owner === share.owner));
      if (holding === undefined || holding.bytes === 0) return;
      this.#refused += 1;
      holding.isLost = true;
      holding.giveUp();
      holding.clear();
    }
  }
}

/** The bytes that one connection, request or answer in the making holds. */
export class Holding {
  /** It had to let go of everything: nobody will be given what is still being made. */
  isLost = false;
  readonly giveUp: () => void;
  readonly #budget: MemoryBudget;
  #share: Share;
  #own = 0;
  #common: ArrayBufferLike[] = [];
  #commonBytes = 0;
  #isClosed = false;

  constructor(budget: MemoryBudget, share: Share, giveUp: () => void) {
    this.#budget = budget;
    this.#share = share;
    this.giveUp = giveUp;
  }

  get bytes(): number {
    return this.#own + this.#commonBytes;
  }

  /** Bytes that others may hold too. */
  get commonBytes(): number {
    return this.#commonBytes;
  }

  get owner(): string {
    return this.#share.owner;
  }

  /** Once it is known on whose behalf it is held. */
  setOwner(owner: string): void {
    if (owner !== this.#share.owner && !this.#isClosed) {
      this.#share = this.#budget.move(this.#share, owner, this.bytes);
    }
  }

  /** Sets the bytes that are held by nobody else. */
  set(bytes: number): void {
    const more = bytes - this.#own;
    if (more === 0 || this.#isClosed) return;
    this.#own = bytes;
    this.#budget.count(this.#share, more);
  }

  add(bytes: number): void {
    this.set(this.#own + bytes);
  }

  /** Memory that others may hold too, until `clear`. */
  share(memory: ArrayBufferLike): void {
    if (this.#isClosed || this.#common.includes(memory)) return;
    this.#common.push(memory);
    this.#commonBytes += memory.byteLength;
    this.#budget.countCommon(this.#share, memory);
  }

  /** Nothing is held any more. */
  clear(): void {
    const common = this.#common;
    if (common.length > 0) {
      this.#common = [];
      this.#commonBytes = 0;
      for (const memory of common) this.#budget.releaseCommon(this.#share, memory);
    }
    this.set(0);
  }

  /** For good: what is counted afterwards counts for nothing. */
  close(): void {
    if (this.#isClosed) return;
    this.clear();
    this.#isClosed = true;
    this.#budget.close(this, this.#share);
  }
}

function heaviest<One extends { readonly bytes: number }>(all: Iterable<One>): One | undefined {
  let found: One | undefined;
  for (const one of all) if (found === undefined || one.bytes > found.bytes) found = one;
  return found;
}
