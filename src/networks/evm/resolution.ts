import type { RpcError } from "../../jsonrpc/errors.ts";
import type { JsonValue } from "../../jsonrpc/value.ts";
import type { Definition } from "../../methods/definition.ts";
import type { Resolution } from "../network.ts";
import { capGas } from "./gas-cap.ts";

/** The numbers of `safe`, `finalized` and hashes; undefined where no node has such a block. */
export type Found = ReadonlyMap<string, number | undefined>;

/** The state of the network at the moment at which a call is resolved. */
export type Moment = {
  readonly head: number;
  /** The gas limit of the head's block. */
  readonly gasLimit: bigint | undefined;
  /** How many of the latest blocks are served; undefined: all. */
  readonly window: number | undefined;
  readonly found: Found;
};

const ENDS = ["fromBlock", "toBlock"] as const;
const NONE: readonly string[] = Object.freeze([]);

type Named = { readonly number: number; readonly text: JsonValue; readonly isTag: boolean };

/** The blocks that a call names, in their order. */
class NamedBlocks {
  first: Named | undefined;
  last: Named | undefined;
  /** The number of the last that a tag named. */
  tagged: number | undefined;
  lowest = Number.POSITIVE_INFINITY;

  /** Adds the `count` blocks up to the last one, as far as they exist. */
  reachBack(count: number, head: number): void {
    if (this.last === undefined) return;
    const oldest = Math.min(this.last.number, head) - Math.max(count - 1, 0);
    this.lowest = Math.min(this.lowest, Math.max(oldest, 0));
  }

  add(named: Named): void {
    this.first ??= named;
    this.last = named;
    if (named.isTag) this.tagged = named.number;
    if (named.number < this.lowest) this.lowest = named.number;
  }
}

/**
 * The blocks to be found before those of a call can be resolved: `safe`, `finalized`, and, where
 * the network has a window, the hashes of blocks.
 */
export function unknownsOf(
  definition: Definition,
  args: readonly JsonValue[],
  hasWindow: boolean,
): readonly string[] {
  const places = definition.places;
  const block = valueAt(args, places.block);
  const filter = valueAt(args, places.filter);
  const isPlain = block !== "safe" && block !== "finalized" && filter === undefined;
  if (isPlain && !hasWindow) return NONE;
  const tags = [block];
  if (filter instanceof Map) tags.push(filter.get("fromBlock"), filter.get("toBlock"));
  const unknowns = tags.filter((tag) => tag === "safe" || tag === "finalized");
  if (!hasWindow) return unknowns;
  const hashes = [valueAt(args, places.blockHash)];
  if (block instanceof Map) hashes.push(block.get("blockHash"));
  if (filter instanceof Map) hashes.push(filter.get("blockHash"));
  return [...unknowns, ...hashes.filter((hash) => typeof hash === "string")];
}

/** Stage 6, of the calls of one network. */
export class Resolver {
  /** By method: what `latest` means for as long as the head stays, which most calls name. */
  readonly #latest = new Map<Definition, Resolution>();

  /** As `resolveBlocks` does. */
  resolve(
    definition: Definition,
    args: readonly JsonValue[],
    moment: Moment,
  ): Resolution | RpcError {
    if (!namesLatestAlone(definition, args)) return resolveBlocks(definition, args, moment);
    const known = this.#latest.get(definition);
    if (known?.named === moment.head) return known;
    const resolution = resolveBlocks(definition, args, moment);
    if (!("name" in resolution)) this.#latest.set(definition, resolution);
    return resolution;
  }
}

function namesLatestAlone(definition: Definition, args: readonly JsonValue[]): boolean {
  const { block, blockCount, blockHash, filter } = definition.places;
  return valueAt(args, block) === "latest" && blockCount < 0 && blockHash < 0 && filter < 0;
}

/**
 * `latest` means one concrete block, `safe` and `finalized` likewise, `earliest` block 0, and
 * `pending` the head. An error where a block lies outside the window, or a range of logs beyond the
 * head.
 */
export function resolveBlocks(
  definition: Definition,
  args: readonly JsonValue[],
  moment: Moment,
): Resolution | RpcError {
  const { block, blockCount, blockHash, filter } = definition.places;
  const { head, window } = moment;
  const named = new NamedBlocks();
  if (block >= 0 && block < args.length) nameBlock(args[block], moment, named);
  if (blockCount >= 0) named.reachBack(Number(args[blockCount]), head);
  if (blockHash >= 0) nameHash(args[blockHash], moment, named);
  if (filter >= 0) {
    nameRange(args[filter], moment, named);
    const fault = rangeFault(args[filter], named, head);
    if (fault !== undefined) return fault;
  }
  if (window !== undefined && named.lowest <= head - window) return outside(window);
  return summary(definition, named, head);
}

/** The params as they are sent: with numbers in place of tags, and the gas within its cap. */
export function sentArgs(
  definition: Definition,
  args: readonly JsonValue[],
  moment: Moment,
): readonly JsonValue[] {
  const { block, filter, call } = definition.places;
  let sent = args;
  if (call >= 0) sent = withValue(sent, call, capGas(args[call], moment.gasLimit));
  if (block >= 0 && block < args.length)
    sent = withValue(sent, block, textFor(args[block], moment));
  if (filter >= 0) sent = withValue(sent, filter, rangeFor(args[filter], moment));
  return sent;
}

/**
 * The text of `sent`, made of that of `args`: where a number took the place of a tag at their end, all
 * else stays as the client wrote it. Undefined where it has to be written anew.
 */
