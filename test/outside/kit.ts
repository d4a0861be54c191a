import {
  createSolanaRpc,
  getBase58Decoder,
  getBase58Encoder,
  getBase64Encoder,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
  isSolanaError,
  signature as signatureOf,
} from "@solana/kit";
import {
  type BlockForm,
  hexOf,
  type Plain,
  plain,
  type SeenMessage,
  type SlotClient,
} from "./slot-client.ts";

/** Its types know each form by itself; the tests go through all of them. */
type GetBlock = (slot: bigint, config: object) => { readonly send: () => Promise<unknown> };
type GetTransaction = (signature: string, config: object) => ReturnType<GetBlock>;

export function connectKit(url: string): SlotClient {
  const rpc = createSolanaRpc(url);
  const getBlock = rpc.getBlock as unknown as GetBlock;
  const getTransaction = rpc.getTransaction as unknown as GetTransaction;
  const block = async (slot: number, form: BlockForm) =>
    seenBlock(await outcome(getBlock(BigInt(slot), configOf(form)).send()), form);
  return {
    block,
    parsedBlock: (slot, form) => block(slot, { ...form, encoding: "jsonParsed" }),
    transaction: async (signature, maxSupportedTransactionVersion) => {
      const config = { encoding: "base64", ...given({ maxSupportedTransactionVersion }) };
      const found = await outcome(getTransaction(signature, config).send());
      return isEntry(found) ? plain(seenEntry(found, "base64")) : plain(found);
    },
    parsedTransaction: async (signature) => {
      const config = { encoding: "jsonParsed", maxSupportedTransactionVersion: 0 };
      return plain(await outcome(getTransaction(signature, config).send()));
    },
    statuses: async (signatures) =>
      plain(await rpc.getSignatureStatuses(signatures.map((each) => signatureOf(each))).send()),
    blockTime: async (slot) => plain(await rpc.getBlockTime(BigInt(slot)).send()) as number | null,
    blocks: async (first, last) => {
      const end = last === undefined ? undefined : BigInt(last);
      return plain(await rpc.getBlocks(BigInt(first), end).send()) as number[];
    },
    slot: async (commitment) => Number(await rpc.getSlot({ commitment }).send()),
    height: async (commitment) => Number(await rpc.getBlockHeight({ commitment }).send()),
    firstBlock: async () => Number(await rpc.getFirstAvailableBlock().send()),
    genesisHash: () => rpc.getGenesisHash().send(),
    version: async () => (await rpc.getVersion().send())["solana-core"],
  };
}

/** The balances of all accounts after each transaction of a block, as kit has them: no digit lost. */
export async function kitBalances(url: string, slot: number): Promise<bigint[][]> {
  const config = { maxSupportedTransactionVersion: 0, rewards: false } as const;
  const block = await createSolanaRpc(url).getBlock(BigInt(slot), config).send();
  return (block?.transactions ?? []).map(({ meta }) => [...(meta?.postBalances ?? [])]);
}

const given = (members: object): object =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));

const configOf = ({ details, encoding, rewards, version }: BlockForm): object =>
  given({
    ...{ encoding, rewards, commitment: "confirmed" },
    transactionDetails: details,
    maxSupportedTransactionVersion: version,
  });

async function outcome(asked: Promise<unknown>): Promise<unknown> {
  try {
    return await asked;
  } catch (error) {
    if (isSolanaError(error)) return { error: Number(error.context.__code) };
    throw error;
  }
}

type Entry = { readonly meta: unknown; readonly transaction: unknown };
const isEntry = (value: unknown): value is Entry =>
  typeof value === "object" && value !== null && "transaction" in value;

function seenBlock(found: unknown, { details, encoding = "json" }: BlockForm): Plain {
  if (details !== "full" || typeof found !== "object" || found === null) return plain(found);
  if (encoding === "jsonParsed" || !("transactions" in found)) return plain(found);
  const transactions = (found.transactions as Entry[]).map((each) => seenEntry(each, encoding));
  return plain({ ...found, transactions });
}

const seenEntry = (entry: Entry, encoding: "json" | "base58" | "base64"): object => ({
  ...entry,
  transaction:
    encoding === "json" ? fromJson(entry.transaction) : fromWire(entry.transaction, encoding),
});

type JsonTransaction = {
  readonly signatures: readonly string[];
  readonly message: {
    readonly header: object;
    readonly accountKeys: readonly string[];
    readonly recentBlockhash: string;
    readonly addressTableLookups?: readonly object[];
    readonly instructions: readonly {
      readonly programIdIndex: number;
      readonly accounts: readonly number[];
      readonly data: string;
    }[];
  };
};

function fromJson(transaction: unknown): SeenMessage {
  const { message, signatures } = transaction as JsonTransaction;
  const { addressTableLookups: lookups = [], instructions, ...rest } = message;
  return {
    ...rest,
    ...{ signatures, lookups },
    instructions: instructions.map(({ programIdIndex, accounts, data }) => ({
      ...{ programIdIndex, accounts },
      data: hexOf(getBase58Encoder().encode(data)),
    })),
  };
}

/** By kit's own reading of the wire format. */
function fromWire(transaction: unknown, encoding: "base58" | "base64"): SeenMessage {
  const [text = "", said] = transaction as readonly string[];
  if (said !== encoding) throw new Error(`${said} in the place of ${encoding}`);
  const encoder = encoding === "base58" ? getBase58Encoder() : getBase64Encoder();
  const { messageBytes, signatures } = getTransactionDecoder().decode(encoder.encode(text));
  const message = getCompiledTransactionMessageDecoder().decode(messageBytes);
  if (message.version !== 0 && message.version !== "legacy") throw new Error("not sampled");
  const { header } = message;
  const lookups = "addressTableLookups" in message ? (message.addressTableLookups ?? []) : [];
  return {
    signatures: Object.values(signatures).map((each) =>
      getBase58Decoder().decode(each ?? new Uint8Array(64)),
    ),
    header: {
      numReadonlySignedAccounts: header.numReadonlySignerAccounts,
      numReadonlyUnsignedAccounts: header.numReadonlyNonSignerAccounts,
      numRequiredSignatures: header.numSignerAccounts,
    },
    accountKeys: message.staticAccounts,
    recentBlockhash: message.lifetimeToken,
    instructions: message.instructions.map(
      ({ accountIndices = [], data = [], programAddressIndex }) => ({
        programIdIndex: programAddressIndex,
        accounts: accountIndices,
        data: hexOf(data as ArrayLike<number>),
      }),
    ),
    lookups: lookups.map(({ lookupTableAddress, readonlyIndexes, writableIndexes }) => ({
      accountKey: lookupTableAddress,
      ...{ readonlyIndexes, writableIndexes },
    })),
  };
}
