import { createHash, createHmac } from "node:crypto";
import { base58 } from "@scure/base";
import type { Random } from "../lib/random.ts";

/**
 * A mark and the base58 form of 21 bytes: a constant one, 128 random bits, and the first four bytes
 * of the SHA-256 of those 17. docs/keys.md says the same for people.
 */
const KEY_MARK = "tg_";
/** Of the tokens for the dashboard's API: neither can be taken for the other. */
const TOKEN_MARK = "tgt_";
/** Not zero, so that all have the same length, and a key begins with `tg_6`. */
const LEAD = 0x54;
const RANDOM_BYTES = 16;
const CHECKSUM_BYTES = 4;
const DIGITS = 29;
const PREFIX_LENGTH = 8;

export function createApiKey(random: Random): string {
  return createSecret(KEY_MARK, random);
}

export function createApiToken(random: Random): string {
  return createSecret(TOKEN_MARK, random);
}

/** Whether the text can be a key at all: a mistyped one is refused without asking the store. */
export function isApiKey(text: string): boolean {
  return isSecret(KEY_MARK, text);
}

/** The same of a token for the dashboard's API. */
export function isApiToken(text: string): boolean {
  return isSecret(TOKEN_MARK, text);
}

function createSecret(mark: string, random: Random): string {
  const body = Buffer.concat([Buffer.of(LEAD), random(RANDOM_BYTES)]);
  return mark + base58.encode(Buffer.concat([body, checksum(body)]));
}

function isSecret(mark: string, text: string): boolean {
  if (text.length !== mark.length + DIGITS || !text.startsWith(mark)) return false;
  let bytes: Uint8Array;
  try {
    bytes = base58.decode(text.slice(mark.length));
  } catch {
    return false;
  }
  if (bytes.length !== 1 + RANDOM_BYTES + CHECKSUM_BYTES || bytes[0] !== LEAD) return false;
  const body = bytes.subarray(0, 1 + RANDOM_BYTES);
  return checksum(body).equals(bytes.subarray(body.length));
}

/**
 * The text that is stored in the place of a key or token, hex: SHA-256 of its text, or HMAC-SHA-256 where `keys.pepper` is
 * set. A slow hash is not needed: nobody guesses 128 random bits.
 */
export function hashApiKey(key: string, pepper?: string): string {
  const hash = pepper === undefined ? createHash("sha256") : createHmac("sha256", pepper);
  return hash.update(key).digest("hex");
}

/** The first characters, for people: they leave more than 100 bits unknown. */
export function displayPrefix(key: string): string {
  return key.slice(0, PREFIX_LENGTH);
}

function checksum(body: Uint8Array): Buffer {
  return createHash("sha256").update(body).digest().subarray(0, CHECKSUM_BYTES);
}
