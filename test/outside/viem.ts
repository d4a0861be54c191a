import {
  BaseError,
  ContractFunctionRevertedError,
  createPublicClient,
  getContract,
  type Hex,
  http,
  type PublicClient,
  parseAbi,
  webSocket,
} from "viem";
import { type BlockAt, type Connect, type RevertingCall, SAMPLE_ABI } from "./client.ts";

const abi = parseAbi(SAMPLE_ABI);
const TYPES = ["legacy", "eip2930", "eip1559", "eip4844", "eip7702"];
const hex = (text: string) => text as Hex;
const typeOf = (name: string) => TYPES.indexOf(name);

/** viem, its batches on over HTTP; over WebSocket it has none. */
export const connectViem: Connect = async (url) => {
  const overHttp = url.startsWith("http");
  const client = createPublicClient({ transport: overHttp ? http(url) : webSocket(url) });
  return {
    chainId: () => client.getChainId(),
    block: (at, full) => block(client, at, full),
    transaction: async (blockNumber, index) => {
      const at = { blockNumber: BigInt(blockNumber), index };
      const { hash, type, transactionIndex } = await client.getTransaction(at);
      return { hash, type: typeOf(type), index: transactionIndex ?? -1 };
    },
    receipt: async (hash) => {
      const seen = await client.getTransactionReceipt({ hash: hex(hash) });
      return {
        hash: seen.transactionHash,
        succeeded: seen.status === "success",
        type: typeOf(seen.type),
        contract: seen.contractAddress ?? null,
        logs: seen.logs.length,
      };
    },
    storage: async (address, slot) =>
      (await client.getStorageAt({ address: hex(address), slot: hex(slot) })) ?? "",
    greeting: (address) => sample(client, address).read.greeting(),
    balanceOf: (address, owner) => sample(client, address).read.balanceOf([hex(owner)]),
    estimateGas: ({ from, to, data }) =>
      client.estimateGas({ account: hex(from), to: hex(to), data: hex(data) }),
    revert: (call) => revert(client, call),
    ...(overHttp && { batch: (owner: string) => batch(url, owner) }),
    close: () => close(client),
  };
};

const sample = (client: PublicClient, address: string) =>
  getContract({ address: hex(address), abi, client });

async function block(client: PublicClient, at: BlockAt, includeTransactions: boolean) {
  const seen = await client.getBlock({ ...place(at), includeTransactions });
  return {
    number: Number(seen.number),
    hash: seen.hash ?? "",
    transactions: seen.transactions.map((element) =>
      typeof element === "string" ? element : { hash: element.hash, type: typeOf(element.type) },
    ),
  };
}

function place(at: BlockAt) {
  if (at === "latest") return { blockTag: at } as const;
  return "hash" in at ? { blockHash: hex(at.hash) } : { blockNumber: BigInt(at.number) };
}

async function revert(client: PublicClient, call: RevertingCall): Promise<string> {
  try {
    const { name: functionName, args, from } = call;
    const parameters = { address: hex(call.contract), abi, functionName, args, account: hex(from) };
    await client.simulateContract(parameters as Parameters<typeof client.simulateContract>[0]);
  } catch (error) {
    const reverted =
      error instanceof BaseError && error.walk((e) => e instanceof ContractFunctionRevertedError);
    if (!(reverted instanceof ContractFunctionRevertedError)) throw error;
    const { errorName = "", args = [] } = reverted.data ?? {};
    return errorName === "Error" ? String(reverted.reason) : `${errorName}(${args.join(", ")})`;
  }
  throw new Error("the call did not revert");
}

async function batch(url: string, owner: string) {
  const sizes: number[] = [];
  const onFetchRequest = (_: Request, { body }: RequestInit) => {
    sizes.push([JSON.parse(String(body))].flat().length);
  };
  const client = createPublicClient({ transport: http(url, { batch: true, onFetchRequest }) });
  const [chainId, { number }, balance] = await Promise.all([
    client.getChainId(),
    client.getBlock({ blockNumber: 2n }),
    client.getBalance({ address: hex(owner) }),
  ]);
  return { values: { chainId, number: Number(number), balance }, sizes };
}

async function close({ transport }: PublicClient): Promise<void> {
  if (transport.type !== "webSocket") return;
  const { close } = await transport["getRpcClient"]();
  close();
}
