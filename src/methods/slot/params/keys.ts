import { base58 } from "@scure/base";
import type { JsonValue } from "../../../jsonrpc/value.ts";
import { string } from "./serde.ts";
import { SerdeFault } from "./serde-fault.ts";

const ALPHABET = /^[1-9A-HJ-NP-Za-km-z]*$/;

/** Whether the text is base58 alone. Linear in its length. */
export const isBase58 = (text: string): boolean => ALPHABET.test(text);

/** Bytes in base58, as their `parse` in Rust takes them; `most` characters hold that many bytes. */
function fixed(sizeBytes: number, most: number, what: string): (value: JsonValue) => string {
  const hint = `${what}: ${sizeBytes} bytes in base58`;
  const fault = (word: "WrongSize" | "Invalid") =>
    new SerdeFault(`Invalid param: ${word}`, { whole: true, hint });
  return (value) => {
    const text = string(value);
    if (text.length > most) throw fault("WrongSize");
    if (!isBase58(text)) throw fault("Invalid");
    const { length } = base58.decode(text);
    if (length !== sizeBytes) throw fault(length > sizeBytes ? "Invalid" : "WrongSize");
    return text;
  };
}

export const pubkey = fixed(32, 44, "an address");
export const hash = fixed(32, 44, "a hash");
export const signature = fixed(64, 88, "a signature");
