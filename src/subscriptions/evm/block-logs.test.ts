import fc from "fast-check";
import { expect, test } from "vitest";
import { toBinary } from "../../lib/bytes.ts";
import { LargeBuffers } from "../../wire/bytes/large-buffers.ts";
import { LogMatcher } from "../log-matcher.ts";
import { readBlockLogs, removedText } from "./block-logs.ts";

const HASH = `0x${"ab".repeat(32)}`;
const ADDRESS = `0x${"C0".repeat(20)}`;
const TOPIC = `0x${"d1".repeat(32)}`;
const BLOCK = { hash: HASH };
const buffers = new LargeBuffers();
const ALL = new LogMatcher(new Map());

const logOf = (index: number, more: object = {}): object => ({
  ...{ address: ADDRESS, topics: [TOPIC], data: "0x" },
  ...{ blockNumber: "0x1", blockHash: HASH, logIndex: `0x${index.toString(16)}` },
  ...more,
});
const ofBytes = (text: string): string => Buffer.from(text, "latin1").toString();
const textsIn = (json: string): string[] | undefined =>
  readBlockLogs(toBinary(json), BLOCK, buffers)
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
  const [log] = readBlockLogs(JSON.stringify([logOf(0)]), BLOCK, buffers)?.matching(ALL) ?? [];
  expect(log && JSON.parse(removedText(log))).toEqual(logOf(0, { removed: true }));
});

test("the memory of logs that nobody is told of is used again, and others' texts stay", () => {
  const pool = new LargeBuffers();
  const many = (data: string) =>
    JSON.stringify(Array.from({ length: 400 }, (_, at) => logOf(at, { data, removed: false })));
  const [first, second, third] = [many("0x01"), many("0x02"), many("0x03")];
  const read = (json: string) => readBlockLogs(json, BLOCK, pool);
  const textOf = (logs: ReturnType<typeof read>) =>
    `[${logs?.matching(ALL).map(({ text }) => text)}]`;
  const [one, two] = [read(first), read(second)];
  expect([textOf(one) === first, textOf(two) === second]).toEqual([true, true]);
  one?.giveBack(pool);
  const three = read(third);
  expect([textOf(two) === second, textOf(three) === third]).toEqual([true, true]);
  // It is the memory of the first.
  expect(textOf(one) === third).toBe(true);
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
  expect(readBlockLogs(json, BLOCK, buffers)).toBeUndefined();
});
