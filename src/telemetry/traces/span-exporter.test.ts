import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { SPAN_KIND, type Span } from "./otlp-json.ts";
import { SpanExporter } from "./span-exporter.ts";

const MIB = 1024 * 1024;
/** Characters that take two bytes. */
const LONG = "é".repeat(5000);

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

/** The spans of one call, each with an attribute of its own. */
const spansWith = (...texts: readonly string[]): readonly Span[] =>
  texts.map((text) => ({
    ...{ traceId: "1".repeat(32), spanId: "2".repeat(16), parentSpanId: undefined },
    ...{ isParentRemote: false, name: "span", kind: SPAN_KIND.server },
    ...{ beganMs: 1.7e12, endedMs: 1.7e12, attributes: { text }, isError: false },
  }));

type Sent = {
  readonly attributes: readonly [{ readonly value: { readonly stringValue: string } }];
};
/** The texts of `spansWith`. */
const spansIn = (body: string): readonly string[] =>
  JSON.parse(body).resourceSpans[0].scopeSpans[0].spans.map(
    ({ attributes: [text] }: Sent) => text.value.stringValue,
  );

test("spans of a second go in one request, and those of the next in another", async () => {
  const spans = exporter();
  for (let made = 0; made < 3; made += 1) spans.add(spansWith(String(made), "a"));
  tick();
  await expect.poll(() => spans.sent).toBe(6);
  spans.add(spansWith("next"));
  tick();
  await expect.poll(() => spans.sent).toBe(7);
  expect(bodies.map(spansIn)).toEqual([["0", "a", "1", "a", "2", "a"], ["next"]]);
});

test("a collector that is away is sent 4 MiB once it is back, each span once; the rest is dropped and counted", async () => {
  const spans = exporter();
  status = 503;
  let added = 0;
  for (; spans.hasRoom && added < 2000; added += 1) {
    spans.add(spansWith(LONG));
    if (added === 50) {
      tick();
      await expect.poll(() => complaints).toEqual([{ reason: "HTTP 503", dropped: 0 }]);
    }
  }
  // What was added last is written, or dropped.
  tick();
  const kept = added - spans.dropped;
  expect(kept * Buffer.byteLength(LONG)).toBeGreaterThan(3 * MIB);
  expect(kept * Buffer.byteLength(LONG)).toBeLessThan(4 * MIB);
  status = 200;
  const sentByNow = () => {
    tick();
    return spans.sent;
  };
  await expect.poll(sentByNow).toBe(kept);
  expect(bodies.flatMap(spansIn)).toEqual(Array.from({ length: kept }, () => LONG));
  expect(spans.hasRoom).toBe(true);
});

test("what waits at the end is sent, batch for batch", async () => {
  const spans = exporter();
  for (let made = 0; made < 200; made += 1) spans.add(spansWith(LONG));
  await spans.stop();
  expect(spans.sent).toBe(200);
  expect(bodies.length).toBeGreaterThan(1);
});

test("what a collector refuses is dropped, and the next is sent", async () => {
  const spans = exporter();
  status = 400;
  spans.add(spansWith("bad"));
  tick();
  await expect.poll(() => spans.dropped).toBe(1);
  status = 200;
  spans.add(spansWith("good"));
  tick();
  await expect.poll(() => spans.sent).toBe(1);
  expect(bodies.map(spansIn)).toEqual([["good"]]);
});

test("a port where nobody listens is told by the system's name for it, without the address", async () => {
  const spans = exporter();
  server.close();
  server.closeAllConnections();
  spans.add(spansWith("one"));
  tick();
  await expect.poll(() => complaints).toEqual([{ reason: "ECONNREFUSED", dropped: 0 }]);
});
