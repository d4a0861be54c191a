import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { SpanExporter } from "./span-exporter.ts";

const MIB = 1024 * 1024;
/** As JSON a string, of characters that take two bytes. */
const SPAN = `"${"é".repeat(5000)}"`;

let server: Server;
let status: number;
let bodies: string[];
let tick: () => void;
let complaints: object[];
beforeEach(async () => {
  [status, bodies, complaints] = [200, [], []];
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      if (status === 200) bodies.push(Buffer.concat(chunks).toString());
      response.writeHead(status).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterEach(() => {
  server.close();
  server.closeAllConnections();
});

function exporter(): SpanExporter {
  const { port } = server.address() as AddressInfo;
  return new SpanExporter(
    { url: `http://127.0.0.1:${port}/`, headers: {}, instance: "one", host: "here" },
    {
      clock: {
        monotonic: () => 0 as never,
        every: (_ms: number, run: () => void) => {
          tick = run;
          return () => undefined;
        },
      },
      log: { warn: (fields: object) => complaints.push(fields) } as never,
    },
  );
}

const spansIn = (body: string): readonly string[] =>
  JSON.parse(body).resourceSpans[0].scopeSpans[0].spans;

test("spans of a second go in one request, and those of the next in another", async () => {
  const spans = exporter();
  for (let made = 0; made < 3; made += 1) spans.add({ text: `"${made}","a"`, count: 2 });
  tick();
  await expect.poll(() => spans.sent).toBe(6);
  spans.add({ text: '"next"', count: 1 });
  tick();
  await expect.poll(() => spans.sent).toBe(7);
  expect(bodies.map(spansIn)).toEqual([["0", "a", "1", "a", "2", "a"], ["next"]]);
});

test("a collector that is away is sent 4 MiB once it is back, each span once; the rest is dropped and counted", async () => {
  const spans = exporter();
  status = 503;
  let added = 0;
  for (; spans.hasRoom && added < 2000; added += 1) {
    spans.add({ text: SPAN, count: 1 });
    if (added === 50) {
      tick();
      await expect.poll(() => complaints).toEqual([{ reason: "HTTP 503", dropped: 0 }]);
    }
  }
  const kept = added - spans.dropped;
  expect(kept * Buffer.byteLength(SPAN)).toBeGreaterThan(3 * MIB);
  expect(kept * Buffer.byteLength(SPAN)).toBeLessThan(4 * MIB);
  status = 200;
  const sentByNow = () => {
    tick();
    return spans.sent;
  };
  await expect.poll(sentByNow).toBe(kept);
  expect(bodies.flatMap(spansIn)).toEqual(Array.from({ length: kept }, () => "é".repeat(5000)));
  expect(spans.hasRoom).toBe(true);
});

test("what waits at the end is sent, batch for batch", async () => {
  const spans = exporter();
  for (let made = 0; made < 200; made += 1) spans.add({ text: SPAN, count: 1 });
  await spans.stop();
  expect(spans.sent).toBe(200);
  expect(bodies.length).toBeGreaterThan(1);
});

test("what a collector refuses is dropped, and the next is sent", async () => {
  const spans = exporter();
  status = 400;
  spans.add({ text: '"bad"', count: 1 });
  tick();
  await expect.poll(() => spans.dropped).toBe(1);
  status = 200;
  spans.add({ text: '"good"', count: 1 });
  tick();
  await expect.poll(() => spans.sent).toBe(1);
  expect(bodies.map(spansIn)).toEqual([["good"]]);
});

test("a port where nobody listens is told by the system's name for it, without the address", async () => {
  const spans = exporter();
  server.close();
  server.closeAllConnections();
  spans.add({ text: '"one"', count: 1 });
  tick();
  await expect.poll(() => complaints).toEqual([{ reason: "ECONNREFUSED", dropped: 0 }]);
});
