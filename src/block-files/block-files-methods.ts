import { decodeBase58 } from "./base58.ts";
import type { BlockFiles, BlockFilesHead } from "./block-files.ts";
import { BlockFilesFault, invalidParams, RpcFault } from "./block-files-fault.ts";
import { type Details, encodeBlock } from "./encode-block.ts";
import {
  type Commitment,
  parseParams,
  readChoice,
  readCommitment,
  readConfig,
  readConfirmed,
  readEncodingConfig,
  readForm,
  readU64,
  type Slot,
} from "./params.ts";
import { type Json, readMembers, within } from "./stored-block.ts";
import { encodeFound, statusOf, TransactionSearch } from "./transaction-search.ts";

/** Agave's `MAX_GET_CONFIRMED_BLOCKS_RANGE`. */
const MAX_BLOCKS = 500_000;
/** Agave's `MAX_GET_SIGNATURE_STATUSES_QUERY_ITEMS`. */
const MAX_STATUSES = 256;
const SIGNATURE_BYTES = 64;
const DETAILS: ReadonlySet<unknown> = new Set<Details>(["full", "accounts", "signatures", "none"]);
/** The form of the answers is that version's; what follows the `+` says who gives them. */
const VERSION = { "solana-core": "3.0.14+tollgate-ledger" };

type Params = readonly unknown[];

/** `min` and `max`: how many params it takes. */
type Method = {
  readonly min: number;
  readonly max: number;
  readonly run: (params: Params) => unknown;
};

export type BlockFilesMethodsParts = {
  /** Lets other calls in between the steps of a long search. */
  readonly pause: () => Promise<void>;
};

/** The methods that a ledger of files serves, with the answers and errors of agave 3.0. */
export class BlockFilesMethods {
  readonly #files: BlockFiles;
  readonly #search: TransactionSearch;
  readonly #methods: ReadonlyMap<string, Method>;
  /** The newest block whose height was asked for. */
  #height: { readonly slot: number; readonly height: unknown } | undefined;

