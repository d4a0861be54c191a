import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type NodeRequest,
  type StandInNode,
  startStandInNode,
} from "../../../test/support/stand-in-node.ts";
import { UPSTREAM_SECRET } from "../../../test/support/upstream-secret.ts";
import { temporaryFolder } from "../../../test/support/written.ts";
import { type DevNode, startAnvil } from "../../dev/anvil.ts";
import { rpc } from "../../dev/rpc.ts";
import { SAMPLE_LEDGER } from "../../dev/slot-samples.ts";
import { runCheck } from "./check.ts";
import { EVM_QUESTIONS } from "./check-questions.ts";

const folder = temporaryFolder("check");
let files = 0;

/** The rows of the table without its padding, and what stands below it. */
function check(...upstreams: readonly object[]) {
  return checkOf("evm", upstreams);
}

async function checkOf(family: "evm" | "slot", upstreams: readonly object[]) {
  files += 1;
  const file = join(folder, `${files}.yaml`);
  const networks = [{ name: "net", family, upstreams }];
  writeFileSync(file, JSON.stringify({ networks }));
  let printed = "";
  const code = await runCheck({ config: file }, (text) => {
    printed += `${text}\n`;
  });
  expect(printed).not.toMatch(new RegExp(`${UPSTREAM_SECRET}|://|127\\.0\\.0\\.1`));
  const [, , ...rows] = printed.trimEnd().replace(/ {2,}/g, "  ").split("\n");
  return { code, rows };
}

describe("a real node", () => {
  let node: DevNode;
  beforeAll(async () => {
    node = await startAnvil();
    await rpc(node.url, "anvil_mine", ["0x96"]);
  });
  afterAll(() => node.stop());

  test("is asked for all that the table shows", async () => {
    const { url, wsUrl: ws } = node;
    const { code, rows } = await check({ name: "anvil", url: `${url}?key=${UPSTREAM_SECRET}`, ws });
    expect(code).toBe(0);
    expect(rows.slice(1)).toEqual([]);
    // It keeps 64 states.
    expect(rows[0]).toMatch(
      /^net {2}anvil {2}primary {2}anvil\/v[\d.]+ {2}31337 {2}150 {2}0 {2}all {2}1 {2}[\d.]+ ms {2}ok {2}ok$/,
    );
  });

  test("whose ws leads nowhere, or to another chain, is a fault", async () => {
    const { url } = node;
    const other = await startAnvil();
    await rpc(other.url, "anvil_setChainId", [5]);
    try {
      const gone = { name: "gone", url, ws: `ws://127.0.0.1:1/${UPSTREAM_SECRET}` };
      const { code, rows } = await check(gone, { name: "other", url, ws: other.wsUrl });
      expect(code).toBe(1);
      expect(rows[0]).toMatch(/ms {2}no {2}its ws: ECONNREFUSED$/);
      expect(rows[1]).toMatch(/ms {2}no {2}its ws: is of chain 5$/);
    } finally {
      await other.stop();
    }
  });
});

test("a ledger of files is asked for all that the table shows", async () => {
  const ledger = { name: "ledger", url: `file:${SAMPLE_LEDGER}` };
  const gone = { name: "gone", url: `file:${join(folder, "nowhere")}` };
  const { code, rows } = await checkOf("slot", [ledger, gone]);
  expect(code).toBe(1);
  expect(rows[0]).toMatch(
    /^net {2}ledger {2}primary {2}\S+tollgate-ledger\S* {2}CmpNegg\w+ {2}432008 {2}0 {2}11 of 41 {2}17 {2}[\d.]+ ms {2}- {2}ok$/,
  );
  expect(rows[1]).toMatch(/^net {2}gone {2}primary .*ledger\.json/);
});

