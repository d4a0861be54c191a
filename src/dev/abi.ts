import { keccak_256 } from "@noble/hashes/sha3.js";

/** An address (`0x…`), an unsigned integer or a text. */
export type AbiValue = string | bigint;

/** `0x` and the calldata of e.g. `transfer(address,uint256)`: selector, then the arguments. */
export function encodeCall(signature: string, values: readonly AbiValue[] = []): string {
  const list = signature.slice(signature.indexOf("(") + 1, -1);
  const types = list === "" ? [] : list.split(",");
  return `0x${keccak(Buffer.from(signature)).slice(0, 8)}${encodeArguments(types, values)}`;
}

/**
 * Arguments by the contract ABI specification, without `0x`: heads, then the tails they point to.
 * Only what the sample contract has: `address`, `uint256` and `string`.
 */
export function encodeArguments(types: readonly string[], values: readonly AbiValue[]): string {
  let heads = "";
  let tails = "";
  for (const [index, value] of values.entries()) {
    if (types[index] === "string") {
      heads += word(types.length * 32 + tails.length / 2);
      tails += text(String(value));
    } else {
      heads += word(value);
    }
  }
  return heads + tails;
}

/** Where a mapping that stands in `slot` keeps the element of `key`, an address. */
export function mappingSlot(key: string, slot: number): string {
  return `0x${keccak(Buffer.from(word(key) + word(slot), "hex"))}`;
}

/** 32 bytes, left-padded, without `0x`. */
export function word(value: string | bigint | number): string {
  return BigInt(value).toString(16).padStart(64, "0");
}

function text(value: string): string {
  const bytes = Buffer.from(value);
  const padded = Math.ceil(bytes.length / 32) * 64;
  return word(bytes.length) + bytes.toString("hex").padEnd(padded, "0");
}

function keccak(bytes: Uint8Array): string {
  return Buffer.from(keccak_256(bytes)).toString("hex");
}
