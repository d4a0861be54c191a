import type { JsonValue } from "../../jsonrpc/value.ts";
import type { Param } from "../definition.ts";
import { goValue, list, string } from "./decode.ts";
import { ParamFault, quote } from "./param-fault.ts";

const DIGITS = /^[0-9a-fA-F]*$/;
const STRING = goValue("string");
const STRINGS = goValue("[]string");
const MAX_PROOF_KEYS = 1024;

/**
 * A storage key: `0x` is optional, odd length and leading zeros are taken; the faults are the node's
 * whole text (go-ethereum from 1.17.0). Returns it as 32 bytes: anvil and hardhat refuse a short key.
 */
function readKey(value: JsonValue): string {
  const text = string(value, STRING);
  const digits = digitsOf(text);
  if (digits.length > 64) {
    const fault = `storage key too long (want at most 32 bytes): ${quote(text)}`;
    throw new ParamFault(fault, { whole: true });
  }
  if (!DIGITS.test(digits)) {
    throw new ParamFault(`invalid hex in storage key: ${quote(text)}`, { whole: true });
  }
  return padded(digits);
}

/** A checked key as 32 bytes. */
export function storageWord(key: string): string {
  return padded(digitsOf(key));
}

function digitsOf(text: string): string {
  return text.startsWith("0x") ? text.slice(2) : text;
}

function padded(digits: string): string {
  return `0x${digits.toLowerCase().padStart(64, "0")}`;
}

export const storagePosition: Param = Object.freeze({
  name: "position",
  want: 'a storage position of at most 32 bytes, such as "0x0"',
  required: true,
  example: "0x0",
  check: readKey,
});

/** The keys of eth_getProof (EIP-1186), as the client wrote them: the answer repeats them. */
export const storageKeys: Param = Object.freeze({
  name: "storage keys",
  want: "an array of storage positions of at most 32 bytes each",
  required: true,
  example: ["0x0"],
  check: (value) => {
    const keys = list(value, STRINGS, (key) => {
      readKey(key);
      return key;
    });
    if (keys.length > MAX_PROOF_KEYS) {
      const fault = `too many storage keys requested (max ${MAX_PROOF_KEYS}, got ${keys.length})`;
      throw new ParamFault(fault, { whole: true });
    }
    return keys;
  },
});
