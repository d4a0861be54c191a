import { ContractExecutionError, Web3, WebSocketProvider } from "web3";
import contract from "../../src/dev/sample-contract.json" with { type: "json" };
import type { BlockAt, Connect, RevertingCall } from "./client.ts";

/** web3 has its batches over both transports. */
export const connectWeb3: Connect = (url) => {
  const web3 = new Web3(url);
  return {
    chainId: async () => Number(await web3.eth.getChainId()),
    block: (at, full) => block(web3, at, full),
    transaction: async (blockNumber, index) => {
      const seen = await web3.eth.getTransactionFromBlock(blockNumber, index);
      const { hash, type, transactionIndex } = seen ?? {};
      return { hash: String(hash), type: Number(type), index: Number(transactionIndex) };
    },
    receipt: async (hash) => {
      const seen = await web3.eth.getTransactionReceipt(hash);
      return {
        hash: String(seen.transactionHash),
        succeeded: seen.status === 1n,
        type: Number(seen.type),
        contract: seen.contractAddress ?? null,
        logs: seen.logs.length,
      };
    },
    storage: (address, position) => web3.eth.getStorageAt(address, position),
    greeting: (address) => call(web3, address, ["greeting"]).call(),
    balanceOf: async (address, owner) => call(web3, address, ["balanceOf", owner]).call(),
    estimateGas: (sent) => web3.eth.estimateGas(sent),
    revert: (reverting) => revert(web3, reverting),
    batch: (owner) => batch(web3, owner),
    close: () => close(web3),
  };
};

async function block(web3: Web3, at: BlockAt, full: boolean) {
  const place = at === "latest" ? at : "hash" in at ? at.hash : at.number;
  const { number, hash, transactions } = await web3.eth.getBlock(place, full);
  return {
    number: Number(number),
    hash: String(hash),
    transactions: transactions.map((element) =>
      typeof element === "string"
        ? element
        : { hash: String(element.hash), type: Number(element.type) },
    ),
  };
}

type Method = { call(options?: object): Promise<never> };

/** A method of the sample contract with its arguments, of which no types can be had from JSON. */
function call(web3: Web3, address: string, [name, ...args]: [string, ...unknown[]]): Method {
  const methods: Record<string, (...args: unknown[]) => Method> = new web3.eth.Contract(
    contract.abi,
    address,
  ).methods;
  const method = methods[name];
  if (method === undefined) throw new Error(`no method ${name}`);
  return method(...args);
}

async function revert(web3: Web3, { contract, name, args, from }: RevertingCall): Promise<string> {
  try {
    await call(web3, contract, [name, ...args]).call({ from });
  } catch (error) {
    if (!(error instanceof ContractExecutionError)) throw error;
    const { errorName = "", errorArgs = {} } = error.cause;
    const count = Number(errorArgs["__length__"]);
    const values = Array.from({ length: count }, (_, index) => String(errorArgs[index]));
    return errorName === "Error" ? values.join() : `${errorName}(${values.join(", ")})`;
  }
  throw new Error("the call did not revert");
}

async function batch(web3: Web3, owner: string) {
  const request = new web3.BatchRequest();
  const chainId = request.add<string>({ method: "eth_chainId", params: [] });
  const block = request.add<{ number: string }>({
    method: "eth_getBlockByNumber",
    params: ["0x2", false],
  });
  const balance = request.add<string>({ method: "eth_getBalance", params: [owner, "latest"] });
  const sizes = [request.requests.length];
  await request.execute();
  const values = {
    chainId: Number(await chainId),
    number: Number((await block).number),
    balance: BigInt(await balance),
  };
  return { values, sizes };
}

async function close({ provider }: Web3): Promise<void> {
  if (!(provider instanceof WebSocketProvider)) return;
  const closed = new Promise<void>((resolve) => provider.once("disconnect", () => resolve()));
  provider.disconnect();
  await closed;
}
