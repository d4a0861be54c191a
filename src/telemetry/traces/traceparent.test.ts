import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readTraceparent, writeTraceparent } from "./traceparent.ts";

const [TRACE, SPAN] = ["0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"];
const id = (digits: number) =>
  fc
    .bigInt({ min: 1n, max: 16n ** BigInt(digits) - 1n })
    .map((n) => n.toString(16).padStart(digits, "0"));

describe("traceparent", () => {
  test("what is written is read", () => {
    fc.assert(
      fc.property(id(32), id(16), (traceId, spanId) => {
        const read = readTraceparent(writeTraceparent(traceId, spanId));
        expect(read).toEqual({ traceId, spanId, isSampled: true });
      }),
    );
  });

  test.each([
    ["01", true],
    ["00", false],
    ["03", true],
    ["02", false],
  ])("of the flags %s the lowest bit says whether it is sampled", (flags, isSampled) => {
    expect(readTraceparent(`00-${TRACE}-${SPAN}-${flags}`)).toMatchObject({ isSampled });
  });

  test("a later version may have more behind the flags", () => {
    const read = { traceId: TRACE, spanId: SPAN, isSampled: true };
    expect(readTraceparent(`01-${TRACE}-${SPAN}-01-what-comes`)).toEqual(read);
    expect(readTraceparent(`01-${TRACE}-${SPAN}-01`)).toEqual(read);
  });

  test.each([
    "",
    "00",
    `00-${TRACE}-${SPAN}`,
    `00-${TRACE}-${SPAN}-1`,
    `00-${TRACE}-${SPAN}-01-more`,
    `00-${TRACE}-${SPAN}-01.`,
    `01-${TRACE}-${SPAN}-01.more`,
    `ff-${TRACE}-${SPAN}-01`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    `00-${"0".repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${"0".repeat(16)}-01`,
    ` 00-${TRACE}-${SPAN}-01`,
  ])("%j is none", (header) => {
    expect(readTraceparent(header)).toBeUndefined();
  });

  test("no text makes it throw", () => {
    fc.assert(fc.property(fc.string({ maxLength: 80 }), (text) => void readTraceparent(text)));
  });
});
