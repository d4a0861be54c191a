import { base58 } from "@scure/base";
import type { Random } from "../lib/random.ts";

/** 64 bits: a million ids share none, and people can still read one out. */
const ID_BYTES = 8;

/** Accounts, keys, members, API tokens, entries of the audit log, and deliveries of alerts. */
export type IdKind = "acc" | "key" | "mem" | "tok" | "aud" | "del";

/** A new public id, such as `key_3fGhK9mNpQ2`: it names, and grants nothing. */
export function createId(kind: IdKind, random: Random): string {
  return `${kind}_${base58.encode(random(ID_BYTES))}`;
}
