/** Parameters that are one value: address, hash, index, flag, bytes. */
import type { Param } from "../definition.ts";
import { boolean, bytes, fixedBytes, goValue, quantity } from "./decode.ts";
import { ADDRESS_EXAMPLE, BLOCK_HASH_EXAMPLE, TRANSACTION_HASH_EXAMPLE } from "./examples.ts";

const ADDRESS = goValue("common.Address");
const HASH = goValue("common.Hash");
const INDEX = goValue("hexutil.Uint");
const FLAG = goValue("bool");
const BYTES = goValue("hexutil.Bytes");

/** The 20 bytes of an account. EIP-55 checksums are not verified: nodes do not either. */
export const address: Param = Object.freeze({
  name: "address",
  want: "an address: 0x and 40 hexadecimal digits",
  role: "contract",
  required: true,
  example: ADDRESS_EXAMPLE,
  check: (value) => fixedBytes(value, 20, ADDRESS),
});

/** The 32 bytes of a block's or a transaction's hash. */
export const hash = (name: "block hash" | "transaction hash"): Param =>
  Object.freeze({
    name,
    want: `a ${name}: 0x and 64 hexadecimal digits`,
    ...(name === "block hash" && { role: "block-hash" as const }),
    required: true,
    example: name === "block hash" ? BLOCK_HASH_EXAMPLE : TRANSACTION_HASH_EXAMPLE,
    check: (value) => fixedBytes(value, 32, HASH),
  });

/** The place of a transaction or an uncle in its block; any quantity, see `isBeyondBlocks`. */
export const index: Param = Object.freeze({
  name: "index",
  want: 'an index as a quantity, such as "0x0"',
  required: true,
  example: "0x0",
  check: (value) => quantity(value, 256, INDEX),
});

/** Whether a checked index is 2^32 or more: no block holds as many, and some nodes refuse it. */
export const isBeyondBlocks = (checkedIndex: unknown): boolean =>
  typeof checkedIndex === "string" && checkedIndex.length > "0xffffffff".length;

export const flag = (name: string): Param =>
  Object.freeze({
    name,
    want: "true (whole transactions) or false (their hashes)",
    required: true,
    example: false,
    check: (value) => boolean(value, FLAG),
  });

export const data: Param = Object.freeze({
  name: "data",
  want: "bytes: 0x and an even number of hexadecimal digits",
  required: true,
  example: "0x68656c6c6f",
  check: (value) => bytes(value, BYTES),
});
