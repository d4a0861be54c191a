import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ask } from "../routing/client.ts";
import { type StandInNode, startStandInNode } from "../support/stand-in-node.ts";
import { openWorkplace, type Started, type Workplace } from "../support/started-gateway.ts";

const TIMEOUT_MS = 3000;
/** Longer than all deadlines. */
const SUSPENDED_MS = 3500;
const CALLS = 40;

const nodes: StandInNode[] = [];
/** Once the nodes are to answer. */
let answers: Promise<void> = Promise.resolve();
let workplace: Workplace;
let gateway: Started;
let url: string;

beforeAll(async () => {
  const reply = () => answers.then(() => ({ result: "0x6001" }));
  nodes.push(await startStandInNode(reply), await startStandInNode(reply));
  workplace = await openWorkplace({
    server: { port: 0 },
    admin: { port: 0 },
    storage: { url: "sqlite:./tollgate.db" },
    cache: { memoryBytes: 0 },
    plans: { big: { dailyCredits: 1e9, creditsPerSecond: 1e9, failover: false } },
    networks: [
      {
        ...{ name: "net", family: "evm", chainId: 1, timeoutMs: TIMEOUT_MS, hedgeShare: 0 },
        upstreams: nodes.map((node, at) => ({ name: `node-${at}`, url: node.url })),
      },
    ],
  });
  await workplace.json("accounts", "create", "ada@example.com", "--plan", "big");
  const { key } = (await workplace.json(
    ...["keys", "create", "--account", "ada@example.com", "--name", "a"],
  )) as { key: string };
  gateway = await workplace.start();
  url = `${gateway.origin}/net/v3/${key}`;
});
afterAll(async () => {
  await workplace.clear();
  await Promise.all(nodes.map((node) => node.stop()));
});

let made = 0;
function call() {
  made += 1;
  const account = `0x${made.toString(16).padStart(40, "0")}`;
  return ask(url, { method: "eth_getCode", params: [account, "latest"] });
}

test("a process that was suspended takes the answers that came meanwhile, and blames no node", async () => {
  await expect.poll(async () => (await call()).status).toBe(200);
  let answer: () => void = () => undefined;
  answers = new Promise((resolve) => {
    answer = resolve;
  });
  const received = () => nodes.reduce((sum, { requests }) => sum + requests.length, 0);
  const before = received();
  const calls = Array.from({ length: CALLS }, call);
  await expect.poll(received, { interval: 10 }).toBe(before + CALLS);
  gateway.process.kill("SIGSTOP");
  answer();
  await setTimeout(SUSPENDED_MS);
  gateway.process.kill("SIGCONT");
  const statuses = (await Promise.all(calls)).map(({ status }) => status);
  expect(statuses.filter((status) => status !== 200)).toEqual([]);
  const metrics = await (await fetch(`${gateway.admin}/metrics`)).text();
  expect(metrics).not.toMatch(/^tollgate_upstream_calls_total\{.*outcome="timeout"/m);
  expect(metrics).not.toMatch(/^tollgate_upstream_breaker_opened_total\{/m);
});
