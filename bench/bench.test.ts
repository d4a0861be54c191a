import { createServer, type Server } from "node:http";
import fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import { Bench, type Pair, pairsOf } from "./bench.ts";
import { fullBlock, hashOf, numberOf, smallBlock, writeBlock } from "./chain.ts";
import { cpuTimeUs } from "./cpu.ts";
import { failingNode, percentileOf } from "./failing-node.ts";
import { closedLoop, openLoop } from "./generator.ts";
import { Histogram, median } from "./histogram.ts";
import { Processes } from "./processes.ts";
import { rowsOf, tableOf } from "./report.ts";
import { routingCost } from "./routing-cost.ts";
import { SCENARIOS, type Scenario, type SubjectName, scenarioOf } from "./scenarios.ts";

const ends: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

describe("histogram", () => {
  test("a percentile is never below the true value and at most 1.6 % above it", () => {
    const values = fc.array(fc.integer({ min: 0, max: 2 ** 31 - 1 }), { minLength: 1 });
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(values, share, (all, wanted) => {
        const histogram = new Histogram();
        for (const value of all) histogram.record(value);
        const sorted = [...all].sort((a, b) => a - b);
        const exact = sorted[Math.max(1, Math.ceil(wanted * all.length)) - 1] ?? 0;
        expect(histogram.percentile(wanted)).toBeGreaterThanOrEqual(exact);
        expect(histogram.percentile(wanted)).toBeLessThanOrEqual(exact * (1 + 1 / 64));
        expect(histogram.max).toBe(sorted.at(-1));
      }),
    );
  });

  test("values beyond its range are counted at its ends, and nothing has percentile 0", () => {
    const histogram = new Histogram();
    expect(histogram.percentile(0.5)).toBe(0);
    histogram.record(-5);
    histogram.record(1e12);
    expect([histogram.count, histogram.percentile(0.5), histogram.max]).toEqual([
      2,
      0,
      2 ** 31 - 1,
    ]);
  });

  test("a median is the middle value, or the mean of the two in the middle", () => {
    expect([median([]), median([3]), median([9, 1, 4]), median([4, 1, 9, 2])]).toEqual([
      null,
      3,
      4,
      3,
    ]);
  });
});

describe("the stand-in node", () => {
  test("a block has the number, hash and parent that were asked for, and about the size it is named by", () => {
    const sizes = [smallBlock(), fullBlock()].map((template) => {
      const target = Buffer.alloc(template.bytes.length);
      writeBlock(template, 0x1234567, { target, offset: 0 });
      const block = JSON.parse(target.toString("latin1"));
      expect(block.number).toBe("0x1234567");
      expect(numberOf(block.hash)).toBe(0x1234567);
      expect(block.parentHash).toBe(hashOf(0x1234566));
      expect(block).not.toHaveProperty("totalDifficulty");
      for (const transaction of block.transactions) {
        if (typeof transaction !== "object") continue;
        expect(transaction.blockHash).toBe(block.hash);
        expect(transaction.blockNumber).toBe(block.number);
      }
      return target.length;
    });
    expect(sizes[0]).toBeGreaterThan(1_400);
    expect(sizes[0]).toBeLessThan(3_000);
    expect(sizes[1]).toBeGreaterThan(300_000);
    expect(sizes[1]).toBeLessThan(305_000);
  });

  test("every call gets its own id back, in a batch too, and an unknown method an error", async () => {
    const port = await standIn();
    const calls = [
      { jsonrpc: "2.0", id: "a", method: "eth_chainId", params: [] },
      { jsonrpc: "2.0", id: 7, method: "eth_getTransactionReceipt", params: ["0x12"] },
      { jsonrpc: "2.0", id: 8, method: "eth_getBlockByHash", params: [hashOf(0x1234567), true] },
      { jsonrpc: "2.0", id: 9, method: "eth_getBlockByNumber", params: ["0xfffffff", false] },
      { jsonrpc: "2.0", id: 10, method: "eth_sendRawTransaction", params: ["0x"] },
    ];
    const batch = await post(port, calls);
    expect(batch).toMatchObject([
      { id: "a", result: "0x1" },
      { id: 7, result: { transactionHash: "0x12" } },
      { id: 8, result: { number: "0x1234567" } },
      { id: 9, result: null },
      { id: 10, error: { code: -32601 } },
    ]);
    expect(await Promise.all(calls.map((call) => post(port, call)))).toEqual(batch);
  });

  test("fails every second request from the moment it is told to, and counts them", async () => {
    const processes = new Processes({ cores: null });
    ends.push(() => processes.stopAll());
    const { part, port } = await processes.startChild("others", "./stand-in-node.ts");
    const ask = async () => {
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_chainId", params: [] });
      return (await fetch(`http://127.0.0.1:${port}/`, { method: "POST", body })).status;
    };
    expect([await ask(), await ask()]).toEqual([200, 200]);
    expect(await part.ask({ failing: true })).toEqual({ requests: 2, failed: 0 });
    expect([await ask(), await ask(), await ask(), await ask()]).toEqual([200, 500, 200, 500]);
    expect(await part.ask({ failing: true })).toEqual({ requests: 6, failed: 2 });
  });

  test("answers each scenario's bodies with results", async () => {
    const port = await standIn();
    const own = SCENARIOS.filter(({ network }) => network !== "ledger");
    for (const scenario of own.filter(({ protocol }) => protocol === "http")) {
      const result = await closedLoop(load(scenario, port, 20));
      expect(result.faults).toEqual({ count: 0, first: null });
      expect(result.calls).toBe(20 * scenario.callsPerBody);
    }
  });
});

