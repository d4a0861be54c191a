import fc from "fast-check";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { call } from "../envelope/table.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { type StandInNode, startStandInNode } from "../support/stand-in-node.ts";
import { openOn, type Wire, withoutChance } from "./wires.ts";

let node: StandInNode;
let gateway: TestGateway;
let path: string;

beforeAll(async () => {
  node = await startStandInNode(async () => ({ result: "0x10" }));
  const upstreams = [{ name: "node", url: node.url }];
  gateway = await startTestGateway({
    networks: [{ name: "net", family: "evm", chainId: 1, upstreams }],
  });
  path = `/net/v3/${gateway.key}`;
});
afterAll(async () => {
  await gateway.stop();
  await node.stop();
});

const post = (target: string, lines: readonly string[], body: string): string =>
  `POST ${target} HTTP/1.1\r\n${["Host: a", ...lines, `Content-Length: ${body.length}`].join("\r\n")}\r\n\r\n${body}`;

const body = fc.oneof(
  fc.nat(9).map((id) => call(String(id))),
  fc.nat(9).map((id) => call(String(id), "eth_gasPrice")),
  fc.nat(3).map((count) => `[${Array(count).fill(call("7", "eth_gasPrice")).join(",")}]`),
  fc.constantFrom("", "[", "{}", '{"jsonrpc":"2.0","method":"eth_chainId"}', "POST / HTTP/1.1\r\n"),
);
const target = fc.constantFrom("KEY", "KEY", "KEY", "/nope", "/net/v3/x", "KEY?query");
const harmless = fc.subarray([
  ...["Accept: */*", "user-agent: x", "Connection: keep-alive", "X-Request-Id: mine"],
  ...["Content-Type: application/json", "X-A: ", "X-A: 1"],
]);
const plain = fc.tuple(target, harmless, body).map((parts) => post(...parts));

/** Legal, and for node:http alone. */
const odd = fc.oneof(
  fc
    .tuple(
      target,
      fc.constantFrom(
        ...["TE: trailers", "Connection: Keep-Alive, te", "X-A:\ta", "X-A:  a", "X-A: \u00e9"],
        ...["Content-Type: text/plain", "Content-Encoding: gzip", "Expect: 200-maybe"],
        ...["Origin: a\r\nOrigin: b", "Upgrade: h2c", `X-A: ${"a".repeat(9000)}`],
      ),
      body,
    )
    .map(([to, line, text]) => post(to, [line], text)),
  body.map(
    (text) =>
      `POST KEY HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${text === "" ? "" : `${text.length.toString(16)}\r\n${text}\r\n`}0\r\n\r\n`,
  ),
  fc.constantFrom(
    "GET KEY HTTP/1.1\r\nHost: a\r\n\r\n",
    "OPTIONS KEY HTTP/1.1\r\nHost: a\r\nOrigin: https://a.example\r\n\r\n",
    "POST KEY HTTP/1.1\r\nHost: a\r\n\r\n",
    "POST KEY HTTP/1.1\r\nContent-Length: 2\r\n\r\n[]",
    "POST KEY HTTP/1.1\r\nHost: a\r\nHost: b\r\nContent-Length: 2\r\n\r\n[]",
    "POST http://a/nope HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n[]",
    "\r\n",
  ),
);

/** After these there is nothing more that could be told apart. */
const fatal = fc.constantFrom(
  "POST KEY HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nhello",
  "POST KEY HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
  "POST KEY HTTP/1.1\r\nHost: a\r\nContent-Length: +5\r\n\r\nhello",
  "POST KEY HTTP/1.1\r\nHost: a\r\nContent-Length : 5\r\n\r\nhello",
  "POST KEY HTTP/1.1\nHost: a\nContent-Length: 5\n\nhello",
  "POST KEY HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nhello",
  "POST KEY HTTP/1.1\r\nHost: a\r\nContent-Length: 8\r\n\r\nhello",
  "POST KEY HTTP/1.1\r\nHost: a\r\nX-A: b\r\n c\r\nContent-Length: 5\r\n\r\nhello",
  "\0\0\0\0",
);

/** Its end closes the connection, so that all answers are there when it is closed. */
const LAST = post("KEY", ["Connection: close", "X-Request-Id: last"], call("9"));

const sequence = fc
  .tuple(
    fc.oneof(
      fc.array(plain, { maxLength: 5 }),
      fc.array(fc.oneof({ weight: 3, arbitrary: plain }, odd), { maxLength: 8 }),
    ),
    fc.option(fatal, { freq: 3, nil: "" }),
  )
  .map(([requests, end]) => [...requests, end, LAST].join(""));

/** Where the bytes are cut, as shares of their length, and what is waited for in between. */
const cuts = fc.array(
  fc.record({ at: fc.double({ min: 0, max: 1, noNaN: true }), turns: fc.nat(3) }),
  { maxLength: 4 },
);

type Cuts = readonly { readonly at: number; readonly turns: number }[];

async function sendOn(wire: Wire, bytes: Buffer, points: Cuts): Promise<string> {
  const raw = await openOn(wire, gateway.port, path);
  let sent = 0;
  for (const { at, turns } of points.toSorted((a, b) => a.at - b.at)) {
    const end = Math.floor(at * bytes.length);
    if (end > sent) raw.send(bytes.subarray(sent, end));
    sent = Math.max(sent, end);
    for (let turn = 0; turn < turns; turn += 1) {
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }
  raw.send(bytes.subarray(sent));
  const closed = await Promise.race([raw.closed, late()]);
  if (closed === undefined) throw new Error(`not closed after:\n${raw.received()}`);
  return withoutChance(closed);
}

const late = () => new Promise<undefined>((resolve) => setTimeout(resolve, 8000, undefined));

test("however requests are cut and mixed, the answers are those of node:http alone", async () => {
  const started = vi.fn();
  await fc.assert(
    fc.asyncProperty(sequence, cuts, async (text, points) => {
      started();
      const bytes = Buffer.from(text.replaceAll("KEY", path), "latin1");
      const alone = await sendOn("node:http", bytes, []);
      expect(await sendOn("plain", bytes, points)).toBe(alone);
      expect(alone).not.toBe("");
    }),
    { numRuns: 300, endOnFailure: true },
  );
  expect(started).toHaveBeenCalledTimes(300);
}, 120_000);
