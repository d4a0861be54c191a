import type { Clock } from "../lib/clock.ts";

export type AbilitiesOptions = {
  /** Methods that the node does not have, by name. */
  readonly lacks: readonly string[];
  /** Whether it has the state of all blocks; `auto`: learnt from its answers. */
  readonly archive: boolean | "auto";
};

/** Nodes are configured anew now and then: what they could not do is tried again after so long. */
const LEARNT_MS = 600_000;
/** States that a node without an archive keeps, as geth and its forks do. */
const RECENT_STATES = 128;

/**
 * The abilities of a node, as far as its configuration and its own answers tell. Depths are blocks behind
 * the head. A call that needs what it seems not to have goes there last, and is never given up.
 */
export class Abilities {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #lacks: ReadonlySet<string>;
  readonly #archive: boolean | "auto";
  /** Until when, by method. */
  readonly #foundLacking = new Map<string, number>();
  /** State from this depth on was missing. */
  #missingDepth = Number.POSITIVE_INFINITY;
  #missingUntilMs = Number.NEGATIVE_INFINITY;

  constructor({ lacks, archive }: AbilitiesOptions, clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
    this.#lacks = new Set(lacks);
    this.#archive = archive;
  }

  lacks(method: string): boolean {
    if (this.#lacks.has(method)) return true;
    if (this.#foundLacking.size === 0) return false;
    const untilMs = this.#foundLacking.get(method);
    if (untilMs === undefined) return false;
    if (this.#clock.monotonic() < untilMs) return true;
    this.#foundLacking.delete(method);
    return false;
  }

  /** The abilities that it lacks by the configuration, or was found to lack of late. */
  get lacking(): readonly string[] {
    const found = [...this.#foundLacking.keys()].filter((method) => this.lacks(method));
    return [...new Set([...this.#lacks, ...found])];
  }

  /** The node said that it does not know the method. Names come from a registry, so they end. */
  foundLacking(method: string): void {
    this.#foundLacking.set(method, this.#clock.monotonic() + LEARNT_MS);
  }

  /** Whether nothing speaks against the node's having the state at this depth. */
  keepsState(depth: number): boolean {
    if (this.#archive === true) return true;
    if (this.#archive === false && depth >= RECENT_STATES) return false;
    return depth < this.#missingDepth || this.#clock.monotonic() >= this.#missingUntilMs;
  }

  /** The node said that it does not have the state at this depth. */
  missedState(depth: number): void {
    const now = this.#clock.monotonic();
    const isKnown = now < this.#missingUntilMs;
    this.#missingDepth = isKnown ? Math.min(this.#missingDepth, depth) : depth;
    this.#missingUntilMs = now + LEARNT_MS;
  }

  /** The node answered from the state at this depth. */
  hasState(depth: number): void {
    if (depth >= this.#missingDepth) this.#missingDepth = Number.POSITIVE_INFINITY;
  }

  /** How many blocks' states it keeps, as far as that is known; Infinity: an archive's. */
  get archiveDepth(): number | undefined {
    if (this.#archive === true) return Number.POSITIVE_INFINITY;
    const isKnown = this.#clock.monotonic() < this.#missingUntilMs;
    const learnt = isKnown ? this.#missingDepth : Number.POSITIVE_INFINITY;
    const depth = this.#archive === false ? Math.min(learnt, RECENT_STATES) : learnt;
    return Number.isFinite(depth) ? depth : undefined;
  }
}
