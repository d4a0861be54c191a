import { readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../test/support/written.ts";
import { LeaseJournalFile } from "./lease-journal-file.ts";
import type { TakeRequest } from "./ledger-store.ts";

const DAY = 20_000;
const LEASE = { owner: "acc_1", day: DAY, series: 3, total: 120 };
const TAKE: TakeRequest = {
  ...{ owner: "acc_1", day: DAY, pool: null, want: 100, least: 5, limit: 900, process: "first" },
  ...{ number: 4, perSecond: 10, now: 1_000 },
};

type Events = { readonly discarded: string[]; readonly failed: unknown[]; recovered: number };

function open(folder: string, process: string, boot = "boot 1"): [LeaseJournalFile, Events] {
  const events: Events = { discarded: [], failed: [], recovered: 0 };
  const journal = new LeaseJournalFile(
    { folder, process, boot },
    {
      onFailure: (error) => events.failed.push(error),
      onRecovery: () => {
        events.recovered += 1;
      },
      onDiscarded: (why) => events.discarded.push(why),
    },
  );
  onTestFinished(() => journal.close());
  return [journal, events];
}

/** As a process that is killed leaves it: its lock is gone, and nothing was given back. */
function leave(folder: string, process: string, write: (journal: LeaseJournalFile) => void): void {
  const [journal] = open(folder, process);
  write(journal);
  journal.close();
}

test("the next process finds what the last note of each lease said", () => {
  const folder = join(temporaryFolder("journal"), "made", "where absent");
  leave(folder, "first", (journal) => {
    journal.note({ ...LEASE, total: 200 });
    journal.asked(TAKE);
    journal.note(LEASE);
    journal.asked({ ...TAKE, owner: "acc_2" });
    journal.answered({ ...LEASE, owner: "acc_2", total: 7 });
    journal.note({ ...LEASE, day: DAY - 1 });
    journal.drop("acc_1", DAY - 1);
  });
  const [next, { discarded }] = open(folder, "next");
  expect(next.left(10)).toEqual([
    { ...LEASE, process: "first", take: TAKE },
    { ...LEASE, owner: "acc_2", total: 7, process: "first", take: undefined },
  ]);
  expect(next.left(1)).toHaveLength(1);
  for (const lease of next.left(10)) next.gone(lease);
  expect(next.left(10)).toEqual([]);
  expect(discarded).toEqual([]);
  const [file = ""] = readdirSync(folder);
  expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600);
});

test("processes that live keep their files to themselves, and what others left is found by the first that comes", () => {
  const folder = temporaryFolder("journal");
  const [living] = open(folder, "living");
  const [dying] = open(folder, "dying");
  const [late] = open(folder, "late");
  living.note({ ...LEASE, owner: "acc_living" });
  dying.note({ ...LEASE, owner: "acc_dying" });
  late.note({ ...LEASE, owner: "acc_late" });
  dying.close();
  late.close();
  const [next] = open(folder, "next");
  const [after] = open(folder, "after");
  expect(next.left(10).map(({ owner }) => owner)).toEqual(["acc_dying", "acc_late"]);
  expect(after.left(10)).toEqual([]);
});

test("what was written before the machine was started is given up", () => {
  const folder = temporaryFolder("journal");
  leave(folder, "first", (journal) => journal.note(LEASE));
  const [next, { discarded }] = open(folder, "next", "boot 2");
  expect(next.left(10)).toEqual([]);
  expect(discarded).toEqual([
    `${join(folder, "leases-1.db")} is of before the machine was started`,
  ]);
});

test("a damaged file is replaced", () => {
  const folder = temporaryFolder("journal");
  const path = join(folder, "leases-1.db");
  writeFileSync(
    path,
    "no database at all, though as long as the head of one would be. ".repeat(64),
  );
  const [next, { discarded }] = open(folder, "next");
  expect(discarded).toEqual([`${path} is damaged`]);
  next.note(LEASE);
  next.close();
  expect(open(folder, "after")[0].left(10)).toHaveLength(1);
});

test("a file of a newer version, and a folder that is a file, are refused", () => {
  const folder = temporaryFolder("journal");
  leave(folder, "first", () => undefined);
  const db = new DatabaseSync(join(folder, "leases-1.db"));
  db.exec("PRAGMA user_version = 2");
  db.close();
  expect(() => open(folder, "next")).toThrow(/written by a newer version of tollgate/);
  const file = join(folder, "file");
  writeFileSync(file, "");
  expect(() => open(file, "next")).toThrow(/EEXIST/);
});
