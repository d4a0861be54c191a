import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readPlainResponse } from "./plain-response.ts";
import { parseHead } from "./response-head.ts";

const GETH = [
  ...["HTTP/1.1 200 OK", "Content-Type: application/json", "Vary: Origin"],
  ...["Date: Sun, 22 Nov 2026 00:42:40 GMT", "Content-Length: 44"],
];
const NODE = [
  ...["HTTP/1.1 200 OK", "content-length: 7", "Date: Thu, 26 Nov 2026 13:00:00 GMT"],
  ...["Connection: keep-alive", "Keep-Alive: timeout=5"],
];
const NGINX = ["HTTP/1.1 200 OK", "Server: nginx", "connection: Keep-Alive", "CONTENT-LENGTH:7"];

const headOf = (lines: readonly string[]): Buffer =>
  Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1");

const status = fc.constantFrom(
  ...["HTTP/1.1 200 OK", "HTTP/1.1 200", "HTTP/1.1 200 ", "HTTP/1.0 200 OK", "HTTP/1.1 204 No"],
  ...[
    "HTTP/1.1 2000",
    "http/1.1 200 OK",
    "HTTP/1.1 500 Oh",
    "HTTP/1.1 200\tOK",
    "HTTP/1.1 200 \xe4",
  ],
);
const name = fc.constantFrom(
  ...["Content-Length", "content-length", "Connection", "Transfer-Encoding", "Keep-Alive"],
  ...["Retry-After", "X-Any", "", "A b", "Content-Length ", "Content_Length", "X\x00"],
);
const value = fc.oneof(
  fc.constantFrom("5", "0", "05", "12345678", "5, 5", "-1", "5 ", " 5", "\t5", "0x5", ""),
  fc.constantFrom(
    "close",
    "keep-alive",
    "Keep-Alive, close",
    "chunked",
    "timeout=5",
    'max=9, Timeout = "60"',
    "\x7f",
    "\xe4",
  ),
  fc.string({ maxLength: 8 }),
);
const field = fc
  .tuple(name, fc.constantFrom(":", ": ", ":  ", "", " :"), value)
  .map((parts) => parts.join(""));
const lines = fc
  .tuple(
    status,
    fc.array(fc.oneof(field, fc.constantFrom("Content-Length: 5", "X-Any: b")), { maxLength: 5 }),
  )
  .map(([first, rest]) => [first, ...rest]);
/** One byte of it replaced, perhaps. */
const bytes = fc
  .tuple(lines, fc.option(fc.tuple(fc.nat(300), fc.nat(255))))
  .map(([text, change]) => {
    const head = headOf(text);
    if (change !== null && change[0] < head.length) head[change[0]] = change[1];
    return head;
  });

describe("the short way through a response's head", () => {
  test.each([GETH, NGINX, NODE])("is taken by what nodes send: %s", (...head) => {
    const text = headOf(head);
    const found = readPlainResponse(text, text.length);
    expect(found).toMatchObject({
      head: parseHead(text.toString("latin1")),
      sizeBytes: text.length,
    });
    expect(found?.head.persists).toBe(true);
  });

  test("never says anything else than the long way", () => {
    let taken = 0;
    fc.assert(
      fc.property(bytes, fc.string(), (head, body) => {
        const all = Buffer.concat([head, Buffer.from(body)]);
        const found = readPlainResponse(all, all.length);
        if (found === undefined) return;
        taken += 1;
        const text = all.toString("latin1", 0, found.sizeBytes);
        expect(text.endsWith("\r\n\r\n")).toBe(true);
        expect(found.head).toEqual(parseHead(text));
      }),
      { numRuns: 20_000 },
    );
    expect(taken).toBeGreaterThan(100);
  });

  test("is not taken before the head is there as a whole, whatever stands behind it", () => {
    const head = headOf(GETH);
    for (let size = 0; size < head.length; size += 1) {
      expect(readPlainResponse(head, size)).toBeUndefined();
    }
  });
});
