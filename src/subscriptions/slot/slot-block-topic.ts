import { type JsonObject, type JsonValue, NumberToken } from "../../jsonrpc/value.ts";
import { wholeBytes, wholeText } from "../../lib/bytes.ts";
import { scanArray, scanObject } from "../../lib/json-scan.ts";
import type { ShapeOptions } from "../../methods/shapes/shape.ts";
import { slotBlock } from "../../methods/slot/block-shape.ts";
import type { BlockDetails, DetailKind } from "../chain/block-details.ts";
import type { Step } from "../chain/told-block.ts";
import type { Details, Telling, Topic } from "../chain/topic.ts";
import { readObject } from "./find-slot-block.ts";
import { eventOf, inContext } from "./slot-topics.ts";
import type { SlotTransactions } from "./slot-transactions.ts";

/** What nodes are asked for is the same for all versions that clients can read. */
export type BlockForm = {
  readonly details: string;
  readonly encoding: string;
  readonly rewards: boolean;
};

const EVENT = Object.freeze(eventOf("blockNotification"));
/** Options that the shape of blocks does not look at. */
const SHAPE = Object.freeze({}) as ShapeOptions;

/** A block as nodes gave it in one form. */
export class BlockText {
  readonly #json: Buffer;
  /** What is told of it, by the config that a client gave: each text is made once. */
  readonly #made = new Map<string, string>();

  /** `json`: in UTF-8 bytes. */
  constructor(json: string) {
    this.#json = Buffer.from(json, "latin1");
  }

  get sizeBytes(): number {
    return 3 * this.#json.length;
  }

  /** The member `block` and `err` of a notification, JSON text in UTF-8 bytes. `kept`: these transactions alone. */
  told(config: JsonObject, kept: ReadonlySet<number> | undefined): string {
    if (kept !== undefined) return this.#make(config, kept);
    const version = config.get("maxSupportedTransactionVersion");
    const name = version instanceof NumberToken ? version.text : "";
    const known = this.#made.get(name) ?? this.#make(config, undefined);
    this.#made.set(name, known);
    return known;
  }

  #make(config: JsonObject, kept: ReadonlySet<number> | undefined): string {
    const shaped = slotBlock(this.#json, SHAPE, [null, config]);
    if ("name" in shaped) {
      const version = /\((\d+)\)/.exec(shaped.message ?? "")?.[1] ?? "0";
      return `"block":null,"err":{"UnsupportedTransactionVersion":${version}}`;
    }
    const text = kept === undefined ? wholeText(shaped) : keepOnly(wholeBytes(shaped), kept);
    return `"block":${text},"err":null`;
  }
}

/** The block with these of its transactions, or of their signatures. */
function keepOnly(json: Buffer, kept: ReadonlySet<number>): string {
  let text = "";
  let from = 0;
  for (const { key, valueStart } of scanObject(json)?.members ?? []) {
    const spans = key === "transactions" || key === "signatures" ? scanArray(json, valueStart) : [];
    const [first] = spans ?? [];
    const last = spans?.at(-1);
    if (first === undefined || last === undefined) continue;
    const parts = spans?.filter((_, index) => kept.has(index)) ?? [];
    text += json.toString("latin1", from, first.start);
    text += parts.map(({ start, end }) => json.toString("latin1", start, end)).join(",");
    from = last.end;
  }
  return text + json.toString("latin1", from);
}

export function blockTextOf({ details, encoding, rewards }: BlockForm): DetailKind<BlockText> {
  const config =
    `{"commitment":"confirmed","encoding":"${encoding}","maxSupportedTransactionVersion":255,` +
    `"rewards":${rewards},"transactionDetails":"${details}"}`;
  return {
    question: ({ number }) => ({
      method: "getBlock",
      params: `[${number},${config}]`,
      block: number,
    }),
    read: (json, { hash }) =>
      readObject(json)?.["blockhash"] === hash ? new BlockText(json) : undefined,
    sizeOf: ({ sizeBytes }) => sizeBytes,
  };
}

export type BlockTopicOptions = {
  /** As getBlock takes it. */
  readonly config: JsonObject;
  /** An account or a program, where a client wants nothing but its transactions. */
  readonly mentions: string | undefined;
};

export type BlockTopicParts = {
  readonly texts: BlockDetails<BlockText>;
  readonly transactions: BlockDetails<SlotTransactions>;
};

/** Whole blocks, or those of their transactions that mention an account. */
export class SlotBlockTopic implements Topic {
  readonly details: Details;
  readonly #options: BlockTopicOptions;
  readonly #texts: BlockDetails<BlockText>;
  readonly #transactions: BlockDetails<SlotTransactions>;

  constructor(options: BlockTopicOptions, { texts, transactions }: BlockTopicParts) {
    this.#options = options;
    this.#texts = texts;
    this.#transactions = transactions;
    const all = options.mentions === undefined ? [texts] : [texts, transactions];
    this.details = {
      isGivenUp: (block) => all.some((one) => one.isGivenUp(block)),
      fetch: (step) => {
        for (const one of all) if (one.known(step.block) === undefined) one.fetch(step);
      },
    };
  }

  tell({ kind, block }: Step): Telling | undefined | "wanted" {
    if (kind === "leaves") return undefined;
    const { config, mentions } = this.#options;
    const text = this.#texts.known(block);
    const index = mentions === undefined ? undefined : this.#transactions.known(block);
    if (text === undefined || (mentions !== undefined && index === undefined)) return "wanted";
    const found = mentions === undefined ? undefined : index?.mentioning(mentions);
    if (found?.length === 0) return undefined;
    const kept = found && new Set(found.map((one) => one.index));
    const { number } = block;
    const value = `{"slot":${number},${text.told(config, kept)}}`;
    return { event: EVENT, all: [inContext(number, value)] };
  }
}

/** The config of getBlock that gives what a client of `blockSubscribe` asked for. */
export function blockConfigOf(given: JsonValue | undefined): {
  config: JsonObject;
  form: BlockForm;
} {
  const asked: JsonObject = given instanceof Map ? given : new Map();
  // agave's pubsub has base64 where its calls have json.
  const encoding = String(asked.get("encoding") ?? "base64");
  const details = String(asked.get("transactionDetails") ?? "full");
  const rewards = asked.get("showRewards") === true;
  const config: JsonObject = new Map<string, JsonValue>([
    ["rewards", rewards],
    ["transactionDetails", details],
  ]);
  const version = asked.get("maxSupportedTransactionVersion");
  if (version !== undefined) config.set("maxSupportedTransactionVersion", version);
  return { config, form: { details, encoding, rewards } };
}