describe("a node of few abilities", () => {
  let node: StandInNode;
  let asked: NodeRequest[] = [];
  beforeAll(async () => {
    node = await startStandInNode((request) => {
      asked.push(request);
      switch (request.method) {
        case "eth_blockNumber":
          return { result: "0x2710" };
        case "web3_clientVersion":
          return { result: "Odd\u001b[31m/v1" };
        case "eth_getProof":
          return { error: { code: -32601, message: "the method eth_getProof does not exist" } };
        case "eth_feeHistory":
          return { error: { code: -32005, message: "too many requests" }, status: 429 };
        case "eth_getBalance":
          // It keeps the states of 500 blocks.
          return Number(request.params[1]) < 9500
            ? { error: { code: -32000, message: "missing trie node" } }
            : { result: "0x0" };
        default:
          return { error: { code: -32602, message: "missing value for required argument 0" } };
      }
    });
  });
  afterAll(() => node.stop());

  test("is told of with the methods and the states that it lacks", async () => {
    asked = [];
    const { code, rows } = await check({ name: "odd", url: node.url });
    expect(code).toBe(0);
    const total = EVM_QUESTIONS.length;
    expect(rows[0]).toContain(`  Odd[31m/v1  1  10000  0  ${total - 2} of ${total}  128  `);
    expect(rows.slice(1)).toEqual([
      "net odd lacks eth_getProof",
      "net odd did not answer eth_feeHistory",
    ]);
    expect(asked.length).toBeLessThan(45);
  });

  test("is, as a partner, asked for nothing but its chain and its head", async () => {
    asked = [];
    const primary = { name: "one", url: node.url };
    const alone = await check(primary);
    const ofPrimary = asked.length;
    asked = [];
    const both = await check(primary, {
      name: "paid",
      url: node.url,
      role: "partner",
      ws: "ws://127.0.0.1:1",
    });
    expect(both.code).toBe(alone.code);
    expect(both.rows[1]).toBe("net  paid  partner  -  1  10000  0  -  -  -  -  ok");
    expect(asked.length - ofPrimary).toBe(1);
  });
});

describe("with --json", () => {
  const checkAsJson = async (config: object) => {
    files += 1;
    const file = join(folder, `${files}.yaml`);
    writeFileSync(file, JSON.stringify(config));
    const printed: string[] = [];
    const code = await runCheck({ config: file, json: true }, (text) => printed.push(text));
    expect(printed).toHaveLength(1);
    return { code, report: JSON.parse(printed[0] ?? "") };
  };

  test("what came of each upstream is told", async () => {
    const upstreams = [
      { name: "ledger", url: `file:${SAMPLE_LEDGER}` },
      { name: "gone", url: "http://127.0.0.1:1" },
    ];
    const networks = [{ name: "net", family: "slot", upstreams }];
    expect(await checkAsJson({ networks })).toEqual({
      code: 1,
      report: {
        faults: [],
        upstreams: [
          { network: "net", upstream: "ledger", ok: true, error: null },
          {
            network: "net",
            upstream: "gone",
            ok: false,
            error: "cannot be reached: ECONNREFUSED",
          },
        ],
      },
    });
  });

  test("the file's faults are told, each with its path and line", async () => {
    const { code, report } = await checkAsJson({ networks: [], mail: 1 });
    expect(code).toBe(1);
    expect(report.upstreams).toEqual([]);
    expect(report.faults).toEqual([
      { path: "mail", line: 1, message: expect.any(String) },
      { path: "networks", line: 1, message: expect.any(String) },
    ]);
  });
});

test("nodes that hang keep nobody waiting for longer than the time of one", async () => {
  const hanging = await startStandInNode(() => "hang");
  try {
    const begun = performance.now();
    const upstreams = ["a", "b", "c"].map((name) => ({ name, url: hanging.url }));
    const { code, rows } = await check(...upstreams);
    expect(performance.now() - begun).toBeLessThan(8000);
    expect(code).toBe(1);
    for (const row of rows) expect(row).toMatch(/gave no answer within 5 s$/);
  } finally {
    await hanging.stop();
  }
});
