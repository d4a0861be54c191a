import type { EvmNetwork } from "../../src/networks/evm/evm-network.ts";
import type { HeadChange } from "../../src/networks/evm/head-listeners.ts";
import type { Head } from "../../src/networks/evm/primary-head.ts";
import { ancestor, type Block, type SimulatedChain } from "./simulated-chain.ts";
import { hold } from "./violation.ts";
import type { VirtualTime } from "./virtual-time.ts";

/** The gateway's head from a moment on. `block` is unknown while only an answer has shown it. */
export type HeadVersion = {
  readonly sinceMs: number;
  readonly number: number;
  readonly block: Block | undefined;
};

/** How far down the replacement of a block is looked for. */
const COMPARED_BLOCKS = 12;

/** What the gateway's head was at each moment, for plans of one kind; it moves as a head may. */
export class HeadHistory {
  readonly versions: HeadVersion[] = [];
  readonly #parts: { readonly chain: SimulatedChain; readonly time: VirtualTime };
  readonly #network: EvmNetwork;
  readonly #chain: Pick<EvmNetwork["chain"], "head">;
  /** By number: what the head was, and no listener was told to be replaced. */
  readonly #told = new Map<number, Block>();
  #lowestReorg = Number.POSITIVE_INFINITY;
  /** When listeners were last told of a reorganisation. */
  reorganisedMs = Number.NEGATIVE_INFINITY;

  say: (text: () => string) => void = () => {};

  /** `shown`: as primaries alone have shown it. */
  constructor(
    network: EvmNetwork,
    parts: { chain: SimulatedChain; time: VirtualTime },
    kind: "all" | "shown" = "all",
  ) {
    this.#network = network;
    this.#chain = kind === "shown" ? network.chain.shown : network.chain;
    this.#parts = parts;
    network.chain.subscribe((change) => this.#changed(change));
  }

  get number(): number {
    return this.versions.at(-1)?.number ?? -1;
  }

  /** Looks at the head; called after every event. `isMidway`: within one, while some may not be told of a change yet. */
  step(isMidway = false): void {
    const { head } = this.#chain;
    if (head === undefined) return;
    const last = this.versions.at(-1);
    if (last?.number === head.number && last.block?.hash === head.hash) return;
    this.#moved(head, isMidway);
  }

  #moved(head: Head, isMidway: boolean): void {
    const last = this.versions.at(-1);
    const isTold = this.#lowestReorg < (last?.number ?? -1);
    const before = last?.number ?? -1;
    if (isMidway && head.number < before && !isTold) return;
    hold(head.number >= before || isTold, () => `the head went back: ${before} → ${head.number}`);
    const block = head.hash === undefined ? undefined : this.#parts.chain.find(head.hash);
    hold(block?.isRight !== false, () => `the head is of another chain: ${head.number}`);
    const replaced = block === undefined ? undefined : this.#replacedBy(block);
    if (isMidway && replaced !== undefined) return;
    hold(replaced === undefined, () => `block ${replaced} was replaced, and nobody was told`);
    if (block !== undefined) this.#told.set(block.number, block);
    this.say(() => `head ${head.number} ${head.hash}`);
    this.versions.push({ sinceMs: this.#parts.time.nowMs, number: head.number, block });
    this.#lowestReorg = Number.POSITIVE_INFINITY;
  }

  /** The newest block of the gateway's chain that it knows by its hash, at this moment. */
  get newestKnown(): Block | undefined {
    const { chain } = this.#network;
    const hash = chain.hashOf(chain.newestHashed);
    return hash === undefined ? undefined : this.#parts.chain.find(hash);
  }

  /** Those that held at some moment of the span. */
  during(fromMs: number, toMs: number): readonly HeadVersion[] {
    const { versions } = this;
    let at = versions.length - 1;
    const found: HeadVersion[] = [];
    for (; at >= 0; at -= 1) {
      const version = versions[at] as HeadVersion;
      if (version.sinceMs <= toMs) found.push(version);
      if (version.sinceMs < fromMs) break;
    }
    return found;
  }

  #changed(change: HeadChange): void {
    this.say(() => `told ${JSON.stringify(change)}`);
    if (change.kind === "advance") return;
    this.#lowestReorg = Math.min(this.#lowestReorg, change.commonAncestor);
    this.reorganisedMs = this.#parts.time.nowMs;
    for (const number of this.#told.keys()) {
      if (number > change.commonAncestor) this.#told.delete(number);
    }
  }

  /** The number of a block of which listeners do not know yet that this one's chain has another. */
  #replacedBy(block: Block): number | undefined {
    for (let number = block.number; number > block.number - COMPARED_BLOCKS; number -= 1) {
      const known = this.#told.get(number);
      if (known !== undefined && known !== ancestor(block, number)) return number;
    }
    return undefined;
  }
}
