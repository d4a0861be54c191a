import type { LargeBuffers } from "../../wire/bytes/large-buffers.ts";
import type { ToldBlock } from "../chain/told-block.ts";
import type { LogMatcher, LogPlaces } from "../log-matcher.ts";

/** A log as subscribers are told of it. */
export type ToldLog = {
  readonly index: number;
  /** JSON text in UTF-8 bytes, as of a block of the chain. */
  readonly text: string;
};

/** Where each log stands in a text. */
type LogTexts = {
  readonly text: string;
  readonly begins: readonly number[];
  readonly ends: readonly number[];
};

type TakesBuffers = Pick<LargeBuffers, "take">;

/** What is looked at in each log. */
type LogHead = Pick<ToldLog, "index"> & Pick<LogPlaces, "address">;

const NONE: readonly number[] = Object.freeze([]);
const KEPT_END = '"removed":false}';
/** Beside its text, where filters look at its topics. */
const LOG_BYTES = 512;

/** JSON text in UTF-8 bytes of a log whose block is off the chain. */
export const removedText = ({ text }: ToldLog): string =>
  `${text.slice(0, -KEPT_END.length)}"removed":true}`;

const NO_MORE = -1;

/**
 * All logs of one block, in order. Their texts are kept as one piece of memory, which is used again for later blocks,
 * and as few objects as can be beside it: what blocks leave behind sets off most of the engine's full collections.
 */
export class BlockLogs {
  readonly #bytes: Buffer;
  readonly #begins: readonly number[];
  readonly #ends: readonly number[];
  readonly #indexes: readonly number[];
  /** The first log of each address. */
  readonly #first = new Map<string, number>();
  /** For each log, the next one of its address. */
  readonly #next: Int32Array;
  /** Of each log, once a filter looks at topics. */
  #places: readonly LogPlaces[] | undefined;

  constructor(heads: readonly LogHead[], { text, begins, ends }: LogTexts, buffers: TakesBuffers) {
    this.#bytes = buffers.take(text.length);
    this.#bytes.write(text, "latin1");
    this.#begins = begins;
    this.#ends = ends;
    this.#indexes = heads.map(({ index }) => index);
    this.#next = new Int32Array(heads.length);
    for (let at = heads.length - 1; at >= 0; at -= 1) {
      const { address } = heads[at] as LogHead;
      this.#next[at] = this.#first.get(address) ?? NO_MORE;
      this.#first.set(address, at);
    }
  }

  get count(): number {
    return this.#indexes.length;
  }

  /** About what they take in memory. */
  get sizeBytes(): number {
    return this.#bytes.buffer.byteLength + LOG_BYTES * this.count;
  }

  /** Nobody is told of them any more: their memory is for others. */
  giveBack(buffers: Pick<LargeBuffers, "giveBack">): void {
    buffers.giveBack(this.#bytes);
  }

  /** Those that match, in order. */
  matching(matcher: LogMatcher): readonly ToldLog[] {
    const found = this.#ofAddresses(matcher);
    if (!matcher.hasTopics) return found.map((at) => this.#log(at));
    this.#places ??= this.#indexes.map((_, at) => placesIn(this.#textOf(at)));
    const places = this.#places;
    return found
      .filter((at) => matcher.matches(places[at] as LogPlaces))
      .map((at) => this.#log(at));
  }

  #ofAddresses({ addresses, onlyAddress }: LogMatcher): readonly number[] {
    if (addresses === undefined) return [...this.#indexes.keys()];
    if (onlyAddress !== undefined) return this.#ofAddress(onlyAddress);
    return [...addresses].flatMap((address) => this.#ofAddress(address)).sort((a, b) => a - b);
  }

  #ofAddress(address: string): readonly number[] {
    const first = this.#first.get(address);
    if (first === undefined) return NONE;
    const found: number[] = [];
    for (let at = first; at !== NO_MORE; at = this.#next[at] as number) found.push(at);
    return found;
  }

  #log(at: number): ToldLog {
    return { index: this.#indexes[at] as number, text: this.#textOf(at) };
  }

  #textOf(at: number): string {
    return this.#bytes.toString("latin1", this.#begins[at], this.#ends[at]);
  }
}

const HASH_CHARACTERS = 66;
const ADDRESS_CHARACTERS = 42;
const QUANTITY = /^0x[0-9a-f]{1,8}$/i;

/**
 * The logs of this block out of a node's answer, JSON text in UTF-8 bytes; undefined for what are not its logs, in
 * order.
 */
export function readBlockLogs(
  json: string,
  { hash }: Pick<ToldBlock, "hash">,
  buffers: TakesBuffers,
): BlockLogs | undefined {
  let all: unknown;
  try {
    all = JSON.parse(json);
  } catch {
    return undefined;
  }
  if (!Array.isArray(all)) return undefined;
  const heads: LogHead[] = [];
  let last = -1;
  for (const each of all) {
    const head = readLogHead(each, hash);
    if (head === undefined || head.index <= last) return undefined;
    last = head.index;
    heads.push(head);
  }
  return new BlockLogs(heads, asWritten(json, all.length) ?? writtenAnew(all), buffers);
}

/**
 * The texts of so many objects of an array. Undefined where one of them holds others, or braces in texts: then there
 * are more braces than objects; and where one ends otherwise than nodes write it.
 */
function asWritten(json: string, count: number): LogTexts | undefined {
  const begins: number[] = [];
  const ends: number[] = [];
  for (let at = json.indexOf("{"); at >= 0; at = json.indexOf("{", at + 1)) begins.push(at);
  for (let at = json.indexOf("}"); at >= 0; at = json.indexOf("}", at + 1)) ends.push(at + 1);
  const isFlat = begins.length === count && ends.length === count;
  return isFlat && ends.every((end) => json.endsWith(KEPT_END, end))
    ? { text: json, begins, ends }
    : undefined;
}

function writtenAnew(logs: readonly Record<string, unknown>[]): LogTexts {
  const begins: number[] = [];
  const ends: number[] = [];
  let text = "";
  for (const log of logs) {
    begins.push(text.length);
    text += textOf(log);
    ends.push(text.length);
  }
  return { text, begins, ends };
}

function readLogHead(log: unknown, hash: string): LogHead | undefined {
  if (typeof log !== "object" || log === null) return undefined;
  const { address, topics, blockHash, logIndex } = log as Record<string, unknown>;
  if (!isText(blockHash, HASH_CHARACTERS) || blockHash.toLowerCase() !== hash) return undefined;
  if (!isText(address, ADDRESS_CHARACTERS)) return undefined;
  if (typeof logIndex !== "string" || !QUANTITY.test(logIndex)) return undefined;
  if (!Array.isArray(topics) || !topics.every((topic) => isText(topic, HASH_CHARACTERS))) {
    return undefined;
  }
  return { index: Number(logIndex), address: address.toLowerCase() };
}

/** Of a log that was read before. */
function placesIn(text: string): LogPlaces {
  const { address, topics }: LogPlaces = JSON.parse(text);
  return {
    address: address.toLowerCase(),
    topics: topics.map((topic) => topic.toLowerCase()),
  };
}

/** Whether it is text of this length: what stands in it is compared, and told as it came. */
const isText = (value: unknown, characters: number): value is string =>
  typeof value === "string" && value.length === characters;

/** With `removed` as the last member, as nodes write it. */
function textOf(log: Record<string, unknown>): string {
  const text = JSON.stringify(log);
  if (text.endsWith(KEPT_END)) return text;
  const { removed: _, ...rest } = log;
  return JSON.stringify({ ...rest, removed: false });
}
