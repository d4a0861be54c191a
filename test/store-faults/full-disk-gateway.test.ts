import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type Answer, ask } from "../http/ask.ts";
import { SeededRandom } from "../simulation/seeded-random.ts";
import { type SmallDisk, smallDisk } from "../support/small-disk.ts";
import { type StandInNode, startStandInNode } from "../support/stand-in-node.ts";
import { openWorkplace, type Started, type Workplace } from "../support/started-gateway.ts";
import { startCallers } from "./callers.ts";

const MOMENTS = 20;
const DAILY = 100_000;
const PARTNER_CAP = 70;
const CREDITS = "storage: credits cannot be counted";

let disk: SmallDisk;
let own: StandInNode;
let partner: StandInNode;
let workplace: Workplace;
let gateway: Started;
let key: string;
beforeAll(async () => {
  disk = smallDisk(8 << 20);
  [own, partner] = await Promise.all([startStandInNode(), startStandInNode()]);
  partner.reply = () => ({ result: "0x1" });
  const upstreams = [
    { name: "own", url: own.url },
    { name: "paid", url: partner.url, role: "partner" },
  ];
  const network = { name: "net", family: "evm", chainId: 1, partnerCaps: { day: PARTNER_CAP } };
  workplace = await openWorkplace({
    server: { port: 0 },
    admin: { port: 0 },
    storage: { url: `sqlite:${join(disk.folder, "tollgate.db")}` },
    plans: { paid: { dailyCredits: DAILY, creditsPerSecond: 1_000_000, failover: true } },
    networks: [{ ...network, upstreams }],
  });
  await workplace.json("accounts", "create", "ada@example.com", "--plan", "paid");
  const named = ["--account", "ada@example.com", "--name", "laptop"];
  key = ((await workplace.json("keys", "create", ...named)) as { key: string }).key;
  gateway = await workplace.start({ command: disk.command });
});
afterAll(async () => {
  await workplace?.clear();
  await Promise.all([own?.stop(), partner?.stop()]);
});

const post = (body: string): Promise<Answer> =>
  ask(gateway.port, { target: `/net/v3/${key}`, body });
const obstacles = async (): Promise<readonly string[]> => {
  const page = await fetch(`${gateway.admin}/readyz`);
  return ((await page.json()) as { obstacles: readonly string[] }).obstacles;
};
const until = <Value>(look: () => Value | Promise<Value>): Promise<Value> =>
  vi.waitFor(look, { timeout: 15_000, interval: 10 });

let balances = 0;
/** A call like no other one, for which the partner has to be asked while the own node is down. */
function askPartner(): Promise<Answer> {
  balances += 1;
  const address = `0x${balances.toString(16).padStart(40, "0")}`;
  const params = [address, "latest"];
  return post(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_getBalance", params }));
}

/** Empties the log of SQLite: a write has to grow a file then, as it would sooner or later. */
function emptyLog(): void {
  const path = join(disk.folderOf(gateway.process.pid), "tollgate.db");
  const db = new DatabaseSync(path, { timeout: 5000 });
  db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  db.close();
}

const charged = (answers: readonly Answer[]): number =>
  answers.reduce((sum, { headers }) => sum + Number(headers["x-credits-charged"] ?? 0), 0);

test("a disk that is full at 20 moments: no call beyond the balance or the partners' cap is served, /readyz says it, and all goes on by itself", async () => {
  const random = new SeededRandom(26);
  const { pid } = gateway.process;
  const others: Answer[] = [];
  await until(async () => {
    others.push(await askPartner());
    expect(others.at(-1)?.status).toBe(200);
  });
  own.sickness = { body: "", status: 500 };
  const callers = startCallers({ port: gateway.port, key });
  for (let moment = 0; moment < MOMENTS; moment += 1) {
    await pause(random.between(0, 200));
    emptyLog();
    disk.fill(pid);
    const full = await Promise.all([askPartner(), askPartner(), askPartner(), askPartner()]);
    others.push(...full);
    await until(async () => expect(await obstacles()).toContain(CREDITS));
    await until(() => expect(callers.answers.at(-1)?.status).toBe(503));
    disk.makeRoom(pid);
    const served = callers.served();
    await until(() => expect(callers.served()).toBeGreaterThan(served + 20));
    await until(async () => expect(await obstacles()).toEqual([]));
    others.push(await askPartner());
  }
  await callers.end();

  // To the end of the balance, and of what partners may be asked.
  others.push(...(await Promise.all(Array.from({ length: PARTNER_CAP }, askPartner))));
  expect(others.at(-1)?.status).toBe(503);
  expect(partner.requests.length).toBeLessThanOrEqual(PARTNER_CAP);
  const call = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}';
  const batch = `[${new Array(500).fill(call).join(",")}]`;
  for (let text = ""; !text.includes('"code":402'); ) {
    const answer = await post(batch);
    others.push(answer);
    text = answer.text;
  }
  const served = charged([...callers.answers, ...others]);
  expect(served).toBeLessThanOrEqual(DAILY);
  // Nothing of the balance got lost either.
  await until(async () => {
    const { text } = await post('{"jsonrpc":"2.0","id":1,"method":"tollgate_usage"}');
    expect(JSON.parse(text).result.used).toBe(served);
  });
});