describe("the generator", () => {
  test("no two bodies of a scenario that names itself never the same are equal", () => {
    for (const name of ["forward", "batch-100", "block-300k", "slot-block-5m"]) {
      const { body } = scenarioOf(name);
      expect(new Set(Array.from({ length: 1000 }, (_, n) => body(n))).size).toBe(1000);
    }
  });

  test("latency counts from the intended time: a stall is charged to every call it keeps waiting", async () => {
    let isFirst = true;
    const port = await listening(
      createServer((request, response) => {
        request.resume();
        const answer = () => response.end('{"jsonrpc":"2.0","id":1,"result":"0x1"}');
        if (isFirst) setTimeout(answer, 200);
        else answer();
        isFirst = false;
      }),
    );
    const result = await openLoop(load({ ...scenarioOf("local"), connections: 1 }, port, 50), 1000);
    // 50 calls meant for the first 50 ms: none can be answered before 200 ms.
    expect(result.p50Ms).toBeGreaterThan(140);
    expect(result.calls).toBe(50);
  });

  test("an answer that is an error, or not 200, is a fault and is shown", async () => {
    const error = '{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"no"}}';
    for (const [status, body] of [
      [200, error],
      [503, '{"result":1}'],
    ] as const) {
      const port = await listening(
        createServer((request, response) => {
          request.resume();
          response.writeHead(status, { "Content-Length": body.length }).end(body);
        }),
      );
      const { faults } = await closedLoop(load(scenarioOf("local"), port, 5));
      expect(faults.count).toBe(5);
      expect(faults.first).toContain(body);
    }
  });

  test("a port that nobody listens on is an error, not a wait", async () => {
    const server = createServer();
    const port = await listening(server);
    await new Promise((resolve) => server.close(resolve));
    await expect(closedLoop(load(scenarioOf("local"), port, 5))).rejects.toThrow("refused");
  });
});

