import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { EVM_GROUP_METHODS } from "../../src/methods/registry.ts";
import { ask } from "../routing/client.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { type StandInNode, startStandInNode } from "../support/stand-in-node.ts";

const HASH = `0x${"ab".repeat(32)}`;
const ADDRESS = `0x${"12".repeat(20)}`;
const CALL = { from: ADDRESS, to: ADDRESS, data: "0x" };
const RESULT = { told: "by the node" };

/** Params of each method, as they reach the node. */
const PARAMS: Readonly<Record<string, readonly unknown[]>> = {
  debug_traceTransaction: [HASH, { tracer: "callTracer" }],
  debug_traceCall: [CALL, "0x1", { tracer: "prestateTracer", limit: 5 }],
  debug_traceBlockByNumber: ["0x1", { disableStack: true }],
  debug_traceBlockByHash: [HASH],
  debug_getRawBlock: ["0x1"],
  debug_getRawHeader: [{ blockHash: HASH }],
  debug_getRawReceipts: ["0x1"],
  trace_block: ["0x1"],
  trace_transaction: [HASH],
  trace_call: [CALL, ["trace", "stateDiff"], "0x1"],
  trace_filter: [{ fromBlock: "0x0", toBlock: "0x1", toAddress: [ADDRESS], after: 1, count: 2 }],
  trace_replayTransaction: [HASH, ["vmTrace"]],
  txpool_status: [],
  txpool_inspect: [],
  txpool_content: [],
  txpool_contentFrom: [ADDRESS],
};

let node: StandInNode;
let gateway: TestGateway;
beforeAll(async () => {
  node = await startStandInNode(() => ({ result: RESULT }));
  node.head = 9;
  const upstreams = [{ name: "node", url: node.url }];
  const network = { family: "evm", chainId: 1, upstreams };
  gateway = await startTestGateway({
    networks: [
      { name: "off", ...network },
      { name: "on", ...network, groups: ["debug", "trace", "txpool"] },
      { name: "tracing", ...network, groups: ["trace"] },
    ],
  });
});
afterAll(async () => {
  await gateway?.stop();
  await node?.stop();
});

describe.each(EVM_GROUP_METHODS)("$method", ({ method, credits, group }) => {
  const params = PARAMS[method] ?? [];

  test("is not there where its group is off, which the refusal says", async () => {
    const { body, header } = await ask(gateway.http("off"), { method, params });
    expect(body.error).toEqual({
      code: -32_601,
      message: `the method ${method} does not exist/is not available: the network does not serve the group ${group}`,
    });
    expect(header("X-Credits-Charged")).toBe("0");
  });

  test("is served where its group is on, at its price, with its params as they came", async () => {
    const { body, header } = await ask(gateway.http("on"), { method, params });
    expect(body.result).toEqual(RESULT);
    expect(header("X-Credits-Charged")).toBe(String(credits));
    expect(node.requests.at(-1)).toMatchObject({ method, params });
  });
});

test("each group is switched on by itself", async () => {
  const trace = await ask(gateway.http("tracing"), { method: "trace_block", params: ["0x1"] });
  expect(trace.body.result).toEqual(RESULT);
  const debug = await ask(gateway.http("tracing"), {
    method: "debug_getRawBlock",
    params: ["0x1"],
  });
  expect(debug.body.error?.code).toBe(-32_601);
});

test.each<[string, readonly unknown[], string]>([
  ["debug_traceTransaction", [HASH, { tracer: "{result: function() {}}" }], "tracer is not taken"],
  ["debug_traceTransaction", [HASH, { timeout: "10h" }], "timeout is not taken"],
  ["debug_traceTransaction", [HASH, { reexec: 1_000_000 }], 'json: unknown field "reexec"'],
  ["trace_call", [CALL, ["everything"]], "unknown trace type"],
  ["trace_filter", [{ count: -1 }], "json: cannot unmarshal number"],
])("%s %j is refused before a node is asked", async (method, params, words) => {
  const before = node.requests.length;
  const { body } = await ask(gateway.http("on"), { method, params });
  expect(body.error?.code).toBe(-32_602);
  expect(body.error?.message).toContain(words);
  expect(node.requests).toHaveLength(before);
});
