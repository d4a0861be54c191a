import type { BlockFiles } from "./block-files.ts";
import { encodeStored, type TransactionForm } from "./encode-block.ts";
import { SignatureIndex } from "./signature-index.ts";
import {
  type Json,
  readMembers,
  readSignatures,
  readStoredAt,
  type StoredTransaction,
  within,
} from "./stored-block.ts";

/** The most that agave counts (`MAX_LOCKOUT_HISTORY`). */
const MAX_CONFIRMATIONS = 31;

/** A transaction, and the block that it stands in. */
export type Found = {
  readonly slot: number;
  readonly block: Json;
  readonly transaction: StoredTransaction;
};

/** Finds transactions by their first signature, as nodes do. */
export class TransactionSearch {
  readonly #files: BlockFiles;
  readonly #index: SignatureIndex;
  readonly #pause: () => Promise<void>;

  /** `pause` lets other work in between two blocks of a search. */
  constructor(files: BlockFiles, parts: { readonly pause: () => Promise<void> }) {
    this.#files = files;
    this.#index = new SignatureIndex(files);
    this.#pause = parts.pause;
  }

  /**
   * Undefined where no block from `first` to `newest` has it.
   * @throws BlockFilesFault where it may stand in a block that cannot be read
   */
  async find(
    signature: Uint8Array,
    { first, newest }: { readonly first: number; readonly newest: number },
  ): Promise<Found | undefined> {
    const seen = new Set<number>();
    for (let isRetried = false; ; await this.#pause()) {
      for (const slot of this.#index.slotsOf(signature)) {
        if (seen.has(slot) || slot < first || slot > newest) continue;
        seen.add(slot);
        const found = within(`block ${slot}`, () => this.#findIn(slot, signature));
        if (found !== undefined) return found;
      }
      if (this.#index.step()) continue;
      if (this.#index.fault === undefined) return undefined;
      if (isRetried) throw this.#index.fault;
      isRetried = true;
      this.#index.retry();
    }
  }

  #findIn(slot: number, signature: Uint8Array): Found | undefined {
    const text = this.#files.blockText(slot);
    if (text === undefined) return undefined;
    const block = readMembers(text);
    const index = readSignatures(block).findIndex((each) => Buffer.compare(each, signature) === 0);
    return index < 0 ? undefined : { slot, block, transaction: readStoredAt(block, index) };
  }
}

/** getTransaction's result, as agave 3.0 writes it. @throws RpcFault -32015, BlockFilesFault */
export function encodeFound({ slot, block, transaction }: Found, form: TransactionForm): Json {
  const encode = (): Json => encodeStored(transaction, form);
  const { meta, ...rest } = within(`block ${slot}`, encode);
  return { blockTime: block["blockTime"], meta, slot, ...rest };
}

/** An element of getSignatureStatuses; null where the outcome is not recorded. */
export function statusOf(
  { slot, transaction }: Found,
  { confirmedSlot, finalizedSlot }: { confirmedSlot: number; finalizedSlot: number },
): Json | null {
  const { meta } = transaction;
  if (meta === null) return null;
  const isFinalized = slot <= finalizedSlot;
  const err = meta["err"] ?? null;
  return {
    confirmationStatus: isFinalized ? "finalized" : "confirmed",
    confirmations: isFinalized ? null : Math.min(confirmedSlot - slot, MAX_CONFIRMATIONS),
    err,
    slot,
    status: err === null ? { Ok: null } : { Err: err },
  };
}
