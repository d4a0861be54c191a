import { expect, test, vi } from "vitest";
import { ask } from "../http/ask.ts";
import { startTestGateway } from "../support/gateway.ts";
import { startStandInNode } from "../support/stand-in-node.ts";
import { connect } from "./client.ts";

const MEBIBYTE = 1024 * 1024;
const CALLS = 120;

test("a client that does not read is closed with 1013, and what waits for it is bounded", async () => {
  const code = `"0x${"5b".repeat(MEBIBYTE / 2)}"`;
  const node = await startStandInNode(() => ({ resultText: code }));
  const upstreams = [{ name: "node", url: node.url }];
  const gateway = await startTestGateway({
    networks: [{ name: "net", family: "evm", chainId: 1, upstreams }],
  });
  const slow = await connect(gateway.ws());
  slow.socket.pause();
  const params = `["0x${"00".repeat(20)}","latest"]`;
  for (let id = 0; id < CALLS; id += 1) {
    slow.send(`{"jsonrpc":"2.0","id":${id},"method":"eth_getCode","params":${params}}`);
  }
  // Every call has been taken in and is answered, in the gateway's own count.
  await vi.waitFor(
    async () => {
      const metrics = await (await gateway.admin("/metrics")).text();
      const served = /^tollgate_calls_total\{.*eth_getCode.*\} (\d+)$/m.exec(metrics)?.[1];
      expect(Number(served)).toBe(CALLS);
    },
    { timeout: 20_000, interval: 20 },
  );
  const { status } = await ask(gateway.port, { target: `/net/v3/${gateway.key}` });
  expect(status).toBe(200);
  slow.socket.resume();
  expect(await slow.closed).toEqual({ code: 1013, reason: "answers are not read" });
  // 32 MiB, one answer more, and what the system's buffers between the two took.
  expect(slow.messages.length).toBeGreaterThan(31);
  expect(slow.messages.length).toBeLessThan(60);
  await gateway.stop();
  await node.stop();
});
