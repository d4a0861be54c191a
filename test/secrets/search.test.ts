import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { createApiKey } from "../../src/access/api-key.ts";
import { PLACES } from "../support/run-folder.ts";
import { UPSTREAM_SECRET } from "../support/upstream-secret.ts";
import { searchRun } from "./search.ts";

/** Not below the folder of this run: what is hidden here would be found there. */
const folder = mkdtempSync(join(tmpdir(), "tollgate-search-"));
for (const name of [PLACES.folders, PLACES.texts]) mkdirSync(join(folder, name));
afterAll(() => rmSync(folder, { recursive: true }));

const key = createApiKey(randomBytes);
writeFileSync(join(folder, PLACES.keys), `${key}\n`);
const DATABASE = join(PLACES.folders, "tollgate.db");
const TEXT = join(PLACES.texts, "text.txt");

/** How much is found in a run that wrote this one file. */
function found(file: string, content: string | Buffer): number {
  const path = join(folder, file);
  writeFileSync(path, content);
  const { findings } = searchRun(folder);
  rmSync(path);
  return findings.length;
}

describe("the search of a run finds", () => {
  const inBase64 = (text: string) => Buffer.from(text).toString("base64");
  test.each([
    ["a key", `x${key}x`],
    ["a key that nobody told of", createApiKey(randomBytes)],
    ["the beginning of a key, where it is more than its display", key.slice(0, 12)],
    ["a key without its first characters", key.slice(5)],
    ["a key's second half", key.slice(16)],
    ["an upstream's secret", `x${UPSTREAM_SECRET}x`],
    ["an upstream's secret as hex", Buffer.from(`x${UPSTREAM_SECRET}x`).toString("hex")],
    ["a login in base64", inBase64(`user:${UPSTREAM_SECRET}`)],
    ["a login in base64, a character further", inBase64(`user1:${UPSTREAM_SECRET}!`)],
    ["a login in base64, two characters further", inBase64(`user22:${UPSTREAM_SECRET}!!`)],
    ["any login in a URL", "at https://me:mine@node.example/"],
  ])("%s", (_name, text) => {
    expect(found(DATABASE, text)).toBeGreaterThan(0);
    expect(found(TEXT, `log of a gateway (a.test.ts)\n${text}`)).toBeGreaterThan(0);
  });

  test("a key across two of the pieces in which a large file is read", () => {
    const mebibytes = 4 * 1024 * 1024;
    for (const before of [mebibytes - 10, 2 * mebibytes - 512 - 10]) {
      expect(found(DATABASE, Buffer.from("-".repeat(before) + key))).toBeGreaterThan(0);
    }
  });
});

describe("a key may be shown", () => {
  const create = "tollgate keys create: stdout (a.test.ts)\n";
  const inScript = "tollgate accounts create, tollgate keys create: stdout (a.test.ts)\n";
  const dev = "tollgate dev: stdout (a.test.ts)\n";

  test("by the command that makes it, in the words meant for it", () => {
    for (const head of [create, inScript, create.replace("create", "rotate")]) {
      expect(found(TEXT, `${head}key key_1 (x) of a@b.c\n\n  ${key}\n\nIt is shown once.\n`)).toBe(
        0,
      );
      expect(found(TEXT, `${head}{"id":"key_1","key":"${key}"}\n`)).toBe(0);
      expect(found(TEXT, `${head}key_1 of ${key}\n`)).toBeGreaterThan(0);
    }
  });

  test("by dev, in its lines to paste", () => {
    for (const line of [`HTTP       http://h/dev/v3/${key}`, `API key    ${key}`]) {
      expect(found(TEXT, dev + line)).toBe(0);
    }
    expect(found(TEXT, `${dev}{"level":30,"key":"${key}"}`)).toBeGreaterThan(0);
  });

  test.each([
    "tollgate keys create: stderr",
    "tollgate keys list: stdout",
    "tollgate start: stdout",
  ])("but not in %s", (head) => {
    expect(found(TEXT, `${head} (a.test.ts)\n  ${key}\n`)).toBeGreaterThan(0);
    expect(found(TEXT, `${head} (a.test.ts)\n{"key":"${key}"}\n`)).toBeGreaterThan(0);
  });
});

test("a random text in which a key seems to begin is no finding", () => {
  expect(found(DATABASE, '"GCIFJxn3nLNoQvI0_B2ivMAg0jtg_FRwTGDTF14LIRY"')).toBe(0);
});

test("the display of a key, a redacted URL and the files that tests write are no finding", () => {
  expect(found(DATABASE, `${key.slice(0, 8)}… https://[redacted] tg_[redacted]`)).toBe(0);
  expect(found(join(PLACES.folders, "tollgate.yaml"), `url: http://u:${UPSTREAM_SECRET}@h`)).toBe(
    0,
  );
});
