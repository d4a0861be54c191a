/** The filter of eth_getLogs, as eth/filters of go-ethereum 1.17 reads it. */
import { type JsonObject, type JsonValue, kindOf } from "../../jsonrpc/value.ts";
import type { Param, ParamMember } from "../definition.ts";
import { readBlockNumber } from "./block-number.ts";
import { cannotUnmarshal, goField, goValue, isHex } from "./decode.ts";
import { ADDRESS_EXAMPLE } from "./examples.ts";
import { asObject, checkFields, fieldTable } from "./fields.ts";
import { hashField } from "./go-fields.ts";
import { ParamFault } from "./param-fault.ts";

const FILTER = goValue("filters.input");
const TOPICS = goField("input.topics", "[]interface {}");
/** LOG4 has four topics. */
const MAX_TOPICS = 4;
const MAX_ALTERNATIVES = 1000;
/** Of a subscription, which is held against each block. */
const MAX_ADDRESSES = 1000;

/** hexutil.Decode of an address or a topic; returns what is wrong, undefined for nothing. */
function fixedFault(text: string, sizeBytes: number, what: string): string | undefined {
  if (text === "") return "empty hex string";
  if (!text.startsWith("0x")) return "hex string without 0x prefix";
  if (!isHex(text)) return "invalid hex string";
  if (text.length % 2 !== 0) return "hex string of odd length";
  const length = (text.length - 2) / 2;
  if (length === sizeBytes) return undefined;
  return `hex has invalid length ${length} after decoding; expected ${sizeBytes} for ${what}`;
}

function addressOf(value: string, where: string): string {
  const fault = fixedFault(value, 20, "address");
  if (fault !== undefined) throw new ParamFault(`invalid address${where}: ${fault}`);
  return value.toLowerCase();
}

function addresses(value: JsonValue): JsonValue {
  if (typeof value === "string") return addressOf(value, "");
  if (!Array.isArray(value)) throw new ParamFault("invalid addresses in query");
  return value.map((element, index) => {
    if (typeof element !== "string") throw new ParamFault(`non-string address at index ${index}`);
    return addressOf(element, ` at index ${index}`);
  });
}

function topic(value: JsonValue): JsonValue {
  if (typeof value !== "string") throw new ParamFault("invalid topic(s)");
  const fault = fixedFault(value, 32, "topic");
  if (fault !== undefined) throw new ParamFault(fault);
  return value.toLowerCase();
}

/** One place: a topic, alternatives, or null for any; null among alternatives makes it any. */
function topicPlace(value: JsonValue): JsonValue {
  if (value === null) return null;
  if (!Array.isArray(value)) return topic(value);
  if (value.length > MAX_ALTERNATIVES) throw new ParamFault("exceed max topics");
  const any = value.includes(null);
  const alternatives = value.filter((element) => element !== null).map(topic);
  return any ? null : alternatives;
}

function topics(value: JsonValue): JsonValue {
  if (!Array.isArray(value)) throw cannotUnmarshal(kindOf(value), TOPICS);
  if (value.length > MAX_TOPICS) throw new ParamFault("exceed max topics");
  return value.map(topicPlace);
}

const FIELDS = fieldTable({
  blockHash: hashField("input.blockHash"),
  fromBlock: readBlockNumber,
  toBlock: readBlockNumber,
  address: addresses,
  topics,
});

function checkRange(filter: JsonObject): void {
  const from = filter.get("fromBlock");
  const to = filter.get("toBlock");
  if (filter.has("blockHash") && (from !== undefined || to !== undefined)) {
    throw new ParamFault(
      "cannot specify both BlockHash and FromBlock/ToBlock, choose one or the other",
    );
  }
  if (isNumber(from) && isNumber(to) && BigInt(from) > BigInt(to)) {
    throw new ParamFault("invalid block range params", { whole: true });
  }
}

const BLOCK_WANT = "a block number, or latest, earliest, pending, safe or finalized";
const WHAT: readonly ParamMember[] = Object.freeze([
  { name: "address", want: "the address of a contract; of several, an array" },
  { name: "topics", want: "an array of up to four topics, null for any" },
]);
const MEMBERS: readonly ParamMember[] = Object.freeze([
  { name: "fromBlock", want: BLOCK_WANT, role: "block" },
  { name: "toBlock", want: BLOCK_WANT, role: "block" },
  ...WHAT,
  { name: "blockHash", want: "a block hash, in place of the two blocks" },
]);

/** The filter of a subscription tells of blocks to come: its range is read and has no meaning, as in go-ethereum. */
export const logCriteria: Param = Object.freeze({
  name: "filter",
  want: "an object with any of the keys address or topics, or null for all logs",
  role: "filter",
  required: true,
  example: { address: ADDRESS_EXAMPLE },
  members: WHAT,
  check: (value, { unknownKeys }) => {
    if (value === null) return new Map();
    const filter = checkFields(asObject(value, FILTER), FIELDS, unknownKeys);
    if (filter.has("blockHash")) {
      throw new ParamFault("a subscription is to blocks to come, not to one with a blockHash");
    }
    const named = filter.get("address");
    if (Array.isArray(named) && named.length > MAX_ADDRESSES) {
      throw new ParamFault(`exceed max addresses: ${MAX_ADDRESSES}`);
    }
    return filter;
  },
});

/**
 * Of a filter that tells of blocks to come, as go-ethereum's `SubscribeLogs` takes it: from the head on, from a block
 * on, or a range of blocks.
 * @throws ParamFault
 */
export function requireFilterRange(filter: JsonObject): void {
  const [from, to] = ["fromBlock", "toBlock"].map((key) => filter.get(key) ?? "latest");
  if (from === "pending" || to === "pending") {
    throw new ParamFault("pending logs are not supported");
  }
  const isBlock = (block: JsonValue | undefined): boolean =>
    block === "earliest" || isNumber(block);
  const isOpen = to === "latest" && (from === "latest" || isBlock(from));
  if (isOpen || (isBlock(from) && isBlock(to))) return;
  throw new ParamFault("invalid block range params");
}

const isNumber = (block: JsonValue | undefined): block is string =>
  typeof block === "string" && block.startsWith("0x");

export const logFilter: Param = Object.freeze({
  name: "filter",
  want: "an object with any of the keys fromBlock, toBlock, address, topics or blockHash (instead of the two blocks)",
  role: "filter",
  required: true,
  example: { fromBlock: "latest", toBlock: "latest" },
  members: MEMBERS,
  check: (value, { unknownKeys }) => {
    const filter = checkFields(asObject(value, FILTER), FIELDS, unknownKeys);
    checkRange(filter);
    return filter;
  },
});
