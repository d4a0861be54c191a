import type { HeadSource } from "../../src/upstreams/upstream.ts";
import type { Block } from "./simulated-chain.ts";
import type { SimulatedNode } from "./simulated-node.ts";
import type { VirtualTime } from "./virtual-time.ts";

const FIRST_BACKOFF_MS = 250;
const LONGEST_BACKOFF_MS = 8000;

/** The subscription to a node's new blocks, opened again whenever it breaks. */
export class SimulatedSocket implements HeadSource {
  readonly #node: SimulatedNode;
  readonly #time: VirtualTime;
  #onHead: Parameters<HeadSource["start"]>[0] | undefined;
  #onState: (flows: boolean) => void = () => {};
  #flows = false;
  #backoffMs = FIRST_BACKOFF_MS;
  #last: Block | undefined;

  constructor(node: SimulatedNode, { time }: { readonly time: VirtualTime }) {
    this.#node = node;
    this.#time = time;
  }

  start(onHead: Parameters<HeadSource["start"]>[0], onState: (flows: boolean) => void): void {
    this.#onHead = onHead;
    this.#onState = onState;
    this.#connect();
  }

  stop(): void {
    this.#onHead = undefined;
  }

  /** The node has this end of the chain now. */
  told(tip: Block): void {
    if (tip === this.#last || !this.#flows || this.#node.isSilent) return;
    this.#last = tip;
    this.#time.after(this.#node.options.latencyMs / 2, () => this.#tell(tip));
  }

  broke(): void {
    if (!this.#flows) return;
    this.#flows = false;
    this.#time.after(0, () => {
      if (this.#onHead === undefined) return;
      this.#node.brokenMs = this.#time.nowMs;
      this.#onState(false);
      this.#again();
    });
  }

  #tell(tip: Block): void {
    if (!this.#flows || this.#onHead === undefined) return;
    this.#node.reported(tip);
    this.#onHead({
      number: tip.number,
      hash: tip.hash,
      parentHash: tip.parent?.hash ?? "",
      gasLimit: "0x1c9c380",
      timestamp: tip.timestamp,
    });
  }

  #connect(): void {
    this.#time.after(this.#node.options.latencyMs * 2, () => {
      if (this.#onHead === undefined) return;
      if (this.#node.isDown || this.#node.isSilent || this.#node.wire?.kind === "reset") {
        this.#again();
        return;
      }
      this.#backoffMs = FIRST_BACKOFF_MS;
      this.#flows = true;
      this.#last = this.#node.tip;
      this.#onState(true);
    });
  }

  #again(): void {
    if (this.#onHead === undefined) return;
    this.#time.after(this.#backoffMs, () => this.#connect());
    this.#backoffMs = Math.min(this.#backoffMs * 2, LONGEST_BACKOFF_MS);
  }
}
