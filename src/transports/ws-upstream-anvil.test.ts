import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { type DevNode, startAnvil } from "../dev/anvil.ts";
import { rpc } from "../dev/rpc.ts";
import { wholeBytes } from "../lib/bytes.ts";
import { systemClock } from "../lib/clock.ts";
import { TimerWheel } from "../lib/timer-wheel.ts";
import type { UpstreamAnswer } from "./upstream-answer.ts";
import type { NewHead } from "./ws-frame.ts";
import { type HeadsState, WsUpstream } from "./ws-upstream.ts";

let node: DevNode;
let upstream: WsUpstream;
let heads: NewHead[];
let states: HeadsState[];

beforeAll(async () => {
  node = await startAnvil();
});
afterAll(() => node.stop());

beforeEach(async () => {
  heads = [];
  states = [];
  upstream = new WsUpstream(
    { url: node.wsUrl, headers: {}, maxResponseBytes: 1_000_000 },
    {
      clock: systemClock,
      timers: new TimerWheel(systemClock),
      random: Math.random,
      observer: { head: (head) => heads.push(head), state: (state) => states.push(state) },
    },
  );
  upstream.open();
  await until(() => expect(states).toEqual(["flowing"]));
});
afterEach(() => upstream.close());

const until = (check: () => void) => vi.waitFor(check, { timeout: 10_000, interval: 5 });
const call = (method: string, params = "[]"): Promise<UpstreamAnswer> =>
  new Promise((resolve) =>
    upstream.call({ method, params, timeoutMs: 10_000 }, { answered: resolve }),
  );
const text = (answer: UpstreamAnswer): string =>
  answer.kind === "result" ? wholeBytes(answer.result).toString() : JSON.stringify(answer);

type Block = {
  number: string;
  hash: string;
  parentHash: string;
  gasLimit: string;
  timestamp: string;
};

describe("a real node", () => {
  test("tells of each block that it mines, with the members that it has over HTTP", async () => {
    for (let turn = 0; turn < 5; turn += 1) await rpc(node.url, "evm_mine");
    await until(() => expect(heads).toHaveLength(5));
    for (const head of heads) {
      const hex = `0x${head.number.toString(16)}`;
      const block = await rpc<Block>(node.url, "eth_getBlockByNumber", [hex, false]);
      expect(head).toEqual({
        number: Number(block.number),
        hash: block.hash,
        parentHash: block.parentHash,
        gasLimit: block.gasLimit,
        timestamp: Number(block.timestamp),
      });
    }
    expect(heads.slice(1).map(({ parentHash }) => parentHash)).toEqual(
      heads.slice(0, -1).map(({ hash }) => hash),
    );
  });

  test("answers many calls over the one socket, each with its own answer", async () => {
    const quantities = Array.from({ length: 300 }, (_, at) => `0x${(at + 1).toString(16)}`);
    const address = (quantity: string): string => quantity.slice(2).padStart(40, "0");
    await Promise.all(
      quantities.map((quantity) =>
        rpc(node.url, "anvil_setBalance", [`0x${address(quantity)}`, quantity]),
      ),
    );
    const balances = await Promise.all(
      quantities.map((quantity) => call("eth_getBalance", `["0x${address(quantity)}","latest"]`)),
    );
    expect(balances.map(text)).toEqual(quantities.map((quantity) => `"${quantity}"`));
  });

  test("answers a failure as an error, and goes on", async () => {
    const failed = await call("eth_noSuchMethod");
    expect(failed).toMatchObject({ kind: "error", status: 200, error: { code: -32602 } });
    expect(text(await call("eth_chainId"))).toBe('"0x7a69"');
    expect(states).toEqual(["flowing"]);
  });

  test("that is killed is noticed, and calls are unreachable from then on", async () => {
    process.kill(node.pid, "SIGKILL");
    await until(() => expect(states).toEqual(["flowing", "down"]));
    expect((await call("eth_chainId")).kind).toBe("unreachable");
  });
});
