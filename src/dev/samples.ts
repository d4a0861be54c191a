import { type AbiValue, encodeArguments, encodeCall, mappingSlot, word } from "./abi.ts";
import { rpc } from "./rpc.ts";
import contract from "./sample-contract.json" with { type: "json" };
import signatures from "./sample-signatures.json" with { type: "json" };

/** The amounts of the sample transactions, in the token's smallest unit. */
const SUPPLY = 1_000_000n * 10n ** 18n;
export const SENT = 25n * 10n ** 18n;
export const GREETING = "Hello from Tollgate";
/** Code and constructor arguments. */
export const CREATION = `${contract.bytecode}${encodeArguments(
  ["string", "uint256"],
  ["Hello", SUPPLY],
)}`;
/** Where the first creation of anvil's first account lands; the authorization names it too. */
export const CONTRACT = signatures.setCode.authorization.address;

/** Block number, index and type of each sample transaction, as `seedChain` sends them. */
const LAYOUT = {
  creation: ["0x1", "0x0", "0x2"],
  legacy: ["0x2", "0x0", "0x0"],
  accessList: ["0x2", "0x1", "0x1"],
  feeMarket: ["0x2", "0x2", "0x2"],
  setCode: ["0x2", "0x3", "0x4"],
  failing: ["0x2", "0x4", "0x2"],
  blob: ["0x2", "0x5", "0x3"],
} as const;

export type SampleName = keyof typeof LAYOUT;
/** Where a mined transaction stands; numbers are quantities (`0x2`). */
type SampleTransaction = {
  readonly hash: string;
  readonly type: string;
  readonly status: string;
  readonly blockNumber: string;
  readonly blockHash: string;
  readonly transactionIndex: string;
};
type SampleCall = { readonly from: string; readonly to: string; readonly data: string };
/** `position` is what eth_getStorageAt takes, `value` the 32 bytes that stand there. */
type SampleSlot = { readonly position: string; readonly value: string };

/** Samples worth asking the seeded chain for. */
export type Samples = {
  readonly contract: string;
  /** `sender` sent all transactions but the blob's, `receiver` got tokens, `delegated` has the contract's code. */
  readonly accounts: Readonly<Record<"sender" | "receiver" | "delegated", string>>;
  readonly transactions: Readonly<Record<SampleName, SampleTransaction>>;
  readonly storage: Readonly<
    Record<"totalSupply" | "balance" | "greeting" | "counter", SampleSlot>
  >;
  /** Calls that return; `transfer` is for an estimate. */
  readonly calls: Readonly<Record<"greeting" | "balanceOf" | "transfer", SampleCall>>;
  /** Calls that revert: with a reason, with a custom error, with a panic. */
  readonly reverts: Readonly<Record<"reason" | "custom" | "panic", SampleCall>>;
};

/**
 * Reads the samples off the chain itself, so that a kept chain needs no second file beside it.
 * @throws Error where this is not a chain that this version's `seedChain` made
 */
export async function readSamples(url: string): Promise<Samples> {
  const [sender = "", receiver = ""] = await rpc<string[]>(url, "eth_accounts");
  const places = Object.keys(LAYOUT) as SampleName[];
  const found = places.map(async (name) => [name, await readTransaction(url, name)] as const);
  return {
    contract: CONTRACT,
    accounts: { sender, receiver, delegated: signatures.setCode.authority },
    transactions: Object.fromEntries(await Promise.all(found)) as Samples["transactions"],
    storage: storageOf(sender),
    ...callsOf(sender, receiver),
  };
}

type Transaction = { hash: string; type: string; blockHash: string; input: string };
type Receipt = { status: string; contractAddress: string | null };

async function readTransaction(url: string, name: SampleName): Promise<SampleTransaction> {
  const [blockNumber, transactionIndex, type] = LAYOUT[name];
  const place = [blockNumber, transactionIndex];
  const lookup = "eth_getTransactionByBlockNumberAndIndex";
  const transaction = await rpc<Transaction | null>(url, lookup, place);
  const { hash = "", blockHash = "" } = transaction ?? {};
  const receipt =
    transaction && (await rpc<Receipt | null>(url, "eth_getTransactionReceipt", [hash]));
  const status = name === "failing" ? "0x0" : "0x1";
  const creates = name === "creation";
  const expected =
    transaction?.type === type &&
    receipt?.status === status &&
    creates === (receipt.contractAddress === CONTRACT) &&
    creates === (transaction.input === CREATION);
  if (!expected) throw new Error(`this local chain lacks the sample transaction "${name}"`);
  return { hash, type, status, blockNumber, blockHash, transactionIndex };
}

function storageOf(sender: string): Samples["storage"] {
  const { slots } = contract;
  const at = (slot: number, value: bigint) => ({
    position: `0x${slot.toString(16)}`,
    value: `0x${word(value)}`,
  });
  const text = Buffer.alloc(32);
  // A text of up to 31 bytes stands in its slot, twice its length in the last byte.
  text[31] = text.write(GREETING) * 2;
  return {
    totalSupply: at(slots.totalSupply, SUPPLY),
    balance: {
      position: mappingSlot(sender, slots.balanceOf),
      value: `0x${word(SUPPLY - SENT)}`,
    },
    greeting: at(slots.greeting, BigInt(`0x${text.toString("hex")}`)),
    counter: at(slots.counter, 2n),
  };
}

function callsOf(from: string, receiver: string): Pick<Samples, "calls" | "reverts"> {
  const call = (signature: string, values: readonly AbiValue[] = []): SampleCall => ({
    from,
    to: CONTRACT,
    data: encodeCall(signature, values),
  });
  return {
    calls: {
      greeting: call("greeting()"),
      balanceOf: call("balanceOf(address)", [receiver]),
      transfer: call("transfer(address,uint256)", [receiver, 10n ** 18n]),
    },
    reverts: {
      reason: call("refuse(string)", ["not today"]),
      custom: call("transfer(address,uint256)", [receiver, 2n * SUPPLY]),
      panic: call("divide(uint256,uint256)", [1n, 0n]),
    },
  };
}
