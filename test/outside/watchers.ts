/** What clients of Ethereum nodes tell their users of by themselves, over one WebSocket. */
import { Contract, WebSocketProvider } from "ethers";
import { createPublicClient, parseAbi, webSocket } from "viem";
import { Web3 } from "web3";

/** By the name of what was asked for: what came, in order. */
export type Heard = Readonly<Record<string, unknown[]>>;
export type Watching = { readonly heard: Heard; readonly end: () => Promise<void> };
export type Watch = (url: string, contract: string) => Promise<Watching>;

const TRANSFER = "event Transfer(address indexed from, address indexed to, uint256 value)";

export const watchWithViem: Watch = async (url, contract) => {
  const transport = webSocket(url, { reconnect: false, retryCount: 0 });
  const client = createPublicClient({ transport });
  const address = contract as `0x${string}`;
  const heard = {
    ...{ blocks: [], numbers: [], logs: [], events: [], pending: [] },
  } satisfies Heard;
  const into = (name: keyof typeof heard) => (what: unknown) =>
    void heard[name].push(what as never);
  const onError = (error: Error): void => {
    throw error;
  };
  const ends = [
    client.watchBlocks({
      onBlock: ({ hash, number }) => into("blocks")({ hash, number }),
      onError,
    }),
    client.watchBlockNumber({ onBlockNumber: into("numbers"), onError }),
    client.watchEvent({ address, onLogs: (all) => all.forEach(into("logs")), onError }),
    client.watchPendingTransactions({
      onTransactions: (all) => all.forEach(into("pending")),
      onError,
    }),
    client.watchContractEvent({
      ...{ address, abi: parseAbi([TRANSFER]), onError },
      onLogs: (all) => all.forEach(into("events")),
    }),
  ];
  return {
    heard,
    end: async () => {
      for (const end of ends) end();
      (await client.transport.getRpcClient()).close();
    },
  };
};

export const watchWithEthers: Watch = async (url, contract) => {
  const provider = new WebSocketProvider(url);
  // ethers throws where it is told of a transaction before it has asked for the chain by itself.
  await provider.getNetwork();
  const heard = { blocks: [], logs: [], events: [], pending: [] } satisfies Heard;
  const into = (name: keyof typeof heard) => (what: unknown) =>
    void heard[name].push(what as never);
  await provider.on("block", into("blocks"));
  await provider.on({ address: contract }, (log) => into("logs")(log.toJSON()));
  await provider.on("pending", into("pending"));
  const token = new Contract(contract, [TRANSFER], provider);
  await token.on("Transfer", (...args) => into("events")(args.slice(0, 3)));
  return { heard, end: async () => void (await provider.destroy()) };
};

export const watchWithWeb3: Watch = async (url, contract) => {
  const web3 = new Web3(url);
  const heard = { heads: [], logs: [], pending: [] } satisfies Heard;
  const into = (name: keyof typeof heard) => (what: unknown) =>
    void heard[name].push(what as never);
  const heads = await web3.eth.subscribe("newBlockHeaders");
  heads.on("data", ({ hash, number }) => into("heads")({ hash, number }));
  const logs = await web3.eth.subscribe("logs", { address: contract });
  logs.on("data", into("logs"));
  const pending = await web3.eth.subscribe("pendingTransactions");
  pending.on("data", into("pending"));
  return {
    heard,
    end: async () => {
      await web3.eth.clearSubscriptions();
      web3.currentProvider?.disconnect?.();
    },
  };
};
