import { READ_BUFFER, readPart } from "../../../src/wire/bytes/read-buffer.ts";
import { readHead } from "../../../src/wire/server/plain-head.ts";
import { demandEqual } from "../demand.ts";
import { NodeHttpReader, POST, valuesOf } from "../http-parser.ts";

const LOOKED_AT = [
  ...["host", "content-length", "connection", "content-type", "x-request-id"],
  ...["origin", "user-agent", "x-forwarded-for", "x-min-block", "accept-encoding"],
];
const MEANS_MORE = [
  ...["transfer-encoding", "content-encoding", "expect", "upgrade", "te", "trailer"],
  ...["proxy-connection", "http2-settings"],
];

/** Beside the names of headers. */
const OTHER_WORDS = [
  ...[
    "POST /",
    "GET /",
    "/net/v3/abc",
    " HTTP/1.1",
    " HTTP/1.0",
    "\r\n",
    "\r\n\r\n",
    "\n",
    ": ",
    ":",
  ],
  ...["keep-alive", "close", "chunked", "0", "2", "7", "5242880", "9999999", "application/json"],
];
export const WORDS = [...LOOKED_AT, ...MEANS_MORE, ...OTHER_WORDS];

/** What the plain wire takes for the head of a request is one for node:http, and says the same. */
export function fuzz(data: Buffer): void {
  const size = data.copy(READ_BUFFER);
  const head = readHead(readPart(0, size));
  const copied = readHead(data);
  demandEqual(copied?.sizeBytes, head?.sizeBytes, "the head of a copy");
  if (head === undefined) return;
  const { sizeBytes } = head;

  const other = new NodeHttpReader("request");
  other.read(data.subarray(0, sizeBytes - 1));
  demandEqual(other.messages.length, 0, "the heads that ended before");
  demandEqual(other.read(data.subarray(sizeBytes - 1, sizeBytes)), true, "whether it is a head");
  const [parsed] = other.messages;
  if (parsed === undefined) throw new Error("node:http sees no end of the head");
  demandEqual(head.target, parsed.target, "the target");
  demandEqual(POST, parsed.method, "the method");
  demandEqual(true, parsed.persists, "whether the connection persists");
  demandEqual(false, parsed.isUpgrade, "whether it asks for an upgrade");
  demandEqual(head.bodyBytes === 0, parsed.isWhole, "whether a body comes");
  for (const name of LOOKED_AT) {
    const [value, ...more] = valuesOf(parsed, name);
    demandEqual(head.header(name), value, `the header ${name}`);
    demandEqual(more.length, 0, `how often ${name} is there`);
  }
  for (const name of MEANS_MORE) demandEqual(valuesOf(parsed, name).length, 0, name);
  demandEqual(String(head.bodyBytes), String(Number(head.header("content-length"))), "the length");

  demandEqual(head.isAtStartOf(readPart(0, size)), true, "whether it is what was read");
  demandEqual(head.isAtStartOf(data), true, "whether it is at the start of a copy");
  const changed = ((data[data.length - 1] ?? 0) * sizeBytes) >> 8;
  READ_BUFFER[changed] = (READ_BUFFER[changed] ?? 0) ^ 1;
  demandEqual(head.isAtStartOf(readPart(0, size)), false, "whether it is known with another byte");
}
