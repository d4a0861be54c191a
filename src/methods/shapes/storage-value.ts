import { paddedWord } from "./edit.ts";
import type { Shape } from "./shape.ts";

/** Quotes, `0x` and 64 digits: a longer text needs no padding and is not looked at. */
const WORD_JSON_BYTES = 68;

/**
 * A storage value: hexadecimal, padded to 32 bytes (ganache gives `0x` for an empty slot). A value
 * that is longer, or no hexadecimal string, is passed as it is.
 */
export const storageValue: Shape = (result) => {
  if (result.length >= WORD_JSON_BYTES) return [result];
  const padded = paddedWord(result.toString("latin1").trim());
  return [padded === undefined ? result : Buffer.from(padded, "latin1")];
};
