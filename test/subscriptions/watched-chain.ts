import { type ChainPair, startChainPair } from "../support/chain-pair.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";

export type WatchedChain = {
  readonly chain: ChainPair;
  readonly gateway: TestGateway;
  readonly stop: () => Promise<void>;
};

/** A real node, and a gateway that tells of its blocks, logs and waiting transactions. */
export async function startWatchedChain(): Promise<WatchedChain> {
  const chain = await startChainPair({ count: 1, blocks: 2 });
  const upstreams = chain.nodes.map(({ url, wsUrl }) => ({ name: "node", url, ws: wsUrl }));
  const gateway = await startTestGateway({
    networks: [{ name: "dev", family: "evm", upstreams, pendingTransactions: true }],
  });
  const stop = async () => {
    await gateway.stop();
    await chain.stop();
  };
  return { chain, gateway, stop };
}
