/**
 * Reads values as go-ethereum 1.17 decodes them (common/hexutil, encoding/json), in its words for
 * what is wrong. Where it is more lenient than other nodes (`0X`, an empty quantity), theirs holds.
 */
import { type JsonValue, kindOf } from "../../jsonrpc/value.ts";
import { ParamFault } from "./param-fault.ts";

const HEX = /^0x[0-9a-fA-F]*$/;

/** Where Go's decoder puts a value; its errors name the place and the type. */
export type Target = { readonly into: string; readonly type: string };

export const goValue = (type: string): Target => ({ into: `Go value of type ${type}`, type });

export const goField = (field: string, type: string): Target => ({
  into: `Go struct field ${field} of type ${type}`,
  type,
});

/** The fault of a value of the wrong kind; `what` is what it is instead. */
export function cannotUnmarshal(what: string, target: Target): ParamFault {
  return new ParamFault(`json: cannot unmarshal ${what} into ${target.into}`);
}

const LOWER_HEX = /^0x[0-9a-f]*$/;

/** Whether the text is `0x` and hexadecimal digits alone. Linear in its length. */
export const isHex = (text: string): boolean => HEX.test(text);

const [ZERO, NINE, X, A, F] = [0x30, 0x39, 0x78, 0x61, 0x66];
const MOST_CHARS = 17;

/** Whether it is a number of at most 60 bits as all write it: in lower case, no digit too many. */
export function isCanonicalQuantity(text: string): boolean {
  const { length } = text;
  if (length < 3 || length > MOST_CHARS) return false;
  if (text.charCodeAt(0) !== ZERO || text.charCodeAt(1) !== X) return false;
  if (text.charCodeAt(2) === ZERO) return length === 3;
  for (let at = 2; at < length; at += 1) {
    const code = text.charCodeAt(at);
    if (!((code >= ZERO && code <= NINE) || (code >= A && code <= F))) return false;
  }
  return true;
}

/** The hex in lower case, as most is already: looking is cheaper than making another string. */
function lowerHex(text: string): string | undefined {
  if (LOWER_HEX.test(text)) return text;
  return HEX.test(text) ? text.toLowerCase() : undefined;
}

/** hexutil.UnmarshalFixedJSON: exactly `sizeBytes` bytes. Returns them in lower case. */
export function fixedBytes(value: JsonValue, sizeBytes: number, target: Target): string {
  if (typeof value !== "string") throw cannotUnmarshal("non-string", target);
  const hex = value.length === 2 + 2 * sizeBytes ? lowerHex(value) : undefined;
  if (hex !== undefined) return hex;
  const digits = value === "" ? 0 : value.length - 2;
  if (value !== "" && !value.startsWith("0x")) {
    throw cannotUnmarshal("hex string without 0x prefix", target);
  }
  if (digits % 2 !== 0) throw cannotUnmarshal("hex string of odd length", target);
  if (digits === 2 * sizeBytes) throw cannotUnmarshal("invalid hex string", target);
  throw new ParamFault(`hex string has length ${digits}, want ${2 * sizeBytes} for ${target.type}`);
}

/** hexutil.Bytes: any number of whole bytes, as they are written; the empty string is none, as in Go. */
export function bytes(value: JsonValue, target: Target): string {
  if (typeof value !== "string") throw cannotUnmarshal("non-string", target);
  if (value === "") return "0x";
  if (!value.startsWith("0x")) throw cannotUnmarshal("hex string without 0x prefix", target);
  if (value.length % 2 !== 0) throw cannotUnmarshal("hex string of odd length", target);
  if (!HEX.test(value)) throw cannotUnmarshal("invalid hex string", target);
  return value;
}

/** hexutil.Uint64 (64) and hexutil.Big (256): a quantity of at most so many bits. */
export function quantity(value: JsonValue, bits: 8 | 64 | 256, target: Target): string {
  if (typeof value !== "string") throw cannotUnmarshal("non-string", target);
  const fault = numberFault(value);
  if (fault !== undefined) throw cannotUnmarshal(fault, target);
  if (value.length - 2 > bits / 4) throw cannotUnmarshal(`hex number > ${bits} bits`, target);
  const hex = lowerHex(value);
  if (hex === undefined) throw cannotUnmarshal("invalid hex string", target);
  return hex;
}

/** hexutil's checkNumber: what is wrong with a quantity before its digits are looked at. */
export function numberFault(text: string): string | undefined {
  if (text === "") return "empty hex string";
  if (!text.startsWith("0x")) return "hex string without 0x prefix";
  if (text.length === 2) return 'hex string "0x"';
  if (text.length > 3 && text[2] === "0") return "hex number with leading zero digits";
  return undefined;
}

/** A Go string. */
export function string(value: JsonValue, target: Target): string {
  if (typeof value !== "string") throw cannotUnmarshal(kindOf(value), target);
  return value;
}

/** A Go bool. */
export function boolean(value: JsonValue, target: Target): boolean {
  if (typeof value !== "boolean") throw cannotUnmarshal(kindOf(value), target);
  return value;
}

/** A Go slice, each element read by `element`. */
export function list(
  value: JsonValue,
  target: Target,
  element: (value: JsonValue) => JsonValue,
): JsonValue[] {
  if (!Array.isArray(value)) throw cannotUnmarshal(kindOf(value), target);
  return value.map(element);
}
