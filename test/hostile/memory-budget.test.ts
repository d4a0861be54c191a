import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { DEFAULT_WIRE } from "../../src/config/default-wire.ts";
import { type GatewayProcess, startGatewayProcess } from "../support/gateway-process.ts";
import { openRaw, type RawConnection } from "../support/raw-connection.ts";
import { type StandInNode, startStandInNode } from "../support/stand-in-node.ts";
import { callMeanwhile } from "./good-client.ts";
import { answerBigOrSmall } from "./hostile-clients.ts";

const MEGABYTE = 1_000_000;
const BUDGET_BYTES = 150 * MEGABYTE;
/**
 * What was let go and is not collected yet, of the answers to the other client too. node:http reads into memory
 * of its own, from which bodies are copied.
 */
const BESIDE_BYTES = (DEFAULT_WIRE === "node" ? 250 : 100) * MEGABYTE;
const BODY_BYTES = 5 * MEGABYTE;

let node: StandInNode;
let gateway: GatewayProcess;
let open: RawConnection[];
/** What the process has before anybody comes. */
let base: number;
beforeEach(async () => {
  open = [];
  node = await startStandInNode(answerBigOrSmall);
  gateway = await startGatewayProcess(node.url, { server: { memoryBytes: BUDGET_BYTES } });
  ({ peakBytes: base } = await gateway.state());
});
afterEach(async () => {
  for (const { socket } of open) socket.destroy();
  await gateway?.stop();
  await node?.stop();
});

async function connected(): Promise<RawConnection> {
  const connection = await openRaw(gateway.port);
  open.push(connection);
  return connection;
}

const head = (path: string, sizeBytes: number, more: readonly string[] = []): string =>
  [`POST ${path} HTTP/1.1`, "Host: a", `Content-Length: ${sizeBytes}`, ...more, "", ""].join(
    "\r\n",
  );

/** A call of its own each time: of 30 MB, by the last byte of the address. */
function bigCall(number: number): string {
  const address = `0x${number.toString(16).padStart(38, "0")}ff`;
  return `{"jsonrpc":"2.0","id":1,"method":"eth_getCode","params":["${address}","latest"]}`;
}

const upgrade = (path: string): string =>
  [
    `GET ${path} HTTP/1.1`,
    ...["Host: a", "Connection: Upgrade", "Upgrade: websocket"],
    ...["Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==", "", ""],
  ].join("\r\n");

/** A masked text frame that says how long it is. */
function frameHead(sizeBytes: number): Buffer {
  const bytes = Buffer.alloc(14);
  bytes[0] = 0x81;
  bytes[1] = 0x80 | 127;
  bytes.writeBigUInt64BE(BigInt(sizeBytes), 2);
  return bytes;
}

type Abuse = { readonly name: string; readonly run: () => Promise<unknown> };

const times = <One>(count: number, make: (number: number) => Promise<One>) =>
  Promise.all(Array.from({ length: count }, (_, number) => make(number)));

/** Asks for 35 answers of 30 MB at once, and reads nothing; `more`: header lines. */
async function sendBigBatch(more: readonly string[]): Promise<void> {
  const connection = await connected();
  const batch = `[${Array.from({ length: 35 }, (_, number) => bigCall(number)).join(",")}]`;
  connection.socket.pause();
  connection.send(head(gateway.path, batch.length, more) + batch);
}

const ABUSES: readonly Abuse[] = [
  {
    name: "35 answers of 30 MB that nobody reads",
    run: () =>
      times(35, async (number) => {
        const connection = await connected();
        connection.socket.pause();
        const call = bigCall(number);
        connection.send(head(gateway.path, call.length) + call);
      }),
  },
  { name: "a batch of 35 answers of 30 MB", run: () => sendBigBatch([]) },
  {
    name: "a batch of 35 answers of 30 MB, of a form that node:http reads",
    run: () => sendBigBatch(["TE: trailers"]),
  },
  {
    name: "150 WebSockets with a message of 5 MB that lacks its end",
    run: () =>
      times(150, async () => {
        const connection = await connected();
        connection.send(upgrade(gateway.wsPath));
        await expect.poll(() => connection.received()).toMatch(/^HTTP\/1\.1 101 /);
        connection.send(frameHead(BODY_BYTES));
        connection.send(Buffer.alloc(BODY_BYTES - 100, " "));
      }),
  },
  {
    name: "150 bodies of 5 MB that lack 100 bytes",
    run: () =>
      times(150, async () => {
        const connection = await connected();
        connection.send(head(gateway.path, BODY_BYTES));
        connection.send(Buffer.alloc(BODY_BYTES - 100, " "));
      }),
  },
  {
    name: "200 pipelined calls of 1 MB, of a form that node:http reads",
    run: async () => {
      const connection = await connected();
      const body = `{"jsonrpc":"2.0","id":1,"method":"eth_getCode","params":["0x${"0".repeat(38)}01","latest"]}`;
      const whole = body.padEnd(MEGABYTE, " ");
      connection.socket.pause();
      for (let call = 0; call < 200; call += 1) {
        connection.send(head(gateway.path, whole.length, ["TE: trailers"]) + whole);
      }
    },
  },
];

describe("server.memoryBytes holds, and who is not the heaviest notices nothing of", () => {
  test.each(ABUSES)("$name", async ({ run }) => {
    let isOver = false;
    const quiet = callMeanwhile({ port: gateway.port, path: gateway.otherPath }, () => !isOver);
    const begun = performance.now();
    await run();
    // What was sent is on its way still.
    while (performance.now() - begun < 4000) await new Promise((done) => setTimeout(done, 50));
    isOver = true;
    const { count } = await quiet;
    const { peakBytes } = await gateway.state();
    process.stdout.write(
      `${Math.round((peakBytes - base) / MEGABYTE)} MB more at most, ${count} quiet calls\n`,
    );
    expect(peakBytes - base).toBeLessThan(BUDGET_BYTES + BESIDE_BYTES);
    // Each of them waits for processors that the node and the hostile clients use, too.
    expect(count).toBeGreaterThan(10);
  });
});
