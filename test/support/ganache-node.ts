import { createRequire } from "node:module";
import process from "node:process";
import { rpc } from "../../src/dev/rpc.ts";
import { type PlainChain, signPlainChain } from "./plain-chain.ts";
import { type RealNode, startRealNode } from "./real-node.ts";

const GANACHE_CHAIN_ID = 1337;
/** Of every development chain: the first account is the sender of the samples. */
const MNEMONIC = "test test test test test test test test test test test junk";
const GENESIS_TIME = Date.UTC(2026, 0, 1) / 1000;
const outside = createRequire(new URL("../outside/package.json", import.meta.url));

export type GanachePair = {
  readonly nodes: readonly RealNode[];
  /** The samples, and empty blocks up to `head`: the same on each node. */
  readonly seed: (node: RealNode) => Promise<void>;
  readonly stop: () => Promise<void>;
};

/** ganache nodes with the same chain: its blocks are a matter of their transactions and times. */
export async function startGanachePair(head = 10): Promise<GanachePair> {
  const chain = await signPlainChain(GANACHE_CHAIN_ID);
  const nodes = await Promise.all([startGanache(), startGanache()]);
  const stop = async () => {
    await Promise.all(nodes.map((node) => node.kill()));
  };
  const seed = (node: RealNode) => seedGanache(node, chain, head);
  try {
    await Promise.all(nodes.map(seed));
    return { nodes, seed, stop };
  } catch (cause) {
    await stop();
    throw cause;
  }
}

function startGanache(): Promise<RealNode> {
  const cli = outside.resolve("ganache/dist/node/cli.js");
  const options = ["--wallet.mnemonic", MNEMONIC, "--chain.chainId", String(GANACHE_CHAIN_ID)];
  options.push("--chain.time", new Date(GENESIS_TIME * 1000).toISOString());
  return startRealNode({
    name: "ganache",
    needsPorts: 1,
    command: ([port]) => {
      const address = ["--server.host", "127.0.0.1", "--server.port", String(port)];
      return [process.execPath, cli, ...address, ...options];
    },
    portsIn: (output, wanted) => (/RPC Listening on/.test(output) ? wanted : undefined),
    // It mines when told to, and at the time that it is told.
    prepare: async (url) => {
      await rpc(url, "miner_stop");
    },
  });
}

async function seedGanache({ url }: RealNode, { blocks }: PlainChain, head: number) {
  for (let number = 1; number <= head; number += 1) {
    for (const raw of blocks[number - 1] ?? []) await rpc(url, "eth_sendRawTransaction", [raw]);
    await rpc(url, "evm_mine", [GENESIS_TIME + number]);
  }
}
