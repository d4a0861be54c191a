import { rpc } from "../../src/dev/rpc.ts";
import { type ChainPair, quantity, startChainPair } from "../support/chain-pair.ts";
import type { RealNode } from "../support/real-node.ts";

/** Gets some wei in the first block of each fork, so that every fork's state differs. */
export const MARKED = `0x${"aa".repeat(20)}`;
/** How far below the head clients ask. */
export const REACH = 12;
/** Dead hashes and transactions that clients go on asking for. */
const REMEMBERED = 8;

/** A block of the chain, as its node says it: what every right answer is made of. */
type TrueBlock = { readonly hash: string; readonly balance: string };

/** What a node says of its chain at one moment. */
export type Truth = {
  readonly head: number;
  readonly blocks: ReadonlyMap<number, TrueBlock>;
  /** Of blocks that are or were on the chain: the number, null of dead ones. */
  readonly byHash: ReadonlyMap<string, number | null>;
  /** Of transactions that are or were on the chain: the hash of the block, null of dead ones. */
  readonly byTransaction: ReadonlyMap<string, string | null>;
};

type Block = {
  readonly hash: string;
  readonly number: string;
  readonly transactions: readonly string[];
};

/** Two nodes whose chains are replaced in the same way, one after the other. */
export class ForkingPair {
  readonly #pair: ChainPair;
  readonly #hashes: string[] = [];
  readonly #transactions: string[] = [];
  #forks = 0;

  private constructor(pair: ChainPair) {
    this.#pair = pair;
  }

  static async start(): Promise<ForkingPair> {
    return new ForkingPair(await startChainPair());
  }

  get nodes(): readonly [RealNode, RealNode] {
    const [first, second] = this.#pair.nodes;
    if (first === undefined || second === undefined) throw new Error("a pair has two nodes");
    return [first, second];
  }

  stop(): Promise<void> {
    return this.#pair.stop();
  }

  /** Replaces the newest blocks of either node, once for each; `extra` more follow. */
  async replacement(depth: number, extra: number): Promise<(node: RealNode) => Promise<void>> {
    const mark = this.#mark();
    return async ({ url }) => {
      await rpc(url, "anvil_reorg", [depth, [[mark, 0]]]);
      if (extra > 0) await rpc(url, "anvil_mine", [quantity(extra)]);
    };
  }

  /** More blocks on both nodes, which `back` takes away again from either, and puts others there. */
  async detour(depth: number, extra: number) {
    const ids = new Map<RealNode, string>();
    for (const node of this.nodes) ids.set(node, await rpc<string>(node.url, "evm_snapshot"));
    const mark = this.#mark();
    return {
      there: async ({ url }: RealNode) => {
        await rpc(url, "anvil_mine", [quantity(depth)]);
      },
      back: async (node: RealNode) => {
        await rpc(node.url, "evm_revert", [ids.get(node)]);
        await rpc(node.url, "eth_sendTransaction", [mark]);
        await rpc(node.url, "anvil_mine", [quantity(depth + extra)]);
      },
    };
  }

  /** What the node has now. It is not replaced meanwhile. */
  async truth({ url }: RealNode): Promise<Truth> {
    const head = Number(await rpc<string>(url, "eth_blockNumber"));
    const numbers = Array.from({ length: REACH }, (_, below) => head - below);
    const blocks = new Map<number, TrueBlock>();
    await Promise.all(
      numbers.map(async (number) => {
        const block = await rpc<Block>(url, "eth_getBlockByNumber", [quantity(number), false]);
        const balance = await rpc<string>(url, "eth_getBalance", [MARKED, quantity(number)]);
        blocks.set(number, { hash: block.hash, balance });
        remember(this.#transactions, block.transactions);
        if (number > head - REMEMBERED / 2) remember(this.#hashes, [block.hash]);
      }),
    );
    const byHash = await each(this.#hashes, async (hash) => {
      const block = await rpc<Block | null>(url, "eth_getBlockByHash", [hash, false]);
      return block === null ? null : Number(block.number);
    });
    const byTransaction = await each(this.#transactions, async (hash) => {
      type Receipt = { readonly blockHash: string } | null;
      const receipt = await rpc<Receipt>(url, "eth_getTransactionReceipt", [hash]);
      return receipt?.blockHash ?? null;
    });
    return { head, blocks, byHash, byTransaction };
  }

  /** What makes the next fork another one than all before. */
  #mark(): object {
    this.#forks += 1;
    const { sender: from } = this.#pair.samples.accounts;
    return { from, to: MARKED, value: quantity(this.#forks), gas: "0x5208" };
  }
}

/** The newest last; the oldest are forgotten. */
function remember(known: string[], more: readonly string[]): void {
  for (const one of more) if (!known.includes(one)) known.push(one);
  known.splice(0, known.length - REMEMBERED);
}

async function each<Value>(
  keys: readonly string[],
  ask: (key: string) => Promise<Value>,
): Promise<Map<string, Value>> {
  return new Map(
    await Promise.all(keys.map(async (key): Promise<[string, Value]> => [key, await ask(key)])),
  );
}
