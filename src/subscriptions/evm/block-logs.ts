import type { LogMatcher, LogPlaces } from "../log-matcher.ts";
import type { ToldBlock } from "./told-block.ts";

/** A log as subscribers are told of it. */
export type ToldLog = LogPlaces & {
  readonly index: number;
  /** JSON text, as of a block of the chain. */
  readonly text: string;
};

const KEPT_END = '"removed":false}';

/** JSON text of a log whose block is off the chain. */
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
  matching(matcher: LogMatcher): ToldLog[] {
    const { addresses } = matcher;
    if (addresses === undefined) return this.#all.filter((log) => matcher.matches(log));
    const found = [...addresses].flatMap((address) => this.#byAddress.get(address) ?? []);
    if (addresses.size > 1) found.sort((a, b) => a.index - b.index);
    return found.filter((log) => matcher.matches(log));
  }
}

const HASH = /^0x[0-9a-f]{64}$/i;
const ADDRESS = /^0x[0-9a-f]{40}$/i;
const QUANTITY = /^0x[0-9a-f]{1,8}$/i;

/** The logs of this block out of a node's answer; undefined for what are not its logs, in order. */
export function readBlockLogs(
  json: string,
  { hash }: Pick<ToldBlock, "hash">,
): BlockLogs | undefined {
  let all: unknown;
  try {
    all = JSON.parse(json);
  } catch {
    return undefined;
  }
  if (!Array.isArray(all)) return undefined;
  const logs: ToldLog[] = [];
  let last = -1;
  for (const each of all) {
    const log = readLog(each, hash);
    if (log === undefined || log.index <= last) return undefined;
    last = log.index;
    logs.push(log);
  }
  return new BlockLogs(logs);
}

function readLog(log: unknown, hash: string): ToldLog | undefined {
  if (typeof log !== "object" || log === null) return undefined;
  const { removed: _, ...rest }: Record<string, unknown> = { ...log };
  const { address, topics, blockHash, logIndex } = rest;
  if (!is(HASH, blockHash) || blockHash.toLowerCase() !== hash) return undefined;
  if (!is(ADDRESS, address) || !is(QUANTITY, logIndex)) return undefined;
  if (!Array.isArray(topics) || !topics.every((topic) => is(HASH, topic))) return undefined;
  return {
    address: address.toLowerCase(),
    topics: topics.map((topic: string) => topic.toLowerCase()),
    index: Number(logIndex),
    text: JSON.stringify({ ...rest, removed: false }),
  };
}

const is = (pattern: RegExp, value: unknown): value is string =>
  typeof value === "string" && pattern.test(value);
