import { base58 } from "@scure/base";
import type { Random } from "./api-key.ts";

/** 64 bits: a million ids share none, and people can still read one out. */
const ID_BYTES = 8;

/** A new public id, such as `key_3fGhK9mNpQ2`: it names, and grants nothing. */
export function createId(kind: "acc" | "key", random: Random): string {
  return `${kind}_${base58.encode(random(ID_BYTES))}`;
}
