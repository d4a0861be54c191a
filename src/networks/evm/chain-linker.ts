import type { Clock, MonotonicMs } from "../../lib/clock.ts";
import type { TrackedUpstream } from "../tracked-upstream.ts";
import type { HeadView } from "./head-view.ts";
import { readBlock } from "./read-block.ts";

const ASK_MS = 3000;
/** After so long another node is asked for the same block, too: the first one may hang. */
const BESIDE_MS = 250;

export type ChainLinkerParts = {
  readonly clock: Pick<Clock, "monotonic">;
  readonly view: HeadView;
  readonly upstreams: readonly TrackedUpstream[];
  /** Told of each call. */
  readonly asked: (upstream: TrackedUpstream) => void;
  /** Told where a node has left the head that it was asked about. */
  readonly left: (upstream: TrackedUpstream) => void;
};

/** A block that nodes were asked for, the last of them then; no node is asked twice within `BESIDE_MS`. */
type Wanted = {
  readonly askedMs: MonotonicMs;
  readonly asked: ReadonlySet<TrackedUpstream>;
  readonly isInAir: boolean;
};

/** Asks nodes for the blocks between their heads and the network's chain. */
export class ChainLinker {
  readonly #parts: ChainLinkerParts;
  readonly #busy = new Set<TrackedUpstream>();
  /** Blocks that were asked for by their hashes. */
  readonly #wanted = new Map<string, Wanted>();
  /** Heads that their nodes have left: nothing more is to be found out of them. */
  readonly #left = new Map<TrackedUpstream, string>();

  constructor(parts: ChainLinkerParts) {
    this.#parts = parts;
  }

  /** Does nothing where this upstream's head is joined to the chain, or about to be. */
  link(upstream: TrackedUpstream): void {
    const missing = this.#parts.view.forks.missing(upstream);
    if (missing === undefined || this.#busy.has(upstream)) return;
    if (this.#left.get(upstream) === this.#parts.view.tipOf(upstream)?.hash) return;
    if (missing.kind === "parent") this.#askParent(upstream, missing.hash);
    else this.#askLandmarks(upstream, this.#parts.view.forks.landmarks(upstream));
  }

  #askParent(upstream: TrackedUpstream, hash: string): void {
    const now = this.#parts.clock.monotonic();
    for (const [other, { askedMs }] of this.#wanted) {
      if (now - askedMs >= ASK_MS) this.#wanted.delete(other);
    }
    const before = this.#wanted.get(hash);
    const isLately = before !== undefined && now - before.askedMs < BESIDE_MS;
    if (isLately && (before.isInAir || before.asked.has(upstream))) return;
    const asked = new Set(isLately ? before.asked : []).add(upstream);
    this.#wanted.set(hash, { askedMs: now, asked, isInAir: true });
    this.#ask(upstream, { method: "eth_getBlockByHash", params: `["${hash}",false]` }, (json) => {
      // It may fail at once, and so may the others.
      if (json === undefined) this.#wanted.set(hash, { askedMs: now, asked, isInAir: false });
      else this.#wanted.delete(hash);
      const header = readBlock(json);
      if (header?.hash === hash) {
        this.#parts.view.forks.learn(header);
        for (const one of this.#parts.upstreams) this.link(one);
      } else if (json !== undefined) {
        this.#askLandmarks(upstream, this.#parts.view.forks.landmarks(upstream));
      } else {
        for (const one of this.#parts.upstreams) if (one !== upstream) this.link(one);
      }
    });
  }

  /** Which of our blocks the node has says where its chain leaves ours. */
  #askLandmarks(upstream: TrackedUpstream, [number, ...older]: readonly number[]): void {
    const { view } = this.#parts;
    if (number === undefined) {
      this.#join(upstream, -1);
      return;
    }
    const params = `["0x${number.toString(16)}",false]`;
    this.#ask(upstream, { method: "eth_getBlockByNumber", params }, (json) => {
      if (json === undefined) return;
      const block = readBlock(json);
      if (block?.number === number && view.isOurs(block) === true) this.#join(upstream, number);
      else this.#askLandmarks(upstream, older);
    });
  }

  /** The node may have left its head for another one between that and its answers. */
  #join(upstream: TrackedUpstream, ancestor: number): void {
    const tip = this.#parts.view.tipOf(upstream);
    const lowest = this.#parts.view.forks.lowest(upstream);
    if (tip === undefined || lowest === undefined) return;
    const params = `["0x${lowest.number.toString(16)}",false]`;
    this.#ask(upstream, { method: "eth_getBlockByNumber", params }, (json) => {
      if (json === undefined) return;
      if (readBlock(json)?.hash === lowest.hash) this.#parts.view.forks.joins(upstream, ancestor);
      else {
        this.#left.set(upstream, tip.hash);
        this.#parts.left(upstream);
      }
    });
  }

  #ask(
    upstream: TrackedUpstream,
    question: { readonly method: string; readonly params: string },
    done: (json: string | undefined) => void,
  ): void {
    this.#busy.add(upstream);
    this.#parts.asked(upstream);
    upstream.ask({ ...question, timeoutMs: ASK_MS }, (json) => {
      this.#busy.delete(upstream);
      done(json);
    });
  }
}
