import { DEV_CHAIN_ID, findAnvil } from "../../src/dev/anvil.ts";
import { rpc } from "../../src/dev/rpc.ts";
import type { Samples } from "../../src/dev/samples.ts";
import { seedChain } from "../../src/dev/seed.ts";
import { type RealNode, startRealNode } from "./real-node.ts";

/** Nodes that hold one and the same chain, each of them mined on by itself. */
export type ChainPair = {
  readonly nodes: readonly RealNode[];
  /** What the seeded blocks hold, as every node says it. */
  readonly samples: Samples;
  /** The highest block of any node. */
  readonly head: () => number;
  /** `count` more blocks on these nodes: the same blocks, whoever mines them and whenever. */
  readonly mine: (count: number, nodes?: readonly RealNode[]) => Promise<void>;
  /** Mines on every node that is behind until it has the highest head. */
  readonly catchUp: (nodes?: readonly RealNode[]) => Promise<void>;
  /** Gives an empty node that was started again the chain that it had lost. */
  readonly seed: (node: RealNode) => Promise<void>;
  /** A transaction that all nodes keep waiting; its hash. */
  readonly leaveWaiting: () => Promise<string>;
  readonly stop: () => Promise<void>;
};

export type ChainPairOptions = {
  /** Nodes; two by default. */
  readonly count?: number;
  /** Blocks after the two with the samples: 40 by default, so that all tags name different blocks. */
  readonly blocks?: number;
};

/** safe is the head - 16, finalized the head - 32; the states of so many blocks are kept. */
const HISTORY = ["--slots-in-an-epoch", "16", "--prune-history", "512"];
/** One block a second, the newest of them in the past: any node gives block N the same time. */
const GENESIS_AGE_SECONDS = 86_400;
const SEEDED_BLOCKS = 2;

/**
 * anvil's blocks are a matter of their parent, their transactions and their time alone. With a
 * genesis of the same time and a fixed interval, nodes that mine apart have the same hashes.
 * @throws where they have not
 */
export async function startChainPair({
  count = 2,
  blocks = 40,
}: ChainPairOptions = {}): Promise<ChainPair> {
  const genesisTime = Math.floor(Date.now() / 1000) - GENESIS_AGE_SECONDS;
  const starts = Array.from({ length: count }, () => startAnvilAt(genesisTime));
  const nodes = await Promise.all(starts);
  const stop = async () => {
    await Promise.all(nodes.map((node) => node.kill()));
  };
  try {
    return await pairOf(nodes, blocks, stop);
  } catch (cause) {
    await stop();
    throw cause;
  }
}

async function pairOf(
  nodes: readonly RealNode[],
  blocks: number,
  stop: () => Promise<void>,
): Promise<ChainPair> {
  let head = SEEDED_BLOCKS;
  const advance = async (node: RealNode, more: number) => {
    if (more > 0) await rpc(node.url, "anvil_mine", [quantity(more)]);
  };
  const catchUp = async (some: readonly RealNode[] = nodes) => {
    await Promise.all(some.map(async (node) => advance(node, head - (await headOf(node)))));
  };
  const mine = async (more: number, some: readonly RealNode[] = nodes) => {
    const heads = some.map(async (node) => {
      await advance(node, more);
      return headOf(node);
    });
    head = Math.max(head, ...(await Promise.all(heads)));
  };
  const seed = async (node: RealNode): Promise<Samples> => {
    const samples = await seedChain(node.url);
    await advance(node, head - SEEDED_BLOCKS);
    return samples;
  };
  const [samples] = await Promise.all(nodes.map(seed));
  if (samples === undefined) throw new Error("a pair has at least one node");
  await mine(blocks);
  await requireSameBlocks(nodes, head);
  return {
    nodes,
    samples,
    head: () => head,
    mine,
    catchUp,
    seed: async (node) => {
      await seed(node);
      await requireSameBlocks(nodes, SEEDED_BLOCKS);
    },
    leaveWaiting: async () => {
      const { sender: from, receiver: to } = samples.accounts;
      const transfer = { from, to, value: "0x1", gas: "0x5208" };
      const sent = nodes.map((node) => rpc<string>(node.url, "eth_sendTransaction", [transfer]));
      return oneOf(await Promise.all(sent), "transaction");
    },
    stop,
  };
}

function startAnvilAt(genesisTime: number): Promise<RealNode> {
  const fixed = ["--host", "127.0.0.1", "--no-cors", "--no-mining", ...HISTORY];
  fixed.push("--hardfork", "prague", "--chain-id", String(DEV_CHAIN_ID));
  fixed.push("--timestamp", String(genesisTime));
  return startRealNode({
    name: "anvil",
    command: ([port = 0]) => [findAnvil(), ...fixed, "--port", String(port)],
    portsIn: (output) => {
      const port = /Listening on [\d.]+:(\d+)/.exec(output)?.[1];
      return port === undefined ? undefined : [Number(port)];
    },
    prepare: async (url) => {
      await rpc(url, "anvil_setLoggingEnabled", [false]);
      await rpc(url, "anvil_setBlockTimestampInterval", [1]);
    },
  });
}

export async function headOf(node: Pick<RealNode, "url">): Promise<number> {
  return Number(await rpc(node.url, "eth_blockNumber"));
}

type Block = { readonly hash: string };

/** @throws where two of them have different blocks at this number */
export async function requireSameBlocks(
  nodes: readonly Pick<RealNode, "url">[],
  number: number,
): Promise<void> {
  const asked = nodes.map(({ url }) =>
    rpc<Block | null>(url, "eth_getBlockByNumber", [quantity(number), false]),
  );
  const blocks = await Promise.all(asked);
  oneOf(
    blocks.map((block) => block?.hash ?? "none"),
    `block ${number}`,
  );
}

function oneOf(values: readonly string[], what: string): string {
  const [first = "", ...others] = [...new Set(values)];
  if (others.length > 0) throw new Error(`the nodes differ in ${what}: ${values.join(", ")}`);
  return first;
}

/** `0x2a` */
export const quantity = (value: number): string => `0x${value.toString(16)}`;
