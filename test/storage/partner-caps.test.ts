import { type ChildProcess, fork } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openSqlite } from "../../src/storage/sqlite/client.ts";
import { temporaryFolder } from "../support/written.ts";

const folder = temporaryFolder("partner-caps");
const NOW = Date.parse("2026-11-21T12:00:00Z");

const message = (child: ChildProcess): Promise<unknown> =>
  new Promise((resolve, reject) => {
    child.once("message", resolve);
    child.once("exit", (code) => reject(new Error(`the child ended with ${code}`)));
  });

test.each([
  { day: 700, month: 10_000 },
  { day: 10_000, month: 631 },
])("three processes on one file together make exactly the calls of %j", async (caps) => {
  const path = join(folder, `${caps.day}.db`);
  const file = new URL("./partner-child.ts", import.meta.url);
  const args = [path, String(NOW), JSON.stringify(caps)];
  const children = [1, 2, 3].map(() => fork(file, args, { execArgv: [] }));
  await Promise.all(children.map(message));
  const sent = children.map(message);
  for (const child of children) child.send("go");
  const counts = (await Promise.all(sent)) as number[];
  const cap = Math.min(caps.day, caps.month);
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(cap);
  // All of them were at it: none had used the cap up before the others began.
  expect(Math.min(...counts)).toBeGreaterThan(0);

  const storage = await openSqlite(path);
  expect(await storage.partners.read("mainnet", NOW)).toEqual({ day: cap, month: cap });
  await storage.close();
});
