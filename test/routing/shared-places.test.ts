import { setTimeout } from "node:timers/promises";
import { Pool } from "undici";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess } from "../support/gateway-process.ts";
import { type StandInNode, startStandInNode } from "../support/stand-in-node.ts";

const ANSWER_MS = 1000;
const CONNECTIONS = 16;
/** What two nodes can do a second is 32. */
const FLOOD_PER_SECOND = 200;
const FLOOD_MS = 6000;
const QUIET_EVERY_MS = 250;
/** Of some 13 that come while the flood lasts. */
const MOST_BLOCKS_LATE = 6;

let nodes: StandInNode[];
let gateway: GatewayProcess;
beforeEach(async () => {
  nodes = await Promise.all(
    [0, 1].map(() =>
      startStandInNode(async () => {
        // A third of it is chance, so that places do not come free in bursts.
        await setTimeout(ANSWER_MS * (0.83 + Math.random() / 3));
        return { result: "0x01" };
      }),
    ),
  );
  const upstreams = nodes.map(({ url }, index) => ({
    ...{ name: `node-${index}`, url, maxConnections: CONNECTIONS },
  }));
  gateway = await startGatewayProcess("http://127.0.0.1:1", { network: { upstreams } });
});
afterEach(async () => {
  await gateway?.stop();
  for (const node of nodes ?? []) await node.stop();
});

let made = 0;
const nextCall = (block: string): string => {
  made += 1;
  const address = `0x${made.toString(16).padStart(40, "0")}`;
  return JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_getCode", params: [address, block] });
};

type Tally = {
  readonly times: number[];
  readonly statuses: Map<number, number>;
  /** `latest`: so that the head is used, and nodes are asked for it. */
  readonly block: string;
};

async function call(pool: Pool, path: string, { times, statuses, block }: Tally): Promise<void> {
  const begun = performance.now();
  const { statusCode, body } = await pool.request({ method: "POST", path, body: nextCall(block) });
  await body.text();
  times.push(performance.now() - begun);
  statuses.set(statusCode, (statuses.get(statusCode) ?? 0) + 1);
}

/** Calls at that rate, whatever becomes of them. */
async function callEvery(everyMs: number, forMs: number, one: () => Promise<void>): Promise<void> {
  const begun = performance.now();
  const all: Promise<void>[] = [];
  for (let next = 0; next * everyMs < forMs; ) {
    const due = Math.floor((performance.now() - begun) / everyMs);
    for (; next <= due && next * everyMs < forMs; next += 1) all.push(one());
    await setTimeout(5);
  }
  await Promise.all(all);
}

const tally = (block = "0x1"): Tally => ({ times: [], statuses: new Map(), block });
const median = (times: readonly number[]): number =>
  times.toSorted((a, b) => a - b)[times.length >> 1] ?? 0;

test("an account that floods slow nodes gets what is left: others wait for one place, no breaker opens, the head goes on", async () => {
  const origin = `http://127.0.0.1:${gateway.port}`;
  const floods = new Pool(origin, { connections: 4 * FLOOD_PER_SECOND });
  const quiets = new Pool(origin, { connections: 50 });
  const [flood, quiet] = [tally(), tally("latest")];
  const blocks = setInterval(() => {
    for (const node of nodes) node.head += 1;
  }, 1000);
  try {
    await Promise.all([
      callEvery(1000 / FLOOD_PER_SECOND, FLOOD_MS, () => call(floods, gateway.path, flood)),
      callEvery(QUIET_EVERY_MS, FLOOD_MS, () => call(quiets, gateway.otherPath, quiet)),
    ]);
    const text = await gateway.metrics();
    // Nodes get a block a second, and are asked for it meanwhile.
    const heads = [...text.matchAll(/^tollgate_upstream_head\{[^}]*\} (\d+)/gm)];
    expect(heads).toHaveLength(nodes.length);
    for (const [, head] of heads) {
      expect((nodes[0]?.head ?? 0) - Number(head)).toBeLessThanOrEqual(MOST_BLOCKS_LATE);
    }
    expect(text).not.toMatch(/^tollgate_upstream_ready\{[^}]*\} 0/m);
  } finally {
    clearInterval(blocks);
    await Promise.all([floods.destroy(), quiets.destroy()]);
  }
  expect([...quiet.statuses]).toEqual([[200, FLOOD_MS / QUIET_EVERY_MS]]);
  expect(median(quiet.times)).toBeLessThan(2 * ANSWER_MS);
  const served = flood.statuses.get(200) ?? 0;
  const possible = (2 * CONNECTIONS * FLOOD_MS) / ANSWER_MS;
  expect(served).toBeGreaterThan(0.8 * possible);
  expect(flood.statuses.get(503) ?? 0).toBeGreaterThan(0);
}, 60_000);
