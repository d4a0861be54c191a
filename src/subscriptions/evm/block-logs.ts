import { logCursor, told } from "../../methods/cursor.ts";
import type { ToldBlock } from "../chain/told-block.ts";
import type { LogMatcher, LogPlaces } from "../log-matcher.ts";

/** A log as subscribers are told of it. */
export type ToldLog = LogPlaces & {
  readonly index: number;
  /** JSON text in UTF-8 bytes, as of a block of the chain. */
  readonly text: string;
  /** The same, and the end of its notification: made once for all who are told. */
  readonly told: string;
};

const NONE: readonly ToldLog[] = Object.freeze([]);
const KEPT_END = '"removed":false}';

/** JSON text in UTF-8 bytes of a log whose block is off the chain. */
export const removedText = ({ text }: ToldLog): string =>
  `${text.slice(0, -KEPT_END.length)}"removed":true}`;

/** All logs of one block, in order. */
export class BlockLogs {
  readonly #all: readonly ToldLog[];
  readonly #byAddress = new Map<string, ToldLog[]>();
  /** About what they take in memory. */
  readonly sizeBytes: number;

  constructor(all: readonly ToldLog[]) {
    this.#all = all;
    let sizeBytes = 0;
    for (const log of all) {
      const same = this.#byAddress.get(log.address);
      if (same === undefined) this.#byAddress.set(log.address, [log]);
      else same.push(log);
      sizeBytes += log.text.length + 512;
    }
    this.sizeBytes = sizeBytes;
  }

  get count(): number {
    return this.#all.length;
  }

  /** Those that match, in order. */
  matching(matcher: LogMatcher): readonly ToldLog[] {
    const { addresses, isOfAddresses } = matcher;
    if (addresses === undefined) return this.#all.filter((log) => matcher.matches(log));
    const found = addresses.size === 1 ? this.#ofOne(addresses) : this.#ofSome(addresses);
    return isOfAddresses ? found : found.filter((log) => matcher.matches(log));
  }

  #ofOne([address = ""]: Iterable<string>): readonly ToldLog[] {
    return this.#byAddress.get(address) ?? NONE;
  }

  #ofSome(addresses: ReadonlySet<string>): readonly ToldLog[] {
    const found = [...addresses].flatMap((address) => this.#byAddress.get(address) ?? []);
    return found.sort((a, b) => a.index - b.index);
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
  block: Pick<ToldBlock, "hash" | "cursor">,
): BlockLogs | undefined {
  let all: unknown;
  try {
    all = JSON.parse(json);
  } catch {
    return undefined;
  }
  if (!Array.isArray(all)) return undefined;
  const texts = textsOfFlat(json, all.length);
  const logs: ToldLog[] = [];
  let last = -1;
  for (const [at, each] of all.entries()) {
    const log = readLog(each, block, texts?.[at]);
    if (log === undefined || log.index <= last) return undefined;
    last = log.index;
    logs.push(log);
  }
  return new BlockLogs(logs);
}

/**
 * The text of each object of an array of so many. Undefined where they hold others, or braces in texts: then there are
 * more braces than objects.
 */
function textsOfFlat(json: string, count: number): readonly string[] | undefined {
  const texts: string[] = [];
  let begin = json.indexOf("{");
  let end = json.indexOf("}");
  while (begin >= 0 && end >= 0) {
    texts.push(json.slice(begin, end + 1));
    begin = json.indexOf("{", begin + 1);
    end = json.indexOf("}", end + 1);
  }
  return begin === end && texts.length === count ? texts : undefined;
}

/** `given`: its text as the node wrote it, where that was found: to write it anew takes as long as to read it. */
function readLog(
  log: unknown,
  { hash, cursor }: Pick<ToldBlock, "hash" | "cursor">,
  given: string | undefined,
): ToldLog | undefined {
  if (typeof log !== "object" || log === null) return undefined;
  const { address, topics, blockHash, logIndex } = log as Record<string, unknown>;
  if (!isText(blockHash, HASH_CHARACTERS) || blockHash.toLowerCase() !== hash) return undefined;
  if (!isText(address, ADDRESS_CHARACTERS)) return undefined;
  if (typeof logIndex !== "string" || !QUANTITY.test(logIndex)) return undefined;
  if (!Array.isArray(topics) || !topics.every((topic) => isText(topic, HASH_CHARACTERS))) {
    return undefined;
  }
  const index = Number(logIndex);
  const text = given?.endsWith(KEPT_END) ? given : textOf(log as Record<string, unknown>);
  return {
    address: address.toLowerCase(),
    topics: topics.every(isLowerCase) ? topics : topics.map(lowerCase),
    index,
    text,
    told: told(text, logCursor(cursor, index)),
  };
}

const lowerCase = (text: string): string => text.toLowerCase();
const isLowerCase = (text: string): boolean => text === text.toLowerCase();

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
