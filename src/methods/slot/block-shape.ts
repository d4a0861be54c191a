import type { RpcError } from "../../jsonrpc/errors.ts";
import type { JsonValue } from "../../jsonrpc/value.ts";
import { type Member, scanArray, scanObject } from "../../lib/json-scan.ts";
import { skipSpace } from "../../lib/json-value.ts";
import { type Edit, pieces, removals, replacement, textOf } from "../shapes/edit.ts";
import type { CheckingShape } from "../shapes/shape.ts";
import { highestVersion, mayBreakVersions, versionEdits } from "./versions.ts";

const OPEN_BRACE = 0x7b;
const CLOSE_BRACKET = 0x5d;

/** The parent that the specification gives where the node has cleaned it up. */
const NO_PARENT = `"${"1".repeat(32)}"`;

/** Smaller ones are walked through at once. */
const SMALL_BYTES = 4096;
/** Before the big members stand a few of at most a hundred bytes each. */
const HEAD_BYTES = 1024;
const SCALARS = ["blockHeight", "blockTime", "blockhash", "parentSlot", "previousBlockhash"];
const SCALAR_MEMBER = /"(\w+)":(null|-?\d+|"[^"\\]*"),/y;
const REWARDS = '"rewards":';
const TRANSACTIONS = '"transactions":[';

/** Which of the optional members the call asked for. */
type Asked = { readonly details: JsonValue | undefined; readonly rewards: boolean };

/**
 * A block with what was asked for: `rewards` and `numRewardPartitions` only where they were,
 * `transactions` and `signatures` by the details; a parent's hash always; `version` only where the
 * client named one, and an error for a higher one. The rest is the node's.
 */
export const slotBlock: CheckingShape = (result, _options, args) => {
  if (result[skipSpace(result, 0)] !== OPEN_BRACE) return [result];
  const asked = askedOf(args[1]);
  const highest = highestVersion(args[1]);
  const looksAtVersions = isAsked("transactions", asked) && mayBreakVersions(result, highest);
  if (!looksAtVersions && isSurelyRight(result, asked)) return [result];
  const scanned = scanObject(result);
  if (scanned === undefined) return [result];
  const ofVersions = looksAtVersions ? blockVersionEdits(result, scanned.members, highest) : [];
  if ("name" in ofVersions) return ofVersions;
  return pieces(result, [...edits(result, scanned, asked), ...ofVersions]);
};

/** The edits of all transactions; or the error for the first whose version is too high. */
function blockVersionEdits(
  json: Buffer,
  members: readonly Member[],
  highest: number,
): readonly Edit[] | RpcError {
  const found: Edit[] = [];
  for (const { key, valueStart } of members) {
    const entries = key === "transactions" ? (scanArray(json, valueStart) ?? []) : [];
    for (const { start } of entries) {
      const entry = scanObject(json, start);
      const edits = entry === undefined ? [] : versionEdits(json, entry, highest);
      if ("name" in edits) return edits;
      found.push(...edits);
    }
  }
  return found;
}

function askedOf(config: JsonValue | undefined): Asked {
  const given = config instanceof Map ? config : undefined;
  return {
    details: given?.get("transactionDetails") ?? "full",
    rewards: given?.get("rewards") === true,
  };
}

function isAsked(key: string, { details, rewards }: Asked): boolean {
  switch (key) {
    case "rewards":
    case "numRewardPartitions":
      return rewards;
    case "transactions":
      return details === "full" || details === "accounts";
    case "signatures":
      return details === "signatures";
    default:
      return true;
  }
}

/**
 * Whether a look at the beginning shows that nothing is to be done, which saves the walk through
 * megabytes of transactions. A node that sorts the members by name, as agave does, has none of ours
 * behind the transactions.
 */
function isSurelyRight(json: Buffer, asked: Asked): boolean {
  if (json.length < SMALL_BYTES || !isAsked("transactions", asked)) return false;
  const head = json.toString("latin1", 0, HEAD_BYTES);
  const end = afterScalars(head, asked);
  if (end === undefined) return false;
  if (head.startsWith(TRANSACTIONS, end)) return true;
  if (!asked.rewards || !head.startsWith(REWARDS, end)) return false;
  const after = afterArray(json, end + REWARDS.length);
  if (after === undefined) return false;
  const next = json.toString("latin1", after, after + 1 + TRANSACTIONS.length);
  return next === `,${TRANSACTIONS}`;
}

/** The index after the scalars that every block has; undefined where they are not as agave's. */
function afterScalars(head: string, asked: Asked): number | undefined {
  const missing = new Set(SCALARS);
  let at = head.startsWith("{") ? 1 : head.length;
  for (let last = ""; ; ) {
    SCALAR_MEMBER.lastIndex = at;
    const [member, key = "", value = ""] = SCALAR_MEMBER.exec(head) ?? [];
    if (member === undefined) return missing.size === 0 && last <= "rewards" ? at : undefined;
    const isRight = key !== "previousBlockhash" || hasHash(value);
    if (key <= last || !isRight || !isAsked(key, asked)) return undefined;
    missing.delete(key);
    last = key;
    at += member.length;
  }
}

/** The index after the array that begins at `at`. */
function afterArray(json: Buffer, at: number): number | undefined {
  const elements = scanArray(json, at);
  if (elements === undefined) return undefined;
  const close = skipSpace(json, elements.at(-1)?.end ?? at + 1);
  return json[close] === CLOSE_BRACKET ? close + 1 : undefined;
}

const hasHash = (text: string): boolean => text !== "null" && text !== '""';

function edits(
  json: Buffer,
  { start, members }: { readonly start: number; readonly members: readonly Member[] },
  asked: Asked,
): Edit[] {
  const kept = members.filter(({ key }) => isAsked(key, asked));
  const parents = kept.filter(({ key }) => key === "previousBlockhash");
  const made = [
    ...removals(members, kept),
    ...parents
      .filter((member) => !hasHash(textOf(json, member)))
      .map((member) => replacement(member, NO_PARENT)),
  ];
  if (parents.length > 0) return made;
  const text = `"previousBlockhash":${NO_PARENT}${kept.length === 0 ? "" : ","}`;
  return [{ start: start + 1, end: start + 1, text }, ...made];
}
