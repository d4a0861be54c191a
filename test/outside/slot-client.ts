/** How a block is asked for; without an encoding in the way that the client does it by itself. */
export type BlockForm = {
  readonly details: "full" | "accounts" | "signatures" | "none";
  readonly encoding?: "json" | "jsonParsed" | "base58" | "base64";
  readonly rewards: boolean;
  readonly version: 0 | undefined;
};

/** Values as the tests compare them: see `plain`. */
export type Plain =
  | null
  | boolean
  | number
  | string
  | readonly Plain[]
  | { readonly [name: string]: Plain };

/** A client library of slot networks at one address, its answers made comparable. */
export type SlotClient = {
  /** The block, null, or `{ error }` with the code of the client's own error. */
  readonly block: (slot: number, form: BlockForm) => Promise<Plain>;
  /** The same in the encoding jsonParsed, by the client's own way to it. */
  readonly parsedBlock: (slot: number, form: Omit<BlockForm, "encoding">) => Promise<Plain>;
  readonly transaction: (signature: string, version: 0 | undefined) => Promise<Plain>;
  readonly parsedTransaction: (signature: string) => Promise<Plain>;
  readonly statuses: (signatures: readonly string[]) => Promise<Plain>;
  readonly blockTime: (slot: number) => Promise<number | null>;
  readonly blocks: (first: number, last: number | undefined) => Promise<readonly number[]>;
  readonly slot: (commitment: Commitment) => Promise<number>;
  readonly height: (commitment: Commitment) => Promise<number>;
  readonly firstBlock: () => Promise<number>;
  readonly genesisHash: () => Promise<string>;
  readonly version: () => Promise<string>;
};

export type Commitment = "processed" | "confirmed" | "finalized";

/**
 * A client's values as plain JSON: bigints as the doubles that the other client has, addresses as
 * base58, undefined members absent.
 */
export function plain(value: unknown): Plain {
  if (typeof value === "bigint") return Number(value);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value as Plain;
  if ("toBase58" in value && typeof value.toBase58 === "function") return value.toBase58();
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(members.map(([name, member]) => [name, plain(member)]));
}

/** What both clients tell of a transaction's bytes, data in hexadecimal. */
export type SeenMessage = {
  readonly signatures: readonly string[];
  readonly header: object;
  readonly accountKeys: readonly string[];
  readonly recentBlockhash: string;
  readonly instructions: readonly {
    readonly programIdIndex: number;
    readonly accounts: readonly number[];
    readonly data: string;
  }[];
  readonly lookups: readonly object[];
};

export const hexOf = (bytes: ArrayLike<number>): string =>
  Buffer.from(Uint8Array.from(bytes)).toString("hex");
