import { writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { createServer as createNetServer, type Server as NetServer } from "node:net";
import fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import { isApiKey } from "../src/access/api-key.ts";
import { PROGRAM } from "../test/support/program.ts";
import { type Pair, pairsOf } from "./bench.ts";
import { keyText, manyPath } from "./bodies.ts";
import { fullBlock, HEAD_NUMBER, hashOf, numberOf, smallBlock, writeBlock } from "./chain.ts";
import { changesOf, countFaults, statementFaults } from "./compare.ts";
import { cpuTimeUs, writesOf } from "./cpu.ts";
import { failingNode, percentileOf } from "./failing-node.ts";
import { closedLoop, openLoop } from "./generator.ts";
import { Histogram, median } from "./histogram.ts";
import { Processes } from "./processes.ts";
import { countsTable, rowsOf, startLines, tableOf } from "./report.ts";
import { routingCost } from "./routing-cost.ts";
import { SCENARIOS, type Scenario, type SubjectName, scenarioOf } from "./scenarios.ts";

const ends: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

describe("histogram", () => {
  test("a percentile is never below the true value and at most 0.4 % above it", () => {
    const values = fc.array(fc.integer({ min: 0, max: 2 ** 31 - 1 }), { minLength: 1 });
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(values, share, (all, wanted) => {
        const histogram = new Histogram();
        for (const value of all) histogram.record(value);
        const sorted = [...all].sort((a, b) => a - b);
        const exact = sorted[Math.max(1, Math.ceil(wanted * all.length)) - 1] ?? 0;
        expect(histogram.percentile(wanted)).toBeGreaterThanOrEqual(exact);
        expect(histogram.percentile(wanted)).toBeLessThanOrEqual(exact * (1 + 1 / 256));
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
    expect(await part.ask({ failing: true })).toMatchObject({ requests: 2, failed: 0 });
    expect([await ask(), await ask(), await ask(), await ask()]).toEqual([200, 500, 200, 500]);
    expect(await part.ask({ failing: true })).toMatchObject({ requests: 6, failed: 2 });
  });

  test("counts what clients ask, the calls of a batch one by one, and no poll", async () => {
    const processes = new Processes({ cores: null });
    ends.push(() => processes.stopAll());
    const { part, port } = await processes.startChild("others", "./stand-in-node.ts");
    const asked = (method: string, ...params: unknown[]) => ({ id: 1, method, params });
    const [latest, old] = ["latest", "0x1234567"].map((block) =>
      asked("eth_getBlockByNumber", block, false),
    );
    const call = asked("eth_call", {}, "latest");
    for (const body of [latest, asked("getSlot"), old, call, [call, old, latest]]) {
      await post(port, body);
    }
    const counts = await part.ask({ failing: false });
    expect(counts).toEqual({ requests: 5, failed: 0, calls: 4, carriers: 3 });
  });

  test("its chain grows with the time where it is told to, and stands still otherwise", async () => {
    const processes = new Processes({ cores: null });
    ends.push(() => processes.stopAll());
    const since = String(Date.now() - 60_000);
    const nodes = [
      await processes.startChild("others", "./stand-in-node.ts", since, "1000"),
      await processes.startChild("others", "./stand-in-node.ts"),
    ];
    const heads = nodes.map(async ({ port }) => {
      const params = ["latest", false];
      const answer = await post(port, { id: 1, method: "eth_getBlockByNumber", params });
      return Number((answer as { result: { number: string } }).result.number);
    });
    const [grown = 0, still] = await Promise.all(heads);
    expect(grown).toBeGreaterThanOrEqual(HEAD_NUMBER + 60);
    expect(grown).toBeLessThan(HEAD_NUMBER + 120);
    expect(still).toBe(HEAD_NUMBER);
  });

  test("a call of a contract that reverts has geth's error", async () => {
    const params = [{ to: "0x00", data: "0xdeadbeef" }, "latest"];
    const answer = await post(await standIn(), { id: 1, method: "eth_call", params });
    expect(answer).toMatchObject({ error: { code: 3, message: "execution reverted: no" } });
  });

  test("answers each scenario's bodies with results", async () => {
    const port = await standIn();
    const own = SCENARIOS.filter(({ network }) => network !== "ledger");
    for (const scenario of own.filter(({ protocol }) => protocol === "http")) {
      const result = await closedLoop(load(scenario, port, 20));
      expect(result.faults).toEqual({ count: 0, first: null });
      const bodies = scenario.atOnce ? scenario.connections : 20;
      expect(result.calls).toBe(bodies * scenario.callsPerBody);
    }
  });
});

describe("the generator", () => {
  test("no two bodies of a scenario that names itself never the same are equal", () => {
    for (const name of ["forward", "batch-100", "block-300k-miss", "slot-block-5m"]) {
      const { body } = scenarioOf(name);
      expect(new Set(Array.from({ length: 1000 }, (_, n) => body(n))).size).toBe(1000);
    }
  });

  test("a scenario that is primed asks for nothing that its priming did not ask for", () => {
    for (const { body, primed, name } of SCENARIOS.filter((scenario) => scenario.primed > 0)) {
      const known = new Set(Array.from({ length: primed }, (_, n) => body(n)));
      for (let n = primed; n < primed + 20_000; n += 97) expect(known, name).toContain(body(n));
    }
  });

  test("many keys call many networks, some keys much more often than others", () => {
    const paths = Array.from({ length: 4000 }, (_, n) => manyPath(n, 1000));
    const networks = new Set(paths.map((path) => path.split("/")[1]));
    const uses = new Map<string, number>();
    for (const path of paths) uses.set(path.slice(-32), (uses.get(path.slice(-32)) ?? 0) + 1);
    expect(networks.size).toBe(8);
    expect([...uses.keys()].every(isApiKey)).toBe(true);
    expect(uses.get(keyText(0))).toBeGreaterThan(200);
    expect(uses.size).toBeGreaterThan(500);
  });

  test("at once means at once: no body goes out before all have the last one's answer", async () => {
    const seen: string[] = [];
    const waiting: (() => void)[] = [];
    const port = await listening(
      createServer((request, response) => {
        request.on("data", (body) => seen.push(String(body)));
        request.on("end", () => {
          waiting.push(() => response.end('{"jsonrpc":"2.0","id":1,"result":"0x1"}'));
          if (waiting.length === 8) for (const answer of waiting.splice(0)) answer();
        });
        response.setHeader("Content-Length", 39);
      }),
    );
    const scenario = { ...scenarioOf("identical-1000"), connections: 8 };
    const result = await closedLoop(load(scenario, port, 24));
    expect(result).toMatchObject({ calls: 24, faults: { count: 0 } });
    const waves = [0, 8, 16].map((at) => new Set(seen.slice(at, at + 8)).size);
    expect([waves, new Set(seen).size]).toEqual([[1, 1, 1], 3]);
  });

  test("bytes are those of the whole answers, heads included", async () => {
    const body = '{"jsonrpc":"2.0","id":1,"result":"0x1"}';
    const text = `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    const port = await listening(
      createNetServer((socket) => socket.on("data", () => socket.write(text))),
    );
    expect((await closedLoop(load(scenarioOf("local"), port, 10))).bytes).toBe(text.length);
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
  test("CPU time of a process grows with its work, where /proc tells it", () => {
    const before = cpuTimeUs(process.pid);
    if (process.platform !== "linux") return expect(before).toBeNull();
    const until = performance.now() + 60;
    while (performance.now() < until);
    expect(cpuTimeUs(process.pid)).toBeGreaterThan(before ?? Number.POSITIVE_INFINITY);
    expect(cpuTimeUs(0)).toBeNull();
  });

  test("writes of a process are counted, where /proc tells them", () => {
    const before = writesOf(process.pid);
    if (process.platform !== "linux") return expect(before).toBeNull();
    writeFileSync("/dev/null", "x");
    expect(writesOf(process.pid)).toBeGreaterThan(before ?? Number.POSITIVE_INFINITY);
    expect(writesOf(0)).toBeNull();
  });

  test("Tollgate is held against the floor of its scenario, and a target is met or missed", () => {
    const rows = rowsOf(pairs({ ours: 30 }));
    expect(rows.map((row) => [row.subject, row.cpuUsPerCall, row.ratio, row.target])).toEqual([
      ["net-constant", 20, null, null],
      ["http-constant", 40, 2, null],
      ["tollgate", 30, 1.5, { ratio: 1.5 }],
      ["tollgate", 10, 0.25, { ratio: 0.83 }],
    ]);
    expect(tableOf(rows)).toMatch(/local +tollgate +30\.0 +33333 +1000 +1\.50 +<= 1\.5 met/);
    const slower = tableOf(rowsOf(pairs({ ours: 31 })));
    expect(slower).toMatch(/local +tollgate +31\.0 +32258 +1000 +1\.55 +<= 1\.5 missed/);
  });

  test("a round in which only one of the two met a busy machine is one of many", () => {
    const rounds = (subject: SubjectName, cpus: readonly number[]): Pair => {
      const pair: Pair = { subject, scenario: "local", closed: [], open: [] };
      return { ...pair, closed: cpus.flatMap((cpuUs) => measured(pair, cpuUs).closed) };
    };
    const rows = rowsOf([rounds("net-constant", [10, 11, 30]), rounds("tollgate", [15, 30, 45])]);
    expect(rows.map(({ ratio }) => ratio)).toEqual([null, 1.5]);
  });

  test("what Tollgate adds to a p50 is what the node itself does not take, held against a bare proxy's", () => {
    const at = (subject: SubjectName, p50Ms: number): Pair => {
      const faults = { count: 0, first: null };
      const open = [{ calls: 9, p50Ms, p99Ms: 1, maxMs: 1, faults }];
      return { subject, scenario: "forward", closed: [], open };
    };
    const tableWith = (proxyP50Ms: number) =>
      tableOf(rowsOf([at("direct", 0.05), at("net-proxy", proxyP50Ms), at("tollgate", 0.18)]));
    expect(tableWith(0.15)).toMatch(/forward +tollgate .*0\.130 +1\.30 +<= 1\.4 met/);
    expect(tableWith(0.14)).toMatch(/forward +tollgate .*0\.130 +1\.44 +<= 1\.4 missed/);
    expect(tableOf(rowsOf([at("direct", 0.05), at("tollgate", 0.18)]))).toMatch(/ 0\.130\n/);
  });

  test("a count above its bound, or above the saved run's, is a fault, and noise is none", () => {
    const rows = (calls: number, writes: number) =>
      rowsOf(
        [measured({ subject: "tollgate", scenario: "forward", closed: [], open: [] }, 9)].map(
          ({ closed, ...pair }) => {
            const upstream = { calls, requests: 1 };
            return { ...pair, closed: closed.map((loop) => ({ ...loop, writes, upstream })) };
          },
        ),
      );
    expect(countFaults(rows(1, 2), null)).toEqual([]);
    expect(countFaults(rows(1.2, 2), null)).toEqual([
      "forward: 1.200 calls to nodes per call, at most 1.11 are allowed",
    ]);
    const saved = { rows: rows(1, 2) };
    expect(countFaults(rows(1.05, 2.05), saved)).toEqual([]);
    expect(countFaults(rows(1, 2.3), saved)).toEqual([
      "forward: 2.300 writes per call, 2.000 in the saved run",
    ]);
    expect(countsTable(rows(1, 2))).toMatch(/forward +1\.0000 +1\.0000 +649 +2\.00/);
  });

  test("ratios are shown beside the saved run's", () => {
    const saved = { rows: rowsOf(pairs({ ours: 30 })) };
    expect(changesOf({ rows: rowsOf(pairs({ ours: 33 })) }, saved)).toMatch(
      /local, tollgate +1\.50 -> 1\.65 {2}\+10\.0 %/,
    );
    expect(changesOf(saved, { rows: [] })).toBe("");
  });

  test("statements grow with the time, not with the calls, or it is a fault", () => {
    const of = (fast: number) => ({
      slow: { calls: 1000, statements: 12 },
      fast: { calls: 50_000, statements: fast },
    });
    expect(statementFaults(of(14), null)).toEqual([]);
    expect(statementFaults(of(500), null)).toHaveLength(1);
    expect(statementFaults(of(20), { rows: [], statements: of(5) })).toHaveLength(1);
  });

  test("a start and its memory are met or missed", () => {
    const memory = { idleBytes: 190_000_000, afterBytes: 608_500_000 };
    expect(startLines({ readyMs: 400, idleBytes: 110_000_000 }, memory).split("\n")).toEqual([
      "first answer after the start: 400 ms   <= 400 met",
      "resident memory, one network, idle: 110 MB   <= 110 MB met",
      "resident memory, all networks, idle: 190 MB",
      "resident memory after all scenarios: 609 MB   <= 608 MB missed",
      "",
    ]);
    const nothing = { idleBytes: null, afterBytes: null };
    const unknown = startLines({ readyMs: null, idleBytes: null }, nothing);
    expect(unknown).toContain("unknown");
    expect(unknown).not.toContain("missed");
  });
});

/** Two scenarios with their floors; a call costs 20 at the bare one, and 10 in a batch. */
function pairs({ ours }: { readonly ours: number }): Pair[] {
  const costs: Record<string, number> = {
    "net-constant local": 20,
    "http-constant local": 40,
    "tollgate local": ours,
    "tollgate batch-100": 10,
  };
  const subjects: SubjectName[] = ["net-constant", "http-constant", "tollgate"];
  return pairsOf(["local", "batch-100"].map(scenarioOf), subjects).map((pair) =>
    measured(pair, costs[`${pair.subject} ${pair.scenario}`] ?? 0),
  );
}

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
    const found = await failingNode({ program: PROGRAM, rounds: 1, seconds: 1, cores: null });
    expect(found).toMatchObject({ faults: 0, firstFault: null });
    expect(found.failed).toBeGreaterThan(0);
    expect(found.attemptP99Ms).toBeGreaterThan(0);
  }, 60_000);
});

function measured(pair: Pair, cpuUs: number): Pair {
  const faults = { count: 0, first: null };
  const counts = { writes: 1, bytes: 649, upstream: { calls: 0, requests: 0 } };
  return { ...pair, closed: [{ calls: 100, callsPerSecond: 1000, cpuUs, ...counts, faults }] };
}

function load(scenario: Scenario, port: number, maxBodies: number) {
  const address = { port, path: "/" };
  return { scenario, address, pid: null, seconds: 5, maxBodies, maySleep: true };
}

async function standIn(): Promise<number> {
  const processes = new Processes({ cores: null });
  ends.push(() => processes.stopAll());
  return (await processes.startChild("others", "./stand-in-node.ts")).port;
}

async function listening(server: Server | NetServer): Promise<number> {
  ends.push(async () => {
    if ("closeAllConnections" in server) server.closeAllConnections();
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
