import { type Block, Contract, isCallException, JsonRpcProvider, WebSocketProvider } from "ethers";
import { type BlockAt, type Connect, type RevertingCall, SAMPLE_ABI } from "./client.ts";

type Provider = JsonRpcProvider | WebSocketProvider;

/** ethers as it is by default: over HTTP it batches, over WebSocket it cannot. */
export const connectEthers: Connect = (url) => {
  const overHttp = url.startsWith("http");
  const provider = overHttp ? new JsonRpcProvider(url) : new WebSocketProvider(url);
  return {
    chainId: async () => Number((await provider.getNetwork()).chainId),
    block: (at, full) => block(provider, at, full),
    transaction: async (blockNumber, index) => {
      const seen = await (await blockAt(provider, { number: blockNumber }, false)).getTransaction(
        index,
      );
      return { hash: seen.hash, type: seen.type, index: seen.index };
    },
    receipt: async (hash) => {
      const seen = await provider.getTransactionReceipt(hash);
      if (seen === null) throw new Error("no receipt");
      const { status, type, contractAddress, logs } = seen;
      return {
        hash: seen.hash,
        succeeded: status === 1,
        type,
        contract: contractAddress?.toLowerCase() ?? null,
        logs: logs.length,
      };
    },
    storage: (address, position) => provider.getStorage(address, position),
    greeting: (contract) => read(provider, contract, "greeting"),
    balanceOf: (contract, owner) => read(provider, contract, "balanceOf", owner),
    estimateGas: (call) => provider.estimateGas(call),
    revert: (call) => revert(provider, call),
    ...(overHttp && { batch: (owner: string) => batch(provider, owner) }),
    close: () => provider.destroy(),
  };
};

async function blockAt(provider: Provider, at: BlockAt, full: boolean): Promise<Block> {
  const place = at === "latest" ? at : "hash" in at ? at.hash : at.number;
  const seen = await provider.getBlock(place, full);
  if (seen === null) throw new Error("no such block");
  return seen;
}

async function block(provider: Provider, at: BlockAt, full: boolean) {
  const seen = await blockAt(provider, at, full);
  return {
    number: seen.number,
    hash: seen.hash ?? "",
    transactions: full
      ? seen.prefetchedTransactions.map(({ hash, type }) => ({ hash, type }))
      : [...seen.transactions],
  };
}

const read = (provider: Provider, contract: string, ...[name, ...args]: [string, ...string[]]) =>
  new Contract(contract, SAMPLE_ABI, provider).getFunction(name).staticCall(...args);

async function revert(provider: Provider, call: RevertingCall): Promise<string> {
  try {
    const { name, args, from } = call;
    const contract = new Contract(call.contract, SAMPLE_ABI, provider);
    await contract.getFunction(name).staticCall(...args, { from });
  } catch (error) {
    if (!isCallException(error) || error.revert === null) throw error;
    const { name, args } = error.revert;
    return name === "Error" ? String(error.reason) : `${name}(${args.join(", ")})`;
  }
  throw new Error("the call did not revert");
}

async function batch(provider: Provider, owner: string) {
  const sizes: number[] = [];
  await provider.on("debug", ({ action, payload }) => {
    if (action === "sendRpcPayload") sizes.push([payload].flat().length);
  });
  const [chainId, block, balance] = await Promise.all([
    provider.send("eth_chainId", []),
    provider.send("eth_getBlockByNumber", ["0x2", false]),
    provider.send("eth_getBalance", [owner, "latest"]),
  ]);
  await provider.off("debug");
  const values = {
    chainId: Number(chainId),
    number: Number(block.number),
    balance: BigInt(balance),
  };
  return { values, sizes };
}
