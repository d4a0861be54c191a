import { readFileSync } from "node:fs";
import { encodeBase58 } from "../../src/block-files/base58.ts";
import { FIXTURES } from "../recordings/recorded-calls.ts";
import type { NodeReply, NodeRequest, StandInNode } from "./stand-in-node.ts";

/** Slots of agave.jsonl whose blocks were asked for in every form. */
const RECORDED = [21, 22, 26, 27, 30, 33, 67];
/** Slots from the confirmed to the finalized one. */
const FINAL_AFTER = 3;
const NOT_THERE = { code: -32004, message: "Block not available for slot" };

type Config = {
  readonly encoding?: string;
  readonly transactionDetails?: string;
  readonly rewards?: boolean;
};

/** What agave answered to getBlock, by slot and what was asked for. */
function recordedBlocks(): ReadonlyMap<string, Readonly<Record<string, unknown>>> {
  const lines = readFileSync(`${FIXTURES}/slot/agave.jsonl`, "utf8").trimEnd().split("\n");
  const blocks = new Map<string, Readonly<Record<string, unknown>>>();
  for (const line of lines) {
    const { request, responseText } = JSON.parse(line);
    if (request?.method !== "getBlock" || !Array.isArray(request.params)) continue;
    const [slot, config] = request.params;
    const { result } = JSON.parse(responseText);
    // A client that reads version 0 is told the version of each transaction.
    if (result && config?.maxSupportedTransactionVersion === 0) {
      blocks.set(formName(slot, config), result);
    }
  }
  return blocks;
}

const formName = (slot: number, { encoding = "json", transactionDetails = "full" }: Config) =>
  `${slot} ${encoding} ${transactionDetails}`;

type ChainBlock = { readonly slot: number; readonly parent: number; readonly hash: string };

/** A slot network's chain that a test makes, of blocks that a real node once answered with. */
export class SlotChain {
  readonly #recorded = recordedBlocks();
  readonly #blocks = new Map<number, ChainBlock>();
  #tip: ChainBlock;
  #made = 0;

  /** Its first blocks are final. */
  constructor(first = 1000, count = 2 * FINAL_AFTER) {
    this.#tip = { slot: first - 1, parent: first - 2, hash: hashOf(0) };
    this.advance(count);
  }

  get tip(): number {
    return this.#tip.slot;
  }

  get slots(): StandInNode["slots"] {
    const finalized = this.tip - FINAL_AFTER;
    const roots = [...this.#blocks.keys()].filter((slot) => slot <= finalized);
    return { processed: this.tip, confirmed: this.tip, finalized: Math.max(...roots) };
  }

  /** So many more blocks; `skipped`: slots before the first of them have none. */
  advance(count = 1, skipped = 0): void {
    for (let left = count; left > 0; left -= 1) {
      this.#made += 1;
      const { slot: parent } = this.#tip;
      const slot = parent + 1 + (left === count ? skipped : 0);
      this.#tip = { slot, parent, hash: hashOf(this.#made) };
      this.#blocks.set(slot, this.#tip);
    }
  }

  /** As a node answers getBlock for it, `config` as it was asked; undefined where there is none. */
  block(slot: number, config: Config = {}): Readonly<Record<string, unknown>> | undefined {
    const block = this.#blocks.get(slot);
    const form = formName(RECORDED[slot % RECORDED.length] ?? 0, config);
    const recorded = this.#recorded.get(form);
    if (block === undefined || recorded === undefined) return undefined;
    const { rewards, ...rest } = recorded;
    return {
      ...rest,
      ...(config.rewards === true && { rewards: rewards ?? [] }),
      ...{ blockhash: block.hash, blockHeight: block.slot - 10, parentSlot: block.parent },
      previousBlockhash: this.#blocks.get(block.parent)?.hash ?? hashOf(0),
    };
  }

  /** The transactions of a slot's block as getBlock gives them. */
  transactions(slot: number): readonly RecordedTransaction[] {
    return this.block(slot)?.["transactions"] as readonly RecordedTransaction[];
  }

  /** What a node of this chain answers. */
  reply({ method, params }: Pick<NodeRequest, "method" | "params">): NodeReply {
    const [first, config] = params;
    if (method === "getBlock") {
      const result = this.block(Number(first), config as Config);
      return result === undefined ? { error: NOT_THERE } : { result };
    }
    if (method === "getSignatureStatuses") {
      const value = (first as readonly string[]).map((each) => this.#statusOf(each));
      return { result: { context: { slot: this.tip }, value } };
    }
    if (method === "getBlockHeight") return { result: this.tip - 10 };
    if (method === "getLatestBlockhash") {
      const value = { blockhash: this.#tip.hash, lastValidBlockHeight: this.tip + 150 };
      return { result: { context: { slot: this.tip }, value } };
    }
    return { result: null };
  }

  #statusOf(signature: string): object | null {
    const { finalized } = this.slots;
    for (const slot of [...this.#blocks.keys()].reverse()) {
      const found = this.transactions(slot).find(
        ({ transaction }) => transaction.signatures[0] === signature,
      );
      if (found === undefined) continue;
      const confirmationStatus = slot <= finalized ? "finalized" : "confirmed";
      return { slot, confirmations: null, err: found.meta.err, confirmationStatus };
    }
    return null;
  }
}

export type RecordedTransaction = {
  readonly transaction: {
    readonly signatures: readonly string[];
    readonly message: { readonly accountKeys: readonly string[] };
  };
  readonly meta: { readonly err: unknown; readonly logMessages: readonly string[] };
};

/** A hash that no other block has. */
function hashOf(number: number): string {
  const bytes = new Uint8Array(32).fill(7);
  new DataView(bytes.buffer).setFloat64(0, number);
  return encodeBase58(bytes);
}

/** The node is one of this chain from now on, and has got as far as it is. */
export function follow(node: StandInNode, chain: SlotChain): void {
  node.slots = chain.slots;
  node.reply = (request) => chain.reply(request);
}