  constructor(files: BlockFiles, parts: BlockFilesMethodsParts) {
    this.#files = files;
    this.#search = new TransactionSearch(files, parts);
    this.#methods = new Map<string, Method>([
      ["getBlock", { min: 1, max: 2, run: (params) => this.#block(params) }],
      ["getBlocks", { min: 1, max: 3, run: (params) => this.#blocks(params) }],
      ["getBlocksWithLimit", { min: 2, max: 3, run: (params) => this.#blocksWithLimit(params) }],
      ["getBlockTime", { min: 1, max: 1, run: (params) => this.#blockTime(params) }],
      ["getBlockHeight", { min: 0, max: 1, run: (params) => this.#blockHeight(params) }],
      ["getFirstAvailableBlock", { min: 0, max: 0, run: () => this.#head().firstSlot }],
      ["getSlot", { min: 0, max: 1, run: (params) => this.#slot(params) }],
      ["getTransaction", { min: 1, max: 2, run: (params) => this.#transaction(params) }],
      ["getSignatureStatuses", { min: 1, max: 2, run: (params) => this.#statuses(params) }],
      ["getGenesisHash", { min: 0, max: 0, run: () => this.#head().genesisHash }],
      ["getVersion", { min: 0, max: 0, run: () => VERSION }],
      ["getHealth", { min: 0, max: 0, run: () => this.#health() }],
    ]);
  }

  /**
   * The JSON text of a method's result. `params` is the JSON text of the positional params.
   * @throws RpcFault
   */
  async call(method: string, params: string): Promise<string> {
    const known = this.#methods.get(method);
    if (known === undefined) throw new RpcFault("Method not found", { code: -32601 });
    try {
      return JSON.stringify(await known.run(parseParams(params, known)));
    } catch (error) {
      if (error instanceof RangeError) {
        throw new RpcFault("the answer cannot be written", { code: -32000, cause: error });
      }
      if (!(error instanceof BlockFilesFault)) throw error;
      // The ledger is sound but for this block: -32603 would count against all that it serves.
      throw new RpcFault(error.message, { code: -32000, cause: error });
    }
  }

  #head(): BlockFilesHead {
    try {
      return this.#files.head();
    } catch (error) {
      if (!(error instanceof BlockFilesFault)) throw error;
      throw new RpcFault(error.message, { code: -32603, cause: error });
    }
  }

  #health(): "ok" {
    this.#head();
    return "ok";
  }

  #slot([given]: Params): number {
    const config = readConfig(given);
    const commitment = readCommitment(config);
    return this.#reached(commitment === "processed" ? "confirmed" : commitment, config);
  }

  /** The newest slot of a commitment. @throws RpcFault -32016 where it is below `minContextSlot` */
  #reached(commitment: Commitment, { minContextSlot }: Json): number {
    const { confirmedSlot, finalizedSlot } = this.#head();
    const contextSlot = commitment === "confirmed" ? confirmedSlot : finalizedSlot;
    if (readU64(minContextSlot ?? 0) > contextSlot) {
      throw new RpcFault("Minimum context slot has not been reached", {
        code: -32016,
        data: { contextSlot },
      });
    }
    return contextSlot;
  }

  /** The text of a block's file. @throws RpcFault -32004, -32001, -32007 */
  #text(slot: Slot, newest: number): string {
    const { firstSlot } = this.#head();
    if (slot > newest) throw new RpcFault(`Block not available for slot ${slot}`, { code: -32004 });
    if (slot < firstSlot) {
      const why = `Block ${slot} cleaned up, does not exist on node.`;
      throw new RpcFault(`${why} First available block: ${firstSlot}`, { code: -32001 });
    }
    const text = this.#files.blockText(slot);
    if (text !== undefined) return text;
    const why = `Slot ${slot} was skipped, or missing due to ledger jump to recent snapshot`;
    throw new RpcFault(why, { code: -32007 });
  }

  #block(params: Params): Json {
    const slot = readU64(params[0]);
    const config = readEncodingConfig(params[1]);
    const details = readChoice<Details>(config["transactionDetails"], DETAILS) ?? "full";
    const form = { ...readForm(config), details };
    const text = this.#text(slot, this.#reached(readConfirmed(config), {}));
    return within(`block ${slot}`, () => encodeBlock(readMembers(text), form));
  }

  #blockTime(params: Params): unknown {
    const slot = readU64(params[0]);
    const text = this.#text(slot, this.#head().confirmedSlot);
    return within(`block ${slot}`, () => readMembers(text)["blockTime"]);
  }

  /** The height of the newest block of a commitment. */
  #blockHeight(params: Params): unknown {
    const upTo = this.#slot(params);
    const slots = this.#files.slots();
    const slot = slots[placeOf(slots, upTo + 1) - 1];
    if (slot === undefined) throw new BlockFilesFault(`no block up to ${upTo} is there`);
    if (this.#height?.slot !== slot) {
      const text = this.#text(slot, upTo);
      const height = within(`block ${slot}`, () => readMembers(text)["blockHeight"]);
      this.#height = { slot, height };
    }
    return this.#height.height;
  }

  #blocks(params: Params): readonly number[] {
    const first = readU64(params[0]);
    const [, second, third] = params;
    const hasEnd = typeof second === "number" || typeof second === "bigint";
    const config = readConfig(hasEnd ? third : (third ?? second));
    const newest = this.#reached(readConfirmed(config), config);
    const end = least(hasEnd ? readU64(second) : BigInt(first) + BigInt(MAX_BLOCKS), newest);
    if (end < first) return [];
    // Below the newest slot, and so a safe number.
    const start = Number(first);
    if (end - start > MAX_BLOCKS) throw invalidParams(`Slot range too large; max ${MAX_BLOCKS}`);
    return this.#between(start, end);
  }

  #blocksWithLimit(params: Params): readonly number[] {
    const first = readU64(params[0]);
    const limit = readU64(params[1]);
    const config = readConfig(params[2]);
    const newest = this.#reached(readConfirmed(config), config);
    if (limit > MAX_BLOCKS) throw invalidParams(`Limit too large; max ${MAX_BLOCKS}`);
    if (first > newest) return [];
    return this.#between(Number(first), newest).slice(0, Number(limit));
  }

  /** The slots that have a block, from one to another, both of them too. */
  #between(first: number, last: number): readonly number[] {
    const slots = this.#files.slots();
    const from = Math.max(first, this.#head().firstSlot);
    return slots.slice(placeOf(slots, from), placeOf(slots, last + 1));
  }

  async #transaction(params: Params): Promise<Json | null> {
    const signature = signatureOf(params[0]);
    const config = readEncodingConfig(params[1]);
    // A transaction's own rewards are always shown.
    const form = { ...readForm(config), rewards: true };
    const newest = this.#reached(readConfirmed(config), {});
    const range = { first: this.#head().firstSlot, newest };
    const found = await this.#search.find(signature, range);
    return found === undefined ? null : encodeFound(found, form);
  }

  async #statuses([signatures]: Params): Promise<Json> {
    if (!Array.isArray(signatures)) {
      throw invalidParams("Invalid params: invalid type, expected a sequence of signatures.");
    }
    if (signatures.length > MAX_STATUSES) {
      throw invalidParams(`Too many inputs provided; max ${MAX_STATUSES}`);
    }
    const wanted = signatures.map(signatureOf);
    const { confirmedSlot, finalizedSlot, firstSlot } = this.#head();
    const range = { first: firstSlot, newest: confirmedSlot };
    const value: (Json | null)[] = [];
    for (const signature of wanted) {
      const found = await this.#search.find(signature, range);
      value.push(found === undefined ? null : statusOf(found, { confirmedSlot, finalizedSlot }));
    }
    return { context: { slot: confirmedSlot }, value };
  }
}

/** How many of the rising numbers are below one. */
function placeOf(rising: readonly number[], bound: number): number {
  let low = 0;
  let high = rising.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((rising[middle] ?? bound) < bound) low = middle + 1;
    else high = middle;
  }
  return low;
}

const least = (slot: Slot, newest: number): number => (slot < newest ? Number(slot) : newest);

/** @throws RpcFault -32602 in the words of agave 3.0 */
function signatureOf(value: unknown): Uint8Array {
  if (typeof value !== "string") {
    throw invalidParams("Invalid params: invalid type, expected a string.");
  }
  let signature: Uint8Array;
  try {
    signature = decodeBase58(value);
  } catch (error) {
    throw invalidParams("Invalid param: Invalid", error);
  }
  if (signature.length !== SIGNATURE_BYTES) throw invalidParams("Invalid param: WrongSize");
  return signature;
}
