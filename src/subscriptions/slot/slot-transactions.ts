import type { DetailKind } from "../chain/block-details.ts";
import type { Standpoint } from "../chain/told-block.ts";
import { readObject } from "./find-slot-block.ts";
import { inContext } from "./slot-topics.ts";

const VOTE_PROGRAM = "Vote111111111111111111111111111111111111111";
/** About what an object of a transaction takes beside its texts. */
const TRANSACTION_BYTES = 200;

export type SlotTransaction = {
  /** Where it stands in its block. */
  readonly index: number;
  readonly signature: string;
  /** JSON text in UTF-8 bytes, as nodes' answers are read. */
  readonly err: string;
  /** JSON text of what its programs logged. */
  readonly logs: string;
  /** Of a validator, who does nothing else with it. */
  readonly isVote: boolean;
  readonly accounts: readonly string[];
};

/** The transactions of a block, as far as subscribers are told of them. */
export class SlotTransactions {
  readonly all: readonly SlotTransaction[];
  readonly #slot: number;
  readonly #bySignature: ReadonlyMap<string, SlotTransaction>;
  #byAccount: Map<string, SlotTransaction[]> | undefined;
  /** What is told of their logs: each text is made once. */
  readonly #told = new Map<SlotTransaction, string>();

  constructor(slot: number, all: readonly SlotTransaction[]) {
    this.#slot = slot;
    this.all = all;
    this.#bySignature = new Map(all.map((one) => [one.signature, one]));
  }

  get sizeBytes(): number {
    let size = 0;
    for (const { logs, accounts } of this.all) {
      size += TRANSACTION_BYTES + 2 * logs.length + 64 * accounts.length;
    }
    return size;
  }

  of(signature: string): SlotTransaction | undefined {
    return this.#bySignature.get(signature);
  }

  mentioning(account: string): readonly SlotTransaction[] {
    this.#byAccount ??= this.#indexByAccount();
    return this.#byAccount.get(account) ?? [];
  }

  /** The end of a notification of its logs. */
  toldOf(transaction: SlotTransaction): string {
    const known = this.#told.get(transaction);
    if (known !== undefined) return known;
    const { signature, err, logs } = transaction;
    const value = `{"signature":"${signature}","err":${err},"logs":${logs}}`;
    const made = inContext(this.#slot, value);
    this.#told.set(transaction, made);
    return made;
  }

  #indexByAccount(): Map<string, SlotTransaction[]> {
    const index = new Map<string, SlotTransaction[]>();
    for (const transaction of this.all) {
      for (const account of transaction.accounts) {
        const same = index.get(account);
        if (same === undefined) index.set(account, [transaction]);
        else if (same.at(-1) !== transaction) same.push(transaction);
      }
    }
    return index;
  }
}

/** `full`: with logs. `accounts`: what that leaves out is most of a block. */
export const transactionsOf = (details: "full" | "accounts"): DetailKind<SlotTransactions> => ({
  question: ({ number }) => ({
    method: "getBlock",
    params:
      `[${number},{"commitment":"confirmed","encoding":"json",` +
      `"maxSupportedTransactionVersion":255,"rewards":false,"transactionDetails":"${details}"}]`,
    block: number,
  }),
  read: readTransactions,
  sizeOf: ({ sizeBytes }) => sizeBytes,
});

/** Undefined for an answer that is not of this very block. */
function readTransactions(
  json: string,
  { number, hash }: Standpoint,
): SlotTransactions | undefined {
  const { blockhash, transactions } = readObject(json) ?? {};
  if (blockhash !== hash || !Array.isArray(transactions)) return undefined;
  const all = transactions.map(readTransaction);
  return all.every((one) => one !== undefined) ? new SlotTransactions(number, all) : undefined;
}

type Written = {
  readonly transaction?: {
    readonly signatures?: readonly unknown[];
    readonly accountKeys?: readonly (string | { readonly pubkey?: string })[];
    readonly message?: {
      readonly accountKeys?: readonly string[];
      readonly instructions?: readonly { readonly programIdIndex?: number }[];
    };
  };
  readonly meta?: {
    readonly err?: unknown;
    readonly logMessages?: readonly string[] | null;
    readonly loadedAddresses?: {
      readonly writable?: readonly string[];
      readonly readonly?: readonly string[];
    } | null;
  } | null;
};

function readTransaction(written: unknown, index: number): SlotTransaction | undefined {
  const { transaction, meta } = (written ?? {}) as Written;
  const signature = transaction?.signatures?.[0];
  if (typeof signature !== "string" || !/^\w+$/.test(signature)) return undefined;
  const { message } = transaction ?? {};
  const keys = (message?.accountKeys ?? transaction?.accountKeys ?? []).map((key) =>
    typeof key === "string" ? key : (key.pubkey ?? ""),
  );
  const [first, ...more] = message?.instructions ?? [];
  const program = keys[first?.programIdIndex ?? -1];
  const { writable = [], readonly = [] } = meta?.loadedAddresses ?? {};
  return {
    ...{ index, signature },
    err: JSON.stringify(meta?.err ?? null),
    logs: JSON.stringify(meta?.logMessages ?? []),
    isVote: program === VOTE_PROGRAM && more.length === 0,
    accounts: [...keys, ...writable, ...readonly],
  };
}
