import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { READ_BUFFER, readPart } from "../bytes/read-buffer.ts";
import { readHead } from "./plain-head.ts";

const head = (...lines: string[]): Buffer =>
  Buffer.from(`${["POST /net/v3/key HTTP/1.1", ...lines].join("\r\n")}\r\n\r\n`, "latin1");
const plain = ["Host: a", "Content-Length: 12"];

test("a plain head is read, and its body is not", () => {
  const bytes = Buffer.concat([
    head("host:a.example:80", "CONTENT-LENGTH: 12", "Content-Type: application/json", "X-Odd: "),
    Buffer.from("Origin: evil\r\n\r\n"),
  ]);
  const read = readHead(bytes);
  expect(read?.target).toBe("/net/v3/key");
  expect(read?.bodyBytes).toBe(12);
  expect(bytes.toString("latin1", read?.sizeBytes)).toBe("Origin: evil\r\n\r\n");
  expect(read?.header("host")).toBe("a.example:80");
  expect(read?.header("content-type")).toBe("application/json");
  expect(read?.header("origin")).toBeUndefined();
  expect(read?.header("x-odd")).toBeUndefined();
});

test.each([
  ["Connection: Keep-Alive"],
  ["Accept-Encoding: gzip, deflate", "Accept: */*", "Keep-Alive: timeout=5"],
  ["X-Twice: a", "X-Twice: b", "Content-Length-2: 7"],
  ['User-Agent: a  b (c; d) "e"'],
])("these headers are plain: %s", (...lines) => {
  expect(readHead(head(...lines, ...plain))?.bodyBytes).toBe(12);
});

describe("left to node:http, which knows all of HTTP, is a head", () => {
  const START = "POST /net/v3/key HTTP/1.1\r\n";
  const END = "Host: a\r\nContent-Length: 1\r\n\r\n";
  test.each([
    ["that has not come as a whole", `${START}Host: a\r\nContent-Length: 1\r\n\r`],
    ["that is empty", ""],
    ["of another method", `GET / HTTP/1.1\r\n${END}`],
    ["of a method in another case", `Post / HTTP/1.1\r\n${END}`],
    ["of another version", `POST / HTTP/1.0\r\n${END}`],
    ["with a full address", `POST http://a/net HTTP/1.1\r\n${END}`],
    ["with a fragment", `POST /net#a HTTP/1.1\r\n${END}`],
    ["with a percent sign in the target", `POST /%6eet HTTP/1.1\r\n${END}`],
    ["with two spaces before the version", `POST /  HTTP/1.1\r\n${END}`],
    ["with an empty line before it", `\r\n${START}${END}`],
    ["with lines that end with LF alone", `${START}${END}`.replaceAll("\r\n", "\n")],
    ["with CR alone before its end", `${START}Host: a\r\nContent-Length: 1\r\n\rX`],
    ["over 8 KiB", `${START}X-A: ${"a".repeat(8192)}\r\n${END}`],
  ])("%s", (_name, text) => {
    expect(readHead(Buffer.from(text, "latin1"))).toBeUndefined();
  });

  test.each([
    ["no Host", ["Content-Length: 1"]],
    ["two Hosts", ["Host: a", "HOST: a", "Content-Length: 1"]],
    ["no Content-Length", ["Host: a"]],
    ["two Content-Lengths", [...plain, "content-length: 12"]],
    ["a list of Content-Lengths", ["Host: a", "Content-Length: 1, 1"]],
    ["a signed Content-Length", ["Host: a", "Content-Length: +1"]],
    ["a hexadecimal Content-Length", ["Host: a", "Content-Length: 0x1"]],
    ["an empty Content-Length", ["Host: a", "Content-Length: "]],
    ["a Content-Length over 5 MiB", ["Host: a", "Content-Length: 5242881"]],
    ["a Content-Length beyond all numbers", ["Host: a", `Content-Length: ${"9".repeat(40)}`]],
    ["Transfer-Encoding", [...plain, "tRANSFER-eNCODING: chunked"]],
    ["an empty Transfer-Encoding", [...plain, "Transfer-Encoding:"]],
    ["Content-Encoding", [...plain, "Content-Encoding: gzip"]],
    ["Expect", [...plain, "Expect: 100-continue"]],
    ["Upgrade", [...plain, "Upgrade: websocket"]],
    ["Connection: close", [...plain, "Connection: close"]],
    ["a list in Connection", [...plain, "Connection: keep-alive, te"]],
    ["an empty Connection", [...plain, "Connection:"]],
    ["Proxy-Connection", [...plain, "Proxy-Connection: close"]],
    ["two Content-Types", [...plain, "Content-Type: a", "Content-Type: b"]],
    ["two X-Forwarded-Fors", [...plain, "X-Forwarded-For: a", "X-Forwarded-For: b"]],
    ["a space before a colon", ["Host: a", "Content-Length : 1", "Content-Length: 1"]],
    ["a header without a name", [...plain, ": a"]],
    ["a header without a colon", [...plain, "X-A"]],
    ["a folded header", [...plain, "X-A: b", " c"]],
    ["two spaces before a value", [...plain, "X-A:  b"]],
    ["a space after a value", [...plain, "X-A: b "]],
    ["a tab in a value", [...plain, "X-A: a\tb"]],
    ["a control character in a value", [...plain, "X-A: a\0b"]],
    ["a bare CR in a value", [...plain, "X-A: a\rX-B: c"]],
    ["a bare LF in a value", [...plain, "X-A: a\nX-B: c"]],
    ["bytes beyond ASCII in a value", [...plain, "X-A: \u00e9"]],
    ["an odd character in a name", [...plain, "X(A): b"]],
  ])("with %s", (_name, lines) => {
    expect(readHead(head(...lines))).toBeUndefined();
  });
});

