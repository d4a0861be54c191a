import { afterAll, beforeAll, expect, test } from "vitest";
import { DEFAULT_WIRE } from "../config/default-wire.ts";
import { type DevNode, startAnvil } from "../dev/anvil.ts";
import { rpc } from "../dev/rpc.ts";
import { wholeBytes } from "../lib/bytes.ts";
import { systemClock } from "../lib/clock.ts";
import { TimerWheel } from "../lib/timer-wheel.ts";
import { EventLoop } from "../wire/event-loop.ts";
import { HttpUpstream } from "./http-upstream.ts";
import type { UpstreamRequest } from "./transport.ts";
import type { UpstreamAnswer } from "./upstream-answer.ts";

const BLOCKS = 50;
const ACCOUNT = "0xf39fd6e51aad88f6f4ce6ab8827279cff92266e6";

let node: DevNode;
const open: HttpUpstream[] = [];

beforeAll(async () => {
  node = await startAnvil();
  await rpc(node.url, "anvil_mine", [`0x${BLOCKS.toString(16)}`]);
});
afterAll(async () => {
  for (const upstream of open) await upstream.close();
  await node.stop();
});

function upstreamOf(batch: number): HttpUpstream {
  const options = { name: "anvil", url: node.url, headers: {}, maxConnections: 8, batch };
  const timers = new TimerWheel(systemClock);
  const upstream = new HttpUpstream(
    { ...options, maxResponseBytes: 10_000_000 },
    { timers, loop: new EventLoop(DEFAULT_WIRE) },
  );
  open.push(upstream);
  return upstream;
}

const answersOf = (upstream: HttpUpstream, requests: readonly UpstreamRequest[]) =>
  Promise.all(
    requests.map(
      (request) =>
        new Promise<UpstreamAnswer>((resolve) => upstream.call(request, { answered: resolve })),
    ),
  );
const told = (answer: UpstreamAnswer): unknown =>
  answer.kind === "result" ? wholeBytes(answer.result).toString() : answer;

/** Results small and large, null, errors of the node and reverts. */
function requestOf(n: number): UpstreamRequest {
  const block = `"0x${(n % (BLOCKS + 10)).toString(16)}"`;
  const all: readonly (readonly [method: string, params: string])[] = [
    ["eth_getBalance", `["${ACCOUNT}",${block}]`],
    ["eth_getBlockByNumber", `[${block},${n % 2 === 0}]`],
    ["eth_call", `[{"from":"${ACCOUNT}","data":"0x${n.toString(16).padStart(6, "0")}"},"latest"]`],
    ["eth_getTransactionByHash", `["0x${n.toString(16).padStart(64, "0")}"]`],
    ["eth_chainId", "[]"],
    ["eth_nothing", `[${n}]`],
    ["eth_getCode", '["not an address","latest"]'],
  ];
  const [method, params] = all[n % all.length] ?? ["eth_chainId", "[]"];
  return { method, params, timeoutMs: 20_000 };
}

test("1,000 calls in batches are answered like 1,000 calls alone", async () => {
  const requests = Array.from({ length: 1000 }, (_, n) => requestOf(n));
  const alone = await answersOf(upstreamOf(0), requests);
  const together = await answersOf(upstreamOf(100), requests);
  expect(together.map(told)).toEqual(alone.map(told));
  expect(new Set(alone.map(({ kind }) => kind))).toEqual(new Set(["result", "error"]));
});