export function sentText(
  definition: Definition,
  { args, sent, text }: SentOptions,
): string | undefined {
  if (sent === args || text === undefined) return text;
  const { block, call } = definition.places;
  const tag = valueAt(args, block);
  const number = valueAt(sent, block);
  const isAlone = block === args.length - 1 && (call < 0 || args[call] === sent[call]);
  if (!isAlone || typeof tag !== "string" || typeof number !== "string") return undefined;
  return `${text.slice(0, -`"${tag}"]`.length)}"${number}"]`;
}

type SentOptions = {
  readonly args: readonly JsonValue[];
  /** The params as `sentArgs` made them. */
  readonly sent: readonly JsonValue[];
  /** The text of `args`, exactly as `encode` would write it. */
  readonly text: string | undefined;
};

/** At a place that may be nowhere: an array is not asked for -1, which is slow. */
function valueAt(args: readonly JsonValue[], place: number): JsonValue | undefined {
  return place < 0 ? undefined : args[place];
}

/** The params with this value there: themselves where it is there already. */
function withValue(
  args: readonly JsonValue[],
  place: number,
  value: JsonValue,
): readonly JsonValue[] {
  if (args[place] === value) return args;
  const changed = [...args];
  changed[place] = value;
  return changed;
}

function summary(definition: Definition, { last, tagged }: NamedBlocks, head: number): Resolution {
  const number = last === undefined ? -1 : last.number;
  const future = number > head;
  return {
    block: future ? -1 : number,
    named: number,
    depth: definition.state && number >= 0 ? Math.max(head - number, 0) : -1,
    tagged,
    exists: definition.lookup === "block" && number >= 0 && !future && last?.text !== "pending",
    future,
  };
}

function nameBlock(value: JsonValue | undefined, moment: Moment, named: NamedBlocks): void {
  if (value instanceof Map) nameHash(value.get("blockHash"), moment, named);
  const found = typeof value === "string" ? resolveTag(value, moment) : undefined;
  if (found !== undefined) named.add(found);
}

/** The value that is sent in its place: a number is itself. */
function textFor(value: JsonValue | undefined, moment: Moment): JsonValue {
  if (typeof value === "string" && value.startsWith("0x")) return value;
  const found = typeof value === "string" ? resolveTag(value, moment) : undefined;
  return found?.text ?? value ?? null;
}

function nameHash(value: JsonValue | undefined, moment: Moment, named: NamedBlocks): void {
  const number = typeof value === "string" ? moment.found.get(value) : undefined;
  if (number !== undefined) named.add({ number, text: value ?? null, isTag: false });
}

/** A bound that a filter leaves out means the head (go-ethereum 1.17). */
function nameRange(value: JsonValue | undefined, moment: Moment, named: NamedBlocks): void {
  if (!(value instanceof Map)) return;
  if (value.has("blockHash")) nameHash(value.get("blockHash"), moment, named);
  else for (const end of ENDS) nameBlock(value.get(end) ?? "latest", moment, named);
}

/** The words of go-ethereum 1.17 for a range that does not lie on the chain; `pending` is left to nodes. */
function rangeFault(
  filter: JsonValue | undefined,
  { first, last }: NamedBlocks,
  head: number,
): RpcError | undefined {
  if (first === undefined || last === undefined) return undefined;
  if (!(filter instanceof Map) || filter.has("blockHash")) return undefined;
  if (first.text === "pending" || last.text === "pending") return undefined;
  const isOrdered = first.number <= last.number;
  if (isOrdered && last.number <= head) return undefined;
  const words = isOrdered
    ? "block range extends beyond current head block"
    : "invalid block range params";
  const want = `want fromBlock up to toBlock, and toBlock up to the head, 0x${head.toString(16)}`;
  return { name: "invalid_params", message: `${words}; ${want}` };
}

/** Both ends are sent as numbers. */
function rangeFor(value: JsonValue | undefined, moment: Moment): JsonValue {
  if (!(value instanceof Map) || value.has("blockHash")) return value ?? null;
  const filter = new Map(value);
  for (const end of ENDS) filter.set(end, textFor(value.get(end) ?? "latest", moment));
  return filter;
}

/** A tag or number as a number; undefined where no node has such a block. */
function resolveTag(text: string, moment: Moment): Named | undefined {
  switch (text) {
    case "latest":
      return numbered(moment.head);
    case "earliest":
      return numbered(0);
    case "pending":
      return { number: moment.head, text, isTag: false };
    case "safe":
    case "finalized": {
      const number = moment.found.get(text);
      return number === undefined ? undefined : numbered(number);
    }
    default:
      return { number: quantityOf(text), text, isTag: false };
  }
}

/** A quantity of this length fits a double exactly. */
const EXACT_CHARS = 14;

/** Digit by digit: `Number` of a hexadecimal text is a call out of JavaScript. */
function quantityOf(text: string): number {
  if (text.length > EXACT_CHARS) return Number(text);
  let number = 0;
  for (let at = 2; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    // A letter's lower five bits count from 1, and a is ten.
    number = number * 16 + (code & 0x0f) + (code > 0x39 ? 9 : 0);
  }
  return number;
}

function numbered(number: number): Named {
  return { number, text: `0x${number.toString(16)}`, isTag: true };
}

/** The specification, "Limits": archive requests are unavailable on such a network. */
export function outside(window: number): RpcError {
  return {
    name: "archive_unavailable",
    message: `archive requests are not available on this network: only the latest ${window} blocks are served`,
  };
}
