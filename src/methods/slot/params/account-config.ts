/** The configs of the methods that read accounts, and the filters that choose some. */
import type { JsonValue } from "../../../jsonrpc/value.ts";
import type { Param } from "../../definition.ts";
import { context } from "./commitment.ts";
import { config } from "./config.ts";
import { isBase58, pubkey } from "./keys.ts";
import { boolean, list, oneOf, type Reader, string, struct, tagged, unsigned } from "./serde.ts";
import { SerdeFault, within } from "./serde-fault.ts";

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
/** rpc-client-types/src/filter.rs: 128 bytes in each encoding. */
const MOST = { base58: 175, base64: 172, bytes: 128 } as const;
const MOST_FILTERS = 4;

/** Accounts keep `binary`, base58 without its name beside it, which old clients ask for. */
export const ACCOUNT_ENCODINGS = ["binary", "base58", "base64", "base64+zstd", "jsonParsed"];

const dataSlice = struct({
  name: "UiDataSliceConfig",
  fields: { length: unsigned("usize"), offset: unsigned("usize") },
  required: ["offset", "length"],
});

const accountFields = { ...context, dataSlice, encoding: oneOf(ACCOUNT_ENCODINGS) };

export const accountConfig: Param = config({ name: "RpcAccountInfoConfig", fields: accountFields });

const memcmpFields = struct({
  name: "Memcmp",
  fields: {
    bytes: (value) => (Array.isArray(value) ? list(unsigned("u8"))(value) : string(value)),
    encoding: oneOf(["base58", "base64", "bytes"]),
    offset: unsigned("usize"),
  },
  required: ["offset", "bytes"],
});

/** Bytes that stand at an offset of an account's data. */
const memcmp: Reader = (value) => {
  const read = memcmpFields(value);
  within("bytes", () => checkBytes(read.get("bytes"), read.get("encoding")));
  return read;
};

function checkBytes(bytes: JsonValue | undefined, encoding: JsonValue | undefined): void {
  const kind = Array.isArray(bytes) ? "bytes" : encoding === "base64" ? "base64" : "base58";
  const length = Array.isArray(bytes) || typeof bytes === "string" ? bytes.length : 0;
  const fault = (word: string, hint: string) =>
    new SerdeFault(`Invalid param: ${word}`, { whole: true, hint });
  if (length > MOST[kind]) throw fault("DataTooLarge", "at most 128 bytes");
  if (typeof bytes !== "string") return;
  if (kind === "base64" && !(BASE64.test(bytes) && bytes.length % 4 === 0)) {
    throw fault("Base64DecodeError", "bytes in base64");
  }
  if (kind === "base58" && !isBase58(bytes)) throw fault("Base58DecodeError", "bytes in base58");
}

const filter = tagged({ dataSize: unsigned("u64"), memcmp }, ["tokenAccountState"]);

const filters: Reader = (value) => {
  const read = list(filter)(value);
  if (read.length > MOST_FILTERS) {
    throw new SerdeFault(`Too many filters provided; max ${MOST_FILTERS}`, { whole: true });
  }
  return read;
};

export const programAccountsConfig: Param = config({
  name: "RpcProgramAccountsConfig",
  fields: { ...accountFields, filters, sortResults: boolean, withContext: boolean },
});

/** Which of an owner's token accounts: those of a mint, or of one of the two token programs. */
export const tokenFilter: Param = Object.freeze({
  name: "filter",
  want: "an object with one of the keys mint or programId, an address",
  required: true,
  example: { programId: "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA" },
  check: tagged({ mint: pubkey, programId: pubkey }),
} satisfies Param);
