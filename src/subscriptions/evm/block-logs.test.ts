import fc from "fast-check";
import { expect, test } from "vitest";
import { toBinary } from "../../lib/bytes.ts";
import { LogMatcher } from "../log-matcher.ts";
import { readBlockLogs, removedText } from "./block-logs.ts";

const HASH = `0x${"ab".repeat(32)}`;
const ADDRESS = `0x${"C0".repeat(20)}`;
const TOPIC = `0x${"d1".repeat(32)}`;
const BLOCK = { hash: HASH };
const ALL = new LogMatcher(new Map());

const logOf = (index: number, more: object = {}): object => ({
  ...{ address: ADDRESS, topics: [TOPIC], data: "0x" },
  ...{ blockNumber: "0x1", blockHash: HASH, logIndex: `0x${index.toString(16)}` },
  ...more,
});
const ofBytes = (text: string): string => Buffer.from(text, "latin1").toString();
const textsIn = (json: string): string[] | undefined =>
  readBlockLogs(toBinary(json), BLOCK)
    ?.matching(ALL)
    .map(({ text }) => ofBytes(text));

test("logs are told as a node wrote them", () => {
  const written = [0, 7].map((index) => JSON.stringify(logOf(index, { removed: false })));
  expect(textsIn(`[${written.join(" ,\n")}]`)).toEqual(written);
});

test("what nodes write otherwise is told as JSON with removed as its last member", () => {
  const more = fc.oneof(
    fc.constant({}),
    fc.constant({ removed: false }),
    fc.constant({ removed: true }),
    fc.string({ unit: "grapheme" }).map((note) => ({ note, removed: false })),
    fc.constantFrom("}", "{", "}{", "},{", "{}").map((note) => ({ note, removed: false })),
    fc.json().map((json) => ({ inner: JSON.parse(json), removed: false })),
  );
  const property = fc.property(fc.array(more, { maxLength: 5 }), fc.boolean(), (all, isWide) => {
    const logs = all.map((one, index) => logOf(index, one));
    const texts = textsIn(JSON.stringify(logs, null, isWide ? 1 : 0));
    expect(texts?.map((text) => JSON.parse(text))).toEqual(
      JSON.parse(JSON.stringify(logs.map((log) => ({ ...log, removed: false })))),
    );
    for (const text of texts ?? []) expect(text.endsWith('"removed":false}')).toBe(true);
  });
  fc.assert(property);
});

test("a log of a block that left is told as removed", () => {
  const [log] = readBlockLogs(JSON.stringify([logOf(0)]), BLOCK)?.matching(ALL) ?? [];
  expect(log && JSON.parse(removedText(log))).toEqual(logOf(0, { removed: true }));
});

test.each([
  { name: "no list", json: "{}" },
  { name: "no JSON", json: "[{]" },
  { name: "a list in place of a log", json: `[[${JSON.stringify(logOf(0))}]]` },
  { name: "null in place of a log", json: "[null]" },
  { name: "another block's log", json: JSON.stringify([logOf(0, { blockHash: TOPIC })]) },
  { name: "logs out of order", json: JSON.stringify([logOf(1), logOf(0)]) },
  { name: "one log twice", json: JSON.stringify([logOf(0), logOf(0)]) },
])("$name is not believed", ({ json }) => {
  expect(readBlockLogs(json, BLOCK)).toBeUndefined();
});
