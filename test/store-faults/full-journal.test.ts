import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type SmallDisk, smallDisk } from "../support/small-disk.ts";
import { type StandInNode, startStandInNode } from "../support/stand-in-node.ts";
import {
  type Customer,
  makeCustomer,
  openWorkplace,
  type Started,
  type Workplace,
} from "../support/started-gateway.ts";
import { type Callers, PRICE, startCallers } from "./callers.ts";

let disk: SmallDisk;
let node: StandInNode;
let workplace: Workplace;
let gateway: Started;
let customer: Customer;
let callers: Callers;
beforeAll(async () => {
  disk = smallDisk(1 << 20);
  node = await startStandInNode();
  workplace = await openWorkplace({
    server: { port: 0 },
    admin: { port: 0 },
    storage: { url: "sqlite:./tollgate.db", journal: join(disk.folder, "leases") },
    plans: { large: { dailyCredits: 1_000_000_000, creditsPerSecond: 1_000_000 } },
    networks: [
      {
        ...{ name: "net", family: "evm", chainId: 1 },
        upstreams: [{ name: "own", url: node.url }],
      },
    ],
  });
  customer = await makeCustomer(workplace, { email: "ada@example.com", plan: "large" });
  gateway = await workplace.start({ command: disk.command });
  callers = startCallers({ port: gateway.port, key: customer.key });
});
afterAll(async () => {
  await workplace?.clear();
  await node?.stop();
});

const FAILED = "the journal of leases cannot be written";
const until = (look: () => void | Promise<void>) =>
  vi.waitFor(look, { timeout: 15_000, interval: 20 });
const times = (text: string) => gateway.process.output().split(text).length - 1;

test("a journal whose disk is full is removed, calls go on, and it is kept again once there is room", async () => {
  const { pid } = gateway.process;
  const journal = join(disk.folderOf(pid), "leases");
  await until(() => expect(callers.served()).toBeGreaterThan(20));
  expect(readdirSync(journal)).toContain("leases-1.db");
  disk.fill(pid);
  // The log of SQLite grows with each note.
  await until(() => expect(times(FAILED)).toBe(1));
  // Nothing that is out of date is left to the next process.
  expect(existsSync(join(journal, "leases-1.db"))).toBe(false);
  expect(gateway.process.output()).toMatch(/leases-1\.db cannot grow: the disk is full/);
  const served = callers.served();
  await until(() => expect(callers.served()).toBeGreaterThan(served + 20));
  disk.makeRoom(pid);
  await until(() => expect(times("the journal of leases is written again")).toBe(1));
  await until(() => expect(existsSync(join(journal, "leases-1.db"))).toBe(true));
  expect(times(FAILED)).toBe(1);
  await callers.end();
  expect(callers.answers.every(({ status }) => status === 200)).toBe(true);
  await setTimeout(2500);
  const { used } = (await workplace.json("usage", "--account", "ada@example.com")) as {
    used: number;
  };
  expect(used).toBe(callers.served() * PRICE);
});
