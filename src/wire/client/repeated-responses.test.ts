import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { READ_BUFFER } from "../bytes/read-buffer.ts";
import { readPlainResponse } from "./plain-response.ts";
import { RepeatedResponses } from "./repeated-responses.ts";

const head = (...lines: readonly string[]): string =>
  `HTTP/1.1 200 OK\r\n${lines.join("\r\n")}\r\n\r\n`;

const length = fc.constantFrom(
  "0",
  "5",
  "9",
  "44",
  "45",
  "9x",
  "x9",
  "100",
  "1000",
  "12345678",
  "",
);
const line = fc.constantFrom(
  ...["Date: Mon, 23 Nov 2026 10:00:00 GMT", "Date: Mon, 23 Nov 2026 10:00:01 GMT", "X-Any: 4"],
  ...["Connection: keep-alive", "Connection: close", "Retry-After: 1", "Content-Length: 4"],
  ...["Keep-Alive: timeout=5", "Keep-Alive: timeout=65, max=9"],
);
const usual = fc
  .tuple(fc.array(line, { maxLength: 2 }), length, fc.array(line, { maxLength: 2 }))
  .map(([before, digits, after]) => head(...before, `Content-Length: ${digits}`, ...after));
const response = fc.record({
  head: usual,
  body: fc.string({ unit: "binary-ascii", maxLength: 9 }),
  /** Of it, the last bytes have not come. */
  missing: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.nat(120)),
});

function put(text: string): number {
  READ_BUFFER.fill(0x30, 0, 400);
  return READ_BUFFER.write(text, "latin1");
}

describe("the heads of a connection's responses", () => {
  test("are read as if each were the first, in whatever order they come", () => {
    fc.assert(
      fc.property(fc.array(response, { maxLength: 12 }), (responses) => {
        const repeated = new RepeatedResponses();
        for (const { head: text, body, missing } of responses) {
          const size = Math.max(put(text + body) - missing, 0);
          const found = repeated.read(READ_BUFFER, size);
          expect(found).toEqual(readPlainResponse(READ_BUFFER, size));
        }
      }),
      { numRuns: 5000 },
    );
  });

  test("have no length where no digits are, though one like it had, and another has some there", () => {
    const repeated = new RepeatedResponses();
    const one = (length: string) => head("X-Content-Size: 44", `Content-Length: ${length}`);
    for (const text of [one("10"), head("Content-Length: 444"), one("9x")]) {
      const size = put(text);
      const found = repeated.read(READ_BUFFER, size);
      expect(found).toEqual(readPlainResponse(READ_BUFFER, size));
    }
  });

  test("differ by any one of their bytes, once they are known", () => {
    const text = head("Server: a", "Content-Length: 44", "X-Any: b");
    for (let at = 0; at < text.length; at += 1) {
      for (const other of ["\r", "\n", " ", "0", "7", "a", ":"]) {
        const repeated = new RepeatedResponses();
        repeated.read(READ_BUFFER, put(text));
        const size = put(text.slice(0, at) + other + text.slice(at + 1));
        const found = repeated.read(READ_BUFFER, size);
        expect(found).toEqual(readPlainResponse(READ_BUFFER, size));
      }
    }
  });
});
