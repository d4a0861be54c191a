import type { BlockDetails } from "../chain/block-details.ts";
import type { Step } from "../chain/told-block.ts";
import type { Telling, Topic } from "../chain/topic.ts";
import type { PricedEvent } from "../event-meter.ts";
import type { SlotTransaction, SlotTransactions } from "./slot-transactions.ts";

/** Each notification. */
const CREDITS = 50;

export const eventOf = (method: string, count = 1): PricedEvent => ({
  method,
  credits: CREDITS * count,
});

const SLOT = Object.freeze(eventOf("slotNotification"));
const ROOT = Object.freeze(eventOf("rootNotification"));
const SIGNATURE = Object.freeze(eventOf("signatureNotification"));

/** The end of a notification, from its result on. */
export const tail = (result: string): string => `${result}}}`;

/** The same of a value that is true at a slot. */
export const inContext = (slot: number, value: string): string =>
  tail(`{"context":{"slot":${slot}},"value":${value}}`);

export const SLOTS: Topic = Object.freeze({
  tell: ({ kind, block }: Step) =>
    kind === "joins" ? { event: SLOT, all: [block.told] } : undefined,
});

/** Of finalized blocks alone. */
export const ROOTS: Topic = Object.freeze({
  tell: ({ kind, block }: Step) =>
    kind === "joins" ? { event: ROOT, all: [tail(String(block.number))] } : undefined,
});

export type TransactionFilter = "all" | "allWithVotes" | { readonly mentions: string };

/** What programs logged in transactions, in the order of the block. */
export class SlotLogTopic implements Topic {
  readonly details: BlockDetails<SlotTransactions>;
  readonly #filter: TransactionFilter;

  constructor(filter: TransactionFilter, details: BlockDetails<SlotTransactions>) {
    this.#filter = filter;
    this.details = details;
  }

  tell({ kind, block }: Step): Telling | undefined | "wanted" {
    if (kind === "leaves") return undefined;
    const known = this.details.known(block);
    if (known === undefined) return "wanted";
    const matching = this.#matching(known);
    if (matching.length === 0) return undefined;
    const all = matching.map((one) => known.toldOf(one));
    return { event: eventOf("logsNotification", all.length), all };
  }

  #matching(transactions: SlotTransactions): readonly SlotTransaction[] {
    if (this.#filter === "allWithVotes") return transactions.all;
    if (this.#filter === "all") return transactions.all.filter(({ isVote }) => !isVote);
    return transactions.mentioning(this.#filter.mentions);
  }
}

/** What is told of a transaction that was found. */
export const signatureTold = (slot: number, err: string): Telling => ({
  event: SIGNATURE,
  all: [inContext(slot, `{"err":${err}}`)],
  isLast: true,
});

/** The block in which a transaction is: one notification, and no more. */
export class SignatureTopic implements Topic {
  readonly details: BlockDetails<SlotTransactions>;
  readonly #signature: string;

  constructor(signature: string, details: BlockDetails<SlotTransactions>) {
    this.#signature = signature;
    this.details = details;
  }

  tell({ kind, block }: Step): Telling | undefined | "wanted" {
    if (kind === "leaves") return undefined;
    const known = this.details.known(block);
    if (known === undefined) return "wanted";
    const found = known.of(this.#signature);
    return found && signatureTold(block.number, found.err);
  }
}
