import type { Mutation } from "../support/mutations.ts";
import type { Fuzzer } from "./bundle.ts";

/** A fault in what a fuzzer runs. */
export type FuzzedMutation = Mutation & { readonly fuzzer: Fuzzer };

const HEAD = "src/wire/server/plain-head.ts";
const FRAMES = "src/wire/server/websocket-frames.ts";
const READER = "src/jsonrpc/json-reader.ts";
const VALUE = "src/lib/json-value.ts";
const HTTP = "src/wire/client";
const LEDGER = "src/block-files";

/** Faults that the fuzzers have to find. */
export const MUTATIONS: readonly FuzzedMutation[] = [
  {
    ...{ fuzzer: "plain-head", name: "a header may be there twice", file: HEAD },
    from: "place === ODD_PLACE || spans[2 * place + 1] !== 0",
    to: "place === ODD_PLACE",
  },
  {
    ...{ fuzzer: "plain-head", name: "a transfer coding is overlooked", file: HEAD },
    ...{ from: '"transfer-encoding", ', to: "" },
  },
  {
    ...{ fuzzer: "plain-head", name: "a head is known by its whole words alone", file: HEAD },
    ...{ from: "let at = words.length * WORD_BYTES;", to: "let at = own.length;" },
  },
  {
    ...{ fuzzer: "plain-head", name: "a header's name may have spaces" },
    ...{
      file: "src/wire/bytes/header-line.ts",
      from: "tableOf(/[\\w-]/)",
      to: "tableOf(/[\\w -]/)",
    },
  },
  {
    ...{ fuzzer: "websocket-frames", name: "the mask is of three bytes", file: FRAMES },
    ...{ from: "(at - from) & 3", to: "(at - from) % 3" },
  },
  {
    ...{ fuzzer: "websocket-frames", name: "a text may be no UTF-8", file: FRAMES },
    ...{ from: "!isUtf8(payload)", to: "payload.length > 4096" },
  },
  {
    ...{ fuzzer: "websocket-frames", name: "a message overtakes what the library reads" },
    ...{ file: FRAMES, from: "isMine &&= isNew", to: "isMine = isNew" },
  },
  {
    ...{ fuzzer: "websocket-frames", name: "a fragment is taken for a message", file: FRAMES },
    ...{ from: "byteOf(bytes, at) ^ FIN", to: "byteOf(bytes, at) & OPCODE_BITS" },
  },
  {
    ...{ fuzzer: "node-response", name: "a chunk's size goes on behind a space" },
    ...{ file: `${HTTP}/chunk-reader.ts`, from: '"padding" : undefined', to: '"size" : undefined' },
  },
  {
    ...{ fuzzer: "node-response", name: "two lengths may differ" },
    ...{ file: `${HTTP}/response-head.ts`, from: "this.#areContradictory = true", to: "return" },
  },
  {
    ...{ fuzzer: "node-response", name: "two lengths may differ where the head is usual" },
    ...{ file: `${HTTP}/plain-response.ts`, from: "if (body >= 0) return undefined;", to: "" },
  },
  {
    ...{ fuzzer: "node-response", name: "a body in pieces takes more than its length" },
    ...{
      file: `${HTTP}/response-reader.ts`,
      from: "head.body - this.#body.size)",
      to: "head.body)",
    },
  },
  {
    ...{ fuzzer: "json-text", name: "a number ends before a capital E", file: READER },
    ...{ from: " || code === 0x45 ?", to: " ?" },
  },
  {
    ...{ fuzzer: "json-text", name: "a number may begin with zeros", file: VALUE },
    ...{ from: "json[at] === ZERO ? at + 1 : digitsEnd(json, at)", to: "digitsEnd(json, at)" },
  },
  {
    ...{ fuzzer: "json-text", name: "a backslash is overlooked within a word", file: VALUE },
    ...{ from: "(low | backslash | word)", to: "(low | word)" },
  },
  {
    ...{ fuzzer: "json-text", name: "a key is found within a string" },
    ...{
      file: "src/lib/json-scan.ts",
      from: "if (json.includes(BACKSLASH))",
      to: "if (first < 0)",
    },
  },
  {
    ...{ fuzzer: "block-file", name: "a length may be written in more bytes than it needs" },
    ...{ file: `${LEDGER}/wire-bytes.ts`, from: "(byte > 0 || shift === 0)", to: "byte >= 0" },
  },
  {
    ...{ fuzzer: "block-file", name: "bytes may follow a transaction" },
    ...{ file: `${LEDGER}/wire-bytes.ts`, from: "if (left > 0)", to: "if (left > 8)" },
  },
  {
    ...{ fuzzer: "block-file", name: "a block's file may hold null" },
    ...{ file: `${LEDGER}/stored-block.ts`, from: "if (!isObject(block))", to: "if (block === 0)" },
  },
  {
    ...{ fuzzer: "block-file", name: "inner instructions may be missing" },
    ...{
      file: `${LEDGER}/encode-block.ts`,
      from: "!Array.isArray(instructions)",
      to: "index === 1",
    },
  },
  {
    ...{ fuzzer: "disk-record", name: "a digest is not looked at" },
    file: "src/cache/disk-record.ts",
    from: "if (digestWithKey(buffer, end, expected) !== digest)",
    to: 'if (digestWithKey(buffer, end, expected) === "")',
  },
  {
    ...{ fuzzer: "disk-record", name: "only the first byte of a digest is looked at" },
    file: "src/cache/disk-record.ts",
    from: "if (digestWithKey(buffer, end, expected) !== digest)",
    to: "if (digestWithKey(buffer, end, expected)[0] !== digest[0])",
  },
];
