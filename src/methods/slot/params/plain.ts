/** Parameters that are one value, or a list of one kind. */
import type { Param } from "../../definition.ts";
import { hash, pubkey, signature } from "./keys.ts";
import { list, type Reader, string, unsigned } from "./serde.ts";

const plain = (name: string, want: string, check: Reader): Param =>
  Object.freeze({ name, want, required: true, check } satisfies Param);

export const slot: Param = Object.freeze({
  name: "slot",
  want: "an integer from 0 to 2^64-1",
  role: "slot",
  required: true,
  check: unsigned("u64"),
} satisfies Param);

/** A slot that says where a list begins: the method asks for no block there. */
export const startSlot: Param = plain("start slot", "an integer", unsigned("u64"));

export const byteCount: Param = plain("length", "a number of bytes", unsigned("usize"));

export const address: Param = plain("address", "an address: 32 bytes in base58", pubkey);

export const transactionSignature: Param = plain(
  "signature",
  "a signature: 64 bytes in base58",
  signature,
);

export const blockhash: Param = plain("blockhash", "a hash: 32 bytes in base58", hash);

/** The limits are agave's (rpc-client-api/src/request.rs). */
export const addresses: Param = plain("addresses", "up to 100 addresses", list(pubkey, 100));

export const signatures: Param = plain("signatures", "up to 256 signatures", list(signature, 256));

/** The accounts whose locks a transaction pays for; a transaction locks at most 128. */
export const lockedAccounts: Param = Object.freeze({
  ...plain("addresses", "up to 128 addresses", list(pubkey, 128)),
  required: false,
} satisfies Param);

/** A transaction or a message in the wire format, in base58 or base64: the node reads it. */
export const wireData = (name: "transaction" | "message"): Param =>
  plain(name, `a ${name} in the wire format`, string);
