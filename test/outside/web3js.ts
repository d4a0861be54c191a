import {
  Connection,
  type Message,
  type MessageV0,
  PublicKey,
  SolanaJSONRPCError,
  type VersionedMessage,
} from "@solana/web3.js";
import {
  type BlockForm,
  hexOf,
  type Plain,
  plain,
  type SeenMessage,
  type SlotClient,
} from "./slot-client.ts";

/** Its types know each level of details by itself; the tests go through all of them. */
type GetBlock = (slot: number, config: object) => Promise<unknown>;
type GetTransaction = (signature: string, config: object) => Promise<unknown>;

export type Web3Client = SlotClient & {
  /** The ways to several transactions in one message. */
  readonly transactions: (signatures: readonly string[]) => Promise<Plain>;
  readonly parsedTransactions: (signatures: readonly string[]) => Promise<Plain>;
};

export function connectWeb3(url: string): Web3Client {
  const connection = openWeb3(url);
  const versions = { maxSupportedTransactionVersion: 0 };
  return {
    block: async (slot, form) => {
      if (form.details === "signatures") return signatures(connection, slot);
      const getBlock = connection.getBlock.bind(connection) as unknown as GetBlock;
      return seenBlock(await outcome(getBlock(slot, configOf(form))));
    },
    parsedBlock: async (slot, form) => {
      const getBlock = connection.getParsedBlock.bind(connection) as unknown as GetBlock;
      return plain(await outcome(getBlock(slot, configOf(form))));
    },
    transaction: async (signature, version) => {
      const getTransaction = connection.getTransaction.bind(
        connection,
      ) as unknown as GetTransaction;
      const config = version === undefined ? {} : versions;
      return seenTransaction(await outcome(getTransaction(signature, config)));
    },
    parsedTransaction: async (signature) =>
      plain(await outcome(connection.getParsedTransaction(signature, versions))),
    transactions: async (signatures) => {
      const found = await connection.getTransactions([...signatures], versions);
      return found.map(seenTransaction);
    },
    parsedTransactions: async (signatures) =>
      plain(await connection.getParsedTransactions([...signatures], versions)),
    statuses: async (signatures) => plain(await connection.getSignatureStatuses([...signatures])),
    blockTime: (slot) => connection.getBlockTime(slot),
    blocks: (first, last) => connection.getBlocks(first, last),
    slot: (commitment) => connection.getSlot(commitment),
    height: (commitment) => connection.getBlockHeight(commitment),
    firstBlock: () => connection.getFirstAvailableBlock(),
    genesisHash: () => connection.getGenesisHash(),
    version: async () => (await connection.getVersion())["solana-core"],
  };
}

/** It keeps the `fetch` that there was at its import; tests watch what is sent by the present one. */
export const openWeb3 = (url: string): Connection =>
  new Connection(url, {
    commitment: "confirmed",
    disableRetryOnRateLimit: true,
    fetch: (address, init) => globalThis.fetch(address, init),
  });

function configOf({ details, rewards, version }: Omit<BlockForm, "encoding">): object {
  const versions = version === undefined ? {} : { maxSupportedTransactionVersion: version };
  return { rewards, transactionDetails: details, ...versions };
}

/** It asks for signatures without rewards, and without any version. */
async function signatures(connection: Connection, slot: number): Promise<Plain> {
  try {
    return plain(await connection.getBlockSignatures(slot));
  } catch (error) {
    // So this function says that there is no such block.
    if (error instanceof Error && error.message === `Block ${slot} not found`) return null;
    throw error;
  }
}

async function outcome(asked: Promise<unknown>): Promise<unknown> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof SolanaJSONRPCError && error.code !== undefined) {
      return { error: Number(error.code) };
    }
    throw error;
  }
}

type Entry = {
  readonly transaction: {
    readonly message: Message | MessageV0;
    readonly signatures: readonly string[];
  };
};

function seenBlock(found: unknown): Plain {
  if (typeof found !== "object" || found === null || !("transactions" in found))
    return plain(found);
  const transactions = (found.transactions as Entry[]).map((each) =>
    "message" in each.transaction ? { ...each, transaction: seenMessage(each.transaction) } : each,
  );
  return plain({ ...found, transactions });
}

function seenTransaction(found: unknown): Plain {
  if (typeof found !== "object" || found === null || !("transaction" in found)) return plain(found);
  const { transaction } = found as unknown as Entry;
  return plain({ ...found, transaction: seenMessage(transaction) });
}

function seenMessage({ message, signatures }: Entry["transaction"]): SeenMessage {
  const { header, staticAccountKeys, recentBlockhash, compiledInstructions, addressTableLookups } =
    message satisfies VersionedMessage;
  const { numReadonlySignedAccounts, numReadonlyUnsignedAccounts, numRequiredSignatures } = header;
  return {
    signatures,
    header: { numReadonlySignedAccounts, numReadonlyUnsignedAccounts, numRequiredSignatures },
    accountKeys: staticAccountKeys.map((key) => new PublicKey(key).toBase58()),
    recentBlockhash,
    instructions: compiledInstructions.map(({ accountKeyIndexes, data, programIdIndex }) => ({
      programIdIndex,
      accounts: accountKeyIndexes,
      data: hexOf(data),
    })),
    lookups: addressTableLookups.map(({ accountKey, readonlyIndexes, writableIndexes }) => ({
      accountKey: new PublicKey(accountKey).toBase58(),
      ...{ readonlyIndexes, writableIndexes },
    })),
  };
}
