import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  ENDED_BY_CONNECTION,
  MAX_BODY_BYTES,
  RAW_RESPONSES,
} from "../../../test/support/raw-responses.ts";
import { seenIn } from "../../../test/support/read-response.ts";
import { LargeBuffers } from "../bytes/large-buffers.ts";
import { ResponseReader } from "./response-reader.ts";

/** Every place of a short text; of a long one those around its lines, and some more. */
function placesIn(bytes: Buffer): number[] {
  if (bytes.length <= 2_000) return Array.from(bytes, (_, at) => at);
  return [1, 30, 60, 70, 1_000, 30_000, 40_000, 65_536, bytes.length - 8, bytes.length - 1];
}

describe("a response", () => {
  test.each(RAW_RESPONSES)("$name", ({ bytes, seen }) => {
    expect(seenIn(bytes)).toEqual(seen);
  });

  test.each(ENDED_BY_CONNECTION)("$name", ({ bytes, seen }) => {
    expect(seenIn(bytes)).toBe("unfinished");
    expect(seenIn(bytes, [], true)).toEqual(seen);
  });

  test("that the connection's end cut off is broken", () => {
    const cutOff = RAW_RESPONSES.filter(({ seen }) => seen === "unfinished");
    for (const { bytes } of cutOff) expect(seenIn(bytes, [], true)).toBe("broken");
  });
});

describe("the pieces that a response comes in make no difference", () => {
  const all = [...RAW_RESPONSES, ...ENDED_BY_CONNECTION];

  test.each(all)("$name, cut in two anywhere, and into single bytes", ({ bytes }) => {
    const places = placesIn(bytes);
    for (const ends of [false, true]) {
      const whole = seenIn(bytes, [], ends);
      for (const place of places) expect(seenIn(bytes, [place], ends)).toEqual(whole);
      expect(seenIn(bytes, places, ends)).toEqual(whole);
    }
  });

  test("whatever is said, however it is cut", () => {
    const line = fc.constantFrom(
      "HTTP/1.1 200 OK",
      "HTTP/1.1 100 Continue",
      "HTTP/1.0 204 Empty",
      "Content-Length: 5",
      "Content-Length: 70",
      "Content-Length: 200001",
      "Transfer-Encoding: chunked",
      "Connection: close",
      "Keep-Alive: timeout=5",
      "A: \u00e9",
      "A : b",
      "5",
      "2;x=y",
      "30d40",
      "0",
      "00000",
      "hello",
      "",
      "",
    );
    const end = fc.constantFrom("\r\n", "\r\n", "\r\n", "\r\n", "\r\n", "\r\n", "\n", "\r", "");
    const free = fc.array(fc.tuple(line, end), { maxLength: 12 });
    const usual = free.map((lines): typeof lines => [["HTTP/1.1 200 OK", "\r\n"], ...lines]);
    const places = fc.array(fc.nat({ max: 300 }), { maxLength: 8 });
    fc.assert(
      fc.property(fc.oneof(free, usual), places, fc.boolean(), (lines, cuts, ends) => {
        const bytes = Buffer.from(lines.flat().join(""), "latin1");
        expect(seenIn(bytes, cuts, ends)).toEqual(seenIn(bytes, [], ends));
      }),
      { numRuns: 20_000 },
    );
  });

  test("nor does a byte that is changed, put in or left out of a good one", () => {
    const short = all.filter(({ bytes }) => bytes.length < 300);
    const change = fc.record({
      response: fc.constantFrom(...short),
      at: fc.nat(),
      left: fc.nat({ max: 2 }),
      put: fc.oneof(fc.constantFrom("\r", "\n", "\r\n", "0", ":", " ", "\0", ""), fc.string()),
      cuts: fc.array(fc.nat({ max: 300 }), { maxLength: 8 }),
    });
    fc.assert(
      fc.property(change, fc.boolean(), ({ response, at, left, put, cuts }, ends) => {
        const text = response.bytes.toString("latin1");
        const place = at % text.length;
        const changed = text.slice(0, place) + put + text.slice(place + left);
        const bytes = Buffer.from(changed, "latin1");
        expect(seenIn(bytes, cuts, ends)).toEqual(seenIn(bytes, [], ends));
      }),
      { numRuns: 20_000 },
    );
  });
});

describe("a body", () => {
  const taken = (text: string): Buffer => {
    const reader = new ResponseReader(new LargeBuffers());
    reader.begin(MAX_BODY_BYTES);
    reader.read(Buffer.from(text, "latin1"), text.length);
    return reader.take().body;
  };

  test("keeps no more memory than its own size, whatever it came in", () => {
    const long = "x".repeat(20_000);
    const parts = ["4e20", long, "1", "y", "4e20", long, "0", "", ""];
    for (const text of [
      `HTTP/1.1 200 OK\r\nContent-Length: 20000\r\n\r\n${long}`,
      `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${parts.join("\r\n")}`,
    ]) {
      const body = taken(text);
      expect(body.buffer.byteLength).toBe(body.length);
    }
  });

  test("of a reader that reads again is not touched", () => {
    const reader = new ResponseReader(new LargeBuffers());
    const bodies = ["first", "second"].map((text) => {
      reader.begin(MAX_BODY_BYTES);
      const bytes = Buffer.from(`HTTP/1.1 200 OK\r\nContent-Length: ${text.length}\r\n\r\n${text}`);
      reader.read(bytes, bytes.length);
      bytes.fill(0);
      return reader.take().body;
    });
    expect(bodies.map(String)).toEqual(["first", "second"]);
  });
});