test("whatever the bytes: what is read is within them, and is what a line says", () => {
  const bit = fc.constantFrom(
    ...[
      "POST /net/v3/key HTTP/1.1\r\n",
      "Host: a\r\n",
      "Content-Length: 5\r\n",
      "\r\n",
      "\r",
      "\n",
    ],
    ...[
      " ",
      ":",
      "X: y\r\n",
      "Transfer-Encoding: chunked\r\n",
      "\0",
      "hello",
      "Content-Length: 0\r\n",
    ],
  );
  const bytes = fc
    .array(bit, { maxLength: 12 })
    .map((bits) => Buffer.from(bits.join(""), "latin1"));
  fc.assert(
    fc.property(bytes, (given) => {
      const read = readHead(given);
      if (read === undefined) return;
      const text = given.toString("latin1", 0, read.sizeBytes);
      expect(text).toMatch(/^POST \/net\/v3\/key HTTP\/1\.1\r\n([\w-]+: ?[ -~]*\r\n)*\r\n$/);
      expect(text.match(/^Content-Length: \d$/gm)).toEqual([`Content-Length: ${read.bodyBytes}`]);
      expect(text.match(/^Host: a$/gm)).toHaveLength(1);
      expect(text).not.toMatch(/^Transfer/m);
    }),
    { numRuns: 5000 },
  );
});

test("a head is known again by all of its bytes, as it was read or as a copy", () => {
  const filler = fc.nat(9).map((length) => `X-Filler: ${"a".repeat(length)}`);
  const change = fc.record({ at: fc.nat(150), byte: fc.nat(255) });
  const body = '{"jsonrpc":"2.0"}';
  fc.assert(
    fc.property(filler, fc.option(change), fc.nat(3), (line, changed, from) => {
      const bytes = Buffer.concat([head(...plain, line), Buffer.from(body)]);
      const first = readHead(bytes);
      if (first === undefined) throw new Error("it is plain");
      const again = Buffer.from(bytes);
      if (changed !== null) again[changed.at % again.length] = changed.byte;
      const end = first.sizeBytes;
      const isSame = again.compare(bytes, 0, end, 0, end) === 0;
      READ_BUFFER.set(again, from);
      const read = readPart(from, from + again.length);
      // Twice: what makes it quick is made the first time.
      expect([first.isAtStartOf(read), first.isAtStartOf(read)]).toEqual([isSame, isSame]);
      expect(first.isAtStartOf(again)).toBe(isSame);
      expect(first.isAtStartOf(readPart(from, from + end - 1))).toBe(false);
    }),
    { numRuns: 3000 },
  );
});