describe("a run", () => {
  test("measures every floor without a fault and leaves no process behind", async () => {
    const subjects: SubjectName[] = ["http-constant", "http-proxy", "ws-constant"];
    const options = { subjects, rounds: 1, seconds: 2, maxBodies: 40, cores: null };
    const bench = new Bench({ ...options, scenarios: SCENARIOS });
    ends.push(() => bench.stop());
    const rows = rowsOf(await bench.run());
    expect(rows.map((row) => `${row.subject} ${row.scenario}`)).toEqual([
      "http-constant local",
      "http-proxy forward",
      "http-proxy block-300k",
      "ws-constant websocket",
      "http-proxy slot-block-5m",
    ]);
    for (const row of rows) {
      const isOpen = scenarioOf(row.scenario).rate !== null;
      expect(row.faults).toEqual({ count: 0, first: null });
      expect(row.calls).toBe(isOpen ? 80 : 40);
      expect(row.p99Ms === null).toBe(!isOpen);
    }
    const pids = bench.pids();
    expect(pids).toHaveLength(6);
    await bench.stop();
    for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow("ESRCH");
  }, 30_000);

  test("CPU time of a process grows with its work, where /proc tells it", () => {
    const before = cpuTimeUs(process.pid);
    if (process.platform !== "linux") return expect(before).toBeNull();
    const until = performance.now() + 60;
    while (performance.now() < until);
    expect(cpuTimeUs(process.pid)).toBeGreaterThan(before ?? Number.POSITIVE_INFINITY);
    expect(cpuTimeUs(0)).toBeNull();
  });

  test("Tollgate is held against the floor of its scenario, and a target is met or missed", () => {
    const subjects: SubjectName[] = ["http-constant", "tollgate"];
    const scenarios = ["local", "batch-100"].map(scenarioOf);
    const costs = new Map([
      ["http-constant local", 20],
      ["tollgate local", 30],
      ["tollgate batch-100", 10],
    ]);
    const pairs = pairsOf(scenarios, subjects).map((pair) => measured(pair, costs));
    const rows = rowsOf(pairs);
    expect(rows.map((row) => [row.cpuUsPerCall, row.ratio, row.target])).toEqual([
      [20, null, null],
      [30, 1.5, { ratio: 1.4 }],
      [10, 0.5, null],
    ]);
    expect(tableOf(rows)).toMatch(/local +tollgate +30\.0 +33333 +1000 +1\.50 +<= 1\.4 missed/);
  });
});

describe("routing", () => {
  test("every call is answered by both ways, so that a cost is the cost of an answer", async () => {
    const costs = await routingCost({ calls: 500, rounds: 1 });
    expect(costs.map(({ kind }) => kind)).toEqual(["eth_call of latest", "a block by number"]);
    for (const { directUs, routedUs, addsUs } of costs) {
      expect(directUs).toBeGreaterThan(0);
      expect(addsUs).toBeCloseTo(routedUs - directUs);
    }
  });

  test("a percentile of a gateway's histogram is that of what came since", () => {
    const before = new Map([
      [0.001, 100],
      [0.01, 100],
      [Number.POSITIVE_INFINITY, 100],
    ]);
    const after = new Map([
      [0.001, 150],
      [0.01, 200],
      [Number.POSITIVE_INFINITY, 200],
    ]);
    const at = (share: number) => percentileOf(after, { since: before, share });
    expect([at(0.25), at(0.5), at(0.75), at(1)].map((ms) => Math.round(ms * 1e6) / 1e6)).toEqual([
      0.5, 1, 5.5, 10,
    ]);
    expect(percentileOf(after, { since: after, share: 0.99 })).toBe(0);
  });

  test("a node that fails half of its calls fails no client's", async () => {
    const found = await failingNode({ rounds: 1, seconds: 1, cores: null });
    expect(found).toMatchObject({ faults: 0, firstFault: null });
    expect(found.failed).toBeGreaterThan(0);
    expect(found.attemptP99Ms).toBeGreaterThan(0);
  }, 60_000);
});

function measured(pair: Pair, costs: ReadonlyMap<string, number>): Pair {
  const cpuUs = costs.get(`${pair.subject} ${pair.scenario}`) ?? null;
  const faults = { count: 0, first: null };
  return { ...pair, closed: [{ calls: 100, callsPerSecond: 1000, cpuUs, faults }] };
}

function load(scenario: Scenario, port: number, maxBodies: number) {
  return { scenario, address: { port, path: "/" }, pid: null, seconds: 5, maxBodies };
}

async function standIn(): Promise<number> {
  const processes = new Processes({ cores: null });
  ends.push(() => processes.stopAll());
  return (await processes.startChild("others", "./stand-in-node.ts")).port;
}

async function listening(server: Server): Promise<number> {
  ends.push(async () => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return address !== null && typeof address === "object" ? address.port : 0;
}

async function post(port: number, body: unknown): Promise<unknown> {
  const request = { method: "POST", body: JSON.stringify(body) };
  return (await fetch(`http://127.0.0.1:${port}/`, request)).json();
}
