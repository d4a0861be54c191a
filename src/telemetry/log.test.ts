import { randomBytes } from "node:crypto";
import { Writable } from "node:stream";
import { describe, expect, test } from "vitest";
import { createApiKey } from "../access/api-key.ts";
import { CallLog, createLog, createQuietLog, setLogLevel } from "./log.ts";

const URL_WITH_KEY = "https://user:secret@node.example/v3/abcdef";
const KEY = createApiKey(randomBytes);

/** A log whose lines can be read. */
function openLog(level = "debug") {
  const { sink, ...read } = openSink();
  return { log: createLog({ level, terminal: false }, sink), ...read };
}

function openSink() {
  let text = "";
  const sink = new Writable({
    write: (chunk, _encoding, done) => {
      text += String(chunk);
      done();
    },
  });
  const lines = () =>
    text
      .trim()
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line));
  return { sink, lines, text: () => text };
}

describe("neither a URL nor a key is ever in a line", () => {
  const cause = new Error(`connect to ${URL_WITH_KEY} failed`, { cause: new Error(`key ${KEY}`) });
  test.each<[string, Record<string, unknown>, string]>([
    ["in the text", {}, `asked ${URL_WITH_KEY} with ${KEY}`],
    ["in a field", { url: URL_WITH_KEY, key: KEY }, "text"],
    ["in a nested field", { a: { b: [URL_WITH_KEY, KEY] } }, "text"],
    ["in an error, its stack and its cause", { err: cause }, "text"],
    ["in an error's text", { cause: String(cause), stack: cause.stack }, "text"],
    ["in the name of a field", { [URL_WITH_KEY]: 1, [KEY]: 2 }, "text"],
    ["in JSON inside a text", {}, JSON.stringify({ url: URL_WITH_KEY, key: KEY })],
  ])("%s", (_name, fields, text) => {
    const { log, lines, text: written } = openLog();
    log.warn(fields, text);
    log.child(fields).error(text);
    expect(lines()).toHaveLength(2);
    for (const secret of ["secret", "node.example", "abcdef", KEY.slice(0, 10)]) {
      expect(written()).not.toContain(secret);
    }
  });
});

test("a line is JSON with level, time and text, without the machine's name", () => {
  const { log, lines } = openLog();
  log.info({ network: "net" }, "hello");
  const [line] = lines();
  expect(line).toEqual({ level: 30, time: expect.any(String), network: "net", msg: "hello" });
  expect(new Date(line.time).toISOString()).toBe(line.time);
});

test("lines below the level are not written", () => {
  const { log, lines } = openLog("warn");
  log.info("no");
  log.warn("yes");
  expect(lines().map(({ msg }) => msg)).toEqual(["yes"]);
});

test("a quiet log writes warnings and errors alone, of its children too, until it speaks", () => {
  const { sink, lines } = openSink();
  const { log, speak } = createQuietLog({ level: "info", terminal: false }, sink);
  const child = log.child({ network: "net" });
  child.info("early");
  child.warn("seen");
  log.error("seen, too");
  speak();
  child.info("late");
  child.debug("never");
  expect(lines().map(({ msg }) => msg)).toEqual(["seen", "seen, too", "late"]);
});

test("calls cause at most ten lines a second, and the next one says how many were left out", () => {
  const { log, lines } = openLog();
  let now = 0;
  const calls = new CallLog(log, { now: () => now, monotonic: () => now });
  for (let count = 0; count < 25; count += 1) calls.warn({ count }, "failed");
  expect(lines()).toHaveLength(10);
  now = 999;
  calls.warn({}, "failed");
  expect(lines()).toHaveLength(10);
  now = 1000;
  calls.warn({ count: 99 }, "failed");
  calls.warn({ count: 100 }, "failed");
  expect(lines().slice(10)).toMatchObject([{ count: 99, suppressed: 16 }, { count: 100 }]);
  expect(lines().at(-1)).not.toHaveProperty("suppressed");
});

test("another level holds for a log and for all that were made of it", () => {
  const { log, lines } = openLog("warn");
  const child = log.child({ network: "net" });
  const grandchild = child.child({ upstream: "a" });
  setLogLevel(child, "info");
  for (const each of [log, child, grandchild]) each.info("told");
  expect(lines()).toHaveLength(3);
  setLogLevel(log, "error");
  for (const each of [log, child, grandchild, log.child({})]) each.warn("not told");
  expect(lines()).toHaveLength(3);
});
