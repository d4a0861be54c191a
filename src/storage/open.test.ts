import { fork } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { account } from "../../test/support/records.ts";
import { temporaryFolder } from "../../test/support/written.ts";
import { openStorage } from "./open.ts";

const folder = temporaryFolder("open");

test("sqlite:PATH makes the folders above the file, and keeps what was written", async () => {
  const url = `sqlite:${join(folder, "a", "b", "tollgate.db")}`;
  const first = await openStorage({ url });
  await first.accounts.insert(account());
  await first.close();
  const second = await openStorage({ url });
  expect(await second.accounts.list()).toEqual([account()]);
  await second.close();
});

test("a new file that another process is just setting up is waited for", async () => {
  const path = join(folder, "together.db");
  const script = join(folder, "sets-up.mjs");
  // Its own commit waits, too, where the one that opens looks at the file at that moment.
  writeFileSync(
    script,
    `import { DatabaseSync } from "node:sqlite";
     const db = new DatabaseSync(process.argv[2], { timeout: 5000 });
     db.exec("BEGIN IMMEDIATE");
     process.send("locked");
     setTimeout(() => { db.exec("COMMIT"); db.close(); process.disconnect(); }, 300);`,
  );
  const other = fork(script, [path]);
  const ended = once(other, "exit");
  await once(other, "message");
  const storage = await openStorage({ url: `sqlite:${path}` });
  expect(await storage.accounts.list()).toEqual([]);
  await storage.close();
  await ended;
});

test("memory: begins empty each time", async () => {
  const first = await openStorage({ url: "memory:" });
  await first.accounts.insert(account());
  expect(await (await openStorage({ url: "memory:" })).accounts.list()).toEqual([]);
});

test.each(["", "sqlite:", "tollgate.db", "mysql://user:hunter2@host/db"])(
  "%j is refused with the known forms, and no password is shown",
  async (url) => {
    const error = await openStorage({ url }).catch((reason: Error) => reason);
    expect(error).toBeInstanceOf(Error);
    expect(String(error)).toContain("sqlite:PATH, postgres://USER@HOST/DATABASE or memory:");
    expect(String(error)).not.toContain("hunter2");
  },
);
