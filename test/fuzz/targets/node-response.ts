import { seenIn } from "../../support/read-response.ts";
import { demandEqual } from "../demand.ts";
import { NodeHttpReader } from "../http-parser.ts";

/** Of the data, which say where reads end, and whether the connection does. */
const PLAN_BYTES = 3;

/** What RFC 9112 allows and node:http refuses. */
const REFUSED = [
  // 6.3: lengths that are the same.
  /content-length:[ \t]*(\d+)[ \t]*\r[\s\S]*content-length:[ \t]*\1[ \t]*\r/i,
  // 7.1.2: a trailer that says where a body ends is ignored.
  /chunked[\s\S]*\r\n\r\n[\s\S]*(content-length|transfer-encoding|upgrade|connection)/i,
  // 7.1.1: servers that write a size before they know it fill it up with spaces; nobody reads extensions.
  /chunked[\s\S]*\r\n[\da-f]+([ \t]+\r|[ \t]*;[^\r]*\r)/i,
  // 15.2: an interim response has no body, and another one follows, whatever it says.
  /HTTP\/1\.(0 1|1 1\d\d[\s\S]*(connection|content-length|transfer-encoding):)/i,
];

/** A tab behind a coding is white space (5.6.3); node:http does not know the coding then. */
const TAB_BEHIND_CODING = /transfer-encoding:[^\r]*\t\r/i;

export const WORDS = [
  ...[
    "HTTP/1.1 200 OK\r\n",
    "HTTP/1.0 ",
    "HTTP/1.1 100 Continue\r\n\r\n",
    "204",
    "304",
    "500",
    "101",
  ],
  ...[
    "\r\n",
    "\r\n\r\n",
    "\n",
    "0\r\n\r\n",
    "5\r\nhello\r\n",
    "a;x=y\r\n",
    ": ",
    ":",
    " ",
    "\t",
    ",",
  ],
  ...["Content-Length: ", "Transfer-Encoding: ", "chunked", "Connection: ", "close", "keep-alive"],
  ...[
    "Keep-Alive: timeout=5",
    "Retry-After: 1",
    "gzip, chunked",
    "0",
    "5",
    "00005",
    "9999999",
    "1e1",
  ],
];

/** What a response says does not depend on its pieces, and is what node:http reads in it. */
export function fuzz(data: Buffer): void {
  if (data.length <= PLAN_BYTES) return;
  const bytes = data.subarray(PLAN_BYTES);
  const [first = 0, second = 0, plan = 0] = data;
  const ends = (plan & 1) === 1;
  const whole = seenIn(bytes, [], ends);
  const inPieces = seenIn(bytes, [first, first + second, first + 2 * second], ends);
  demandEqual(JSON.stringify(inPieces), JSON.stringify(whole), "one in pieces");
  if (typeof whole === "string") return;
  if (TAB_BEHIND_CODING.test(bytes.toString("latin1"))) return;
  const other = seenByNode(bytes, ends);
  if (other === undefined && REFUSED.some((each) => each.test(bytes.toString("latin1")))) return;
  demandEqual(whole.status, other?.status, "the status");
  demandEqual(whole.body, other?.body, "the body");
  if (whole.persists) demandEqual(true, other?.persists, "whether it persists");
}

/** The first response that is final. */
function seenByNode(bytes: Buffer, ends: boolean) {
  const reader = new NodeHttpReader("response");
  // Whatever follows the response may be no HTTP.
  const goesOn = reader.read(bytes);
  if (goesOn && ends) reader.end();
  const final = reader.messages.find(({ status }) => status >= 200);
  if (final?.isWhole !== true) return undefined;
  return { ...final, body: final.body.toString("latin1") };
}
