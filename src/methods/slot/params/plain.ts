/** Parameters that are one value, or a list of one kind. */
import type { Param, ParamExample } from "../../definition.ts";
import { hash, pubkey, signature } from "./keys.ts";
import { list, type Reader, string, unsigned } from "./serde.ts";

/** The program that keeps votes: there is one on every chain. */
export const ADDRESS_EXAMPLE = "Vote111111111111111111111111111111111111111";
/** Bytes that are zero, in base58. */
const zeros = (sizeBytes: number): string => "1".repeat(sizeBytes);
export const SIGNATURE_EXAMPLE = zeros(64);
const SLOT_EXAMPLE = 350_000_000;

/** One that has to be given. */
export const plain = (
  name: string,
  want: string,
  { check, example }: { readonly check: Reader; readonly example?: ParamExample },
): Param =>
  Object.freeze({
    ...{ name, want, required: true, check },
    ...(example !== undefined && { example }),
  } satisfies Param);

export const slot: Param = Object.freeze({
  name: "slot",
  want: "an integer from 0 to 2^64-1",
  role: "slot",
  required: true,
  example: SLOT_EXAMPLE,
  check: unsigned("u64"),
} satisfies Param);

/** A slot that says where a list begins: the method asks for no block there. */
export const startSlot: Param = plain("start slot", "an integer", {
  check: unsigned("u64"),
  example: SLOT_EXAMPLE,
});

/** A slot of which the node knows something by itself. */
export const anySlot: Param = plain("slot", "an integer", {
  check: unsigned("u64"),
  example: SLOT_EXAMPLE,
});

export const byteCount: Param = plain("length", "a number of bytes", {
  check: unsigned("usize"),
  example: 200,
});

export const address: Param = plain("address", "an address: 32 bytes in base58", {
  check: pubkey,
  example: ADDRESS_EXAMPLE,
});

export const transactionSignature: Param = plain("signature", "a signature: 64 bytes in base58", {
  check: signature,
  example: SIGNATURE_EXAMPLE,
});

export const blockhash: Param = plain("blockhash", "a hash: 32 bytes in base58", {
  check: hash,
  example: zeros(32),
});

/** The limits are agave's (rpc-client-api/src/request.rs). */
export const addresses: Param = plain("addresses", "up to 100 addresses", {
  check: list(pubkey, 100),
  example: [ADDRESS_EXAMPLE],
});

/** As many as a message has room for: nodes have no limit of their own. */
export const anyAddresses: Param = plain("addresses", "a list of addresses", {
  check: list(pubkey),
  example: [ADDRESS_EXAMPLE],
});

export const signatures: Param = plain("signatures", "up to 256 signatures", {
  check: list(signature, 256),
  example: [SIGNATURE_EXAMPLE],
});

/** The accounts whose locks a transaction pays for; a transaction locks at most 128. */
export const lockedAccounts: Param = Object.freeze({
  ...plain("addresses", "up to 128 addresses", { check: list(pubkey, 128) }),
  required: false,
} satisfies Param);

/** A transaction or a message in the wire format, in base58 or base64: the node reads it. */
export const wireData = (name: "transaction" | "message"): Param =>
  plain(name, `a ${name} in the wire format`, { check: string, example: WIRE_EXAMPLES[name] });

/** Without instructions, of a payer that nobody has: the message in base64, its transaction in base58. */
const WIRE_EXAMPLES = {
  message:
    "AQABAgEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
  transaction:
    "4smDpCXsnHgmoapt2q3Hx3gdVHty7Vta81VAZYPSmzNSHXjtvyfJu4qz1WMHCx2MVXACDb6QY6B1V7CD2u9bgVEGWjqi5aWMJrojssrfHfrXynFX1vuuKYQHGhG1UivADXfZ7aW5fsEqqbeqFer6ZKh9TMAD86zNnWNXWuCP5pw387Ko4po9ZuT8R6Nj13mQgVzCuh7m4cPbV6Em6QDcPy1u5SJ1XDcifh",
} as const;
