import { afterAll, beforeAll, expect, test } from "vitest";
import { CONNECTION_LIMITS } from "../../src/gateway/fronts/server.ts";
import { type GatewayProcess, startGatewayProcess } from "../support/gateway-process.ts";
import { type RawConnection, readAnswers } from "../support/raw-connection.ts";
import { type StandInNode, startStandInNode } from "../support/stand-in-node.ts";
import { callMeanwhile, describeCalls } from "./good-client.ts";
import { answerBigOrSmall, HOSTILE, type HostileKind } from "./hostile-clients.ts";

/** As slow.test.ts, with the limits that a gateway really has. */
const OF_EACH_KIND = 20;

let node: StandInNode;
let gateway: GatewayProcess;
beforeAll(async () => {
  node = await startStandInNode(answerBigOrSmall);
  gateway = await startGatewayProcess(node.url);
});
afterAll(async () => {
  await gateway.stop();
  await node.stop();
});

test("200 hostile connections delay nobody, and are closed after 10, 30 and 120 s", async () => {
  const target = { port: gateway.port, path: gateway.path, dripMs: 500 };
  let alone = true;
  setTimeout(() => {
    alone = false;
  }, 5_000);
  const before = await callMeanwhile(target, () => alone);
  const { usedBytes } = await gateway.state();

  const opened = await Promise.all(
    Array(OF_EACH_KIND)
      .fill(HOSTILE)
      .flat()
      .map((kind) => endOf(kind, target)),
  );
  const connections = opened.map(({ connection }) => connection);
  let busy = true;
  const among = callMeanwhile(target, () => busy);
  const ends = await Promise.all(opened.map(({ end }) => end));
  await expect.poll(gateway.openConnections, { timeout: 600_000, interval: 1_000 }).toBe(4);
  busy = false;
  const meanwhile = await among;
  for (const { socket } of connections) socket.destroy();

  for (const { kind, statuses, seconds } of ends) {
    expect(statuses, kind.name).toEqual(kind.statuses);
    if (statuses.length === 0) continue;
    const limitSeconds = CONNECTION_LIMITS[kind.limit] / 1000;
    expect(seconds, kind.name).toBeGreaterThan(limitSeconds - 0.5);
    // A second request's limit begins with the first one's answer, among twenty answers of 30 MB.
    expect(seconds, kind.name).toBeLessThan(limitSeconds + 5);
  }
  const after = (await gateway.state()).usedBytes;
  process.stdout.write(
    `among 200 hostile connections: ${describeCalls(meanwhile)}; alone: ${describeCalls(before)}\n`,
  );
  expect(after - usedBytes).toBeLessThan(30_000_000);
});

type End = {
  readonly kind: HostileKind;
  readonly statuses: readonly number[];
  readonly seconds: number;
};

async function endOf(
  kind: HostileKind,
  target: Parameters<HostileKind["open"]>[0],
): Promise<{ connection: RawConnection; end: Promise<End> }> {
  const begun = performance.now();
  const connection = await kind.open(target);
  // Who does not read never sees the end.
  const text = kind.statuses.length === 0 ? Promise.resolve("") : connection.closed;
  const end = text.then((all) => ({
    kind,
    statuses: readAnswers(all).map(({ status }) => status),
    seconds: (performance.now() - begun) / 1000,
  }));
  return { connection, end };
}
