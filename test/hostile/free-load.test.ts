import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { type GatewayProcess, startGatewayProcess } from "../support/gateway-process.ts";
import { openRaw } from "../support/raw-connection.ts";
import { type StandInNode, startStandInNode } from "../support/stand-in-node.ts";
import { callMeanwhile } from "./good-client.ts";
import { answerBigOrSmall } from "./hostile-clients.ts";

/** Of the built-in plan `free`. */
const PER_SECOND = 500;
const REFUSED_CREDITS = 20;
/** What a flood of refused calls gets answered at once, and each second. */
const REFUSALS = PER_SECOND / REFUSED_CREDITS;
/** Of the same connection. */
const REFUSALS_PER_SECOND = 200;
const BAD_CALL = '{"jsonrpc":"2.0","id":1,"method":"nobody_knows"}';
const BAD_BATCH = `[${Array(1000).fill(BAD_CALL).join(",")}]`;
/** While a parser is at work nobody else is: 850 ms without a bound, ten with it. The rest is the machine's. */
const MAX_DELAY_MS = 300;

let node: StandInNode;
beforeAll(async () => {
  node = await startStandInNode(answerBigOrSmall);
});
afterAll(() => node?.stop());

type Answer = { readonly status: number; readonly text: string };

async function post(gateway: GatewayProcess, body: string): Promise<Answer> {
  const answer = await fetch(`http://127.0.0.1:${gateway.port}${gateway.otherPath}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
  });
  return { status: answer.status, text: await answer.text() };
}

const refusalsIn = ({ text }: Answer): number => text.match(/-32601/g)?.length ?? 0;

describe.each([
  ["a free plan", "free", {}],
  [
    "a plan whose day is used up",
    "poor",
    { poor: { dailyCredits: 0, creditsPerSecond: PER_SECOND } },
  ],
] as const)("what is refused draws on the credits per second of %s", (_, otherPlan, plans) => {
  let gateway: GatewayProcess;
  beforeAll(async () => {
    gateway = await startGatewayProcess(node.url, { otherPlan, plans });
  });
  afterAll(() => gateway?.stop());

  test("of ten batches of 1,000 bad calls as many are answered as it allows, the rest with 429", async () => {
    const begun = performance.now();
    let refusals = 0;
    const statuses: number[] = [];
    for (let batch = 0; batch < 10; batch += 1) {
      const answer = await post(gateway, BAD_BATCH);
      refusals += refusalsIn(answer);
      statuses.push(answer.status);
    }
    const seconds = (performance.now() - begun) / 1000;
    expect(refusals).toBeGreaterThan(0);
    expect(refusals).toBeLessThanOrEqual(REFUSALS * (1 + seconds) + 1);
    expect(statuses.slice(1)).toContain(429);
  });

  test("so do bytes that are no JSON, and tollgate_usage", async () => {
    for (const body of ["[", '{"jsonrpc":"2.0","id":1,"method":"tollgate_usage"}']) {
      const statuses = new Set<number>();
      for (let call = 0; call < 3 * REFUSALS; call += 1) {
        statuses.add((await post(gateway, body)).status);
      }
      expect([...statuses]).toContain(429);
    }
  });

  test("a large message is not parsed where its size is too much for now", async () => {
    const large = BAD_CALL.padEnd(200_000, " ");
    // At once: over one connection each would wait until a part of its credits is there.
    const answers = await Promise.all(Array.from({ length: 5 }, () => post(gateway, large)));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThanOrEqual(2);
  });
});

describe("a message that is too large for now is refused before it comes", () => {
  const BODY_BYTES = 5_000_000;
  let gateway: GatewayProcess;
  beforeAll(async () => {
    gateway = await startGatewayProcess(node.url, { otherPlan: "free" });
  });
  afterAll(() => gateway?.stop());

  test.each([
    ["of a plain request", ""],
    ["of a request that node:http reads", "TE: trailers\r\n"],
  ])("%s, and the next call on its connection is answered", async (_, more) => {
    await post(gateway, BAD_CALL.padEnd(BODY_BYTES, " "));
    const connection = await openRaw(gateway.port);
    const head = (path: string, sizeBytes: number) =>
      `POST ${path} HTTP/1.1\r\nHost: a\r\n${more}Content-Length: ${sizeBytes}\r\n\r\n`;
    connection.send(head(gateway.otherPath, BODY_BYTES));
    await expect.poll(() => connection.received(), { timeout: 5000 }).toMatch(/^HTTP\/1\.1 429 /);
    const call = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}';
    connection.send(Buffer.alloc(BODY_BYTES, " "));
    connection.send(head(gateway.path, call.length) + call);
    const answered = /"result":"0x1"/;
    await expect.poll(() => connection.received(), { timeout: 5000 }).toMatch(answered);
    connection.socket.destroy();
  });
});

describe("a client that goes on after 429 is not read meanwhile", () => {
  const CALLS = 600;
  let gateway: GatewayProcess;
  beforeAll(async () => {
    gateway = await startGatewayProcess(node.url, { otherPlan: "free" });
  });
  afterAll(() => gateway?.stop());

  const inTime = (milliseconds: number, answers: number) => {
    const refused = answers - REFUSALS * (1 + milliseconds / 1000);
    // Each pause is at least so long.
    expect(milliseconds).toBeGreaterThan((refused / REFUSALS_PER_SECOND) * 1000 * 0.9);
  };

  test.each([
    ["", []],
    [" that node:http reads, 64 KB ahead", ["Transfer-Encoding: chunked"]],
  ])("over an HTTP connection%s", async (_, more) => {
    const connection = await openRaw(gateway.port);
    const head = (fields: readonly string[]) =>
      [`POST ${gateway.otherPath} HTTP/1.1`, "Host: a", ...fields, "", ""].join("\r\n");
    // What comes after chunks is read by node:http, too.
    const first = more.length === 0 ? "" : `${head(more)}0\r\n\r\n`;
    const call = `${head([`Content-Length: ${BAD_CALL.length}`])}${BAD_CALL}`;
    const begun = performance.now();
    connection.send(first + call.repeat(CALLS));
    const count = () => connection.received().match(/HTTP\/1\.1 \d/g)?.length ?? 0;
    const sent = CALLS + (first === "" ? 0 : 1);
    await expect.poll(count, { timeout: 10_000, interval: 20 }).toBe(sent);
    const answers = count();
    inTime(performance.now() - begun, answers);
    connection.socket.destroy();
  });

  test("over a WebSocket", async () => {
    const socket = new WebSocket(`ws://127.0.0.1:${gateway.port}${gateway.otherWsPath}`);
    await new Promise((resolve) => socket.once("open", resolve));
    const begun = performance.now();
    let answers = 0;
    await new Promise<void>((resolve) => {
      socket.on("message", () => {
        answers += 1;
        if (answers === CALLS) resolve();
      });
      for (let call = 0; call < CALLS; call += 1) socket.send(BAD_CALL);
    });
    inTime(performance.now() - begun, answers);
    socket.close();
  });
});

describe("after a 429 for a large message it is not read for a millisecond more for each KB of it", () => {
  const LARGE = BAD_CALL.padEnd(100_000, " ");
  const PAUSE_MS = 98;
  const MESSAGES = 30;
  let gateway: GatewayProcess;
  beforeAll(async () => {
    gateway = await startGatewayProcess(node.url, { otherPlan: "free" });
  });
  afterAll(() => gateway?.stop());

  const inTime = (milliseconds: number, refused: number) => {
    expect(refused).toBeGreaterThan(MESSAGES / 3);
    expect(milliseconds).toBeGreaterThan((refused - 1) * PAUSE_MS * 0.9);
  };

  test.each([
    ["", [`Content-Length: ${LARGE.length}`], LARGE],
    [" that node:http reads", ["TE: trailers", `Content-Length: ${LARGE.length}`], LARGE],
    [
      " in chunks, whose size nobody has told",
      ["Transfer-Encoding: chunked"],
      `${LARGE.length.toString(16)}\r\n${LARGE}\r\n0\r\n\r\n`,
    ],
  ])("over an HTTP connection%s", async (_, fields, body) => {
    const connection = await openRaw(gateway.port);
    const head = [`POST ${gateway.otherPath} HTTP/1.1`, "Host: a", ...fields, "", ""].join("\r\n");
    const begun = performance.now();
    connection.send((head + body).repeat(MESSAGES));
    const count = (of: RegExp) => connection.received().match(of)?.length ?? 0;
    const answered = () => count(/HTTP\/1\.1 \d/g);
    await expect.poll(answered, { timeout: 10_000, interval: 20 }).toBe(MESSAGES);
    inTime(performance.now() - begun, count(/HTTP\/1\.1 429/g));
    connection.socket.destroy();
  });

  test.each([
    ["of plain requests", ""],
    ["that node:http reads", "TE: trailers\r\n"],
  ])("bodies %s stay with the client meanwhile", async (_, more) => {
    const body = Buffer.alloc(5_000_000, " ");
    const head = `POST ${gateway.otherPath} HTTP/1.1\r\nHost: a\r\n${more}Content-Length: ${body.length}\r\n\r\n`;
    const connection = await openRaw(gateway.port);
    connection.send(
      Buffer.concat(
        Array(12)
          .fill([Buffer.from(head), body])
          .flat(),
      ),
    );
    await expect.poll(() => connection.received(), { timeout: 5000 }).toMatch(/HTTP\/1\.1 429 /);
    await setTimeout(500);
    // The system takes a few of them.
    expect(connection.socket.writableLength).toBeGreaterThan(30_000_000);
    connection.socket.destroy();
  });

  test("over a WebSocket", async () => {
    const socket = new WebSocket(`ws://127.0.0.1:${gateway.port}${gateway.otherWsPath}`);
    await once(socket, "open");
    const begun = performance.now();
    const answers: string[] = [];
    socket.on("message", (data) => answers.push(String(data)));
    for (let message = 0; message < MESSAGES; message += 1) socket.send(LARGE);
    await expect.poll(() => answers.length, { timeout: 10_000, interval: 20 }).toBe(MESSAGES);
    inTime(performance.now() - begun, answers.filter((text) => !text.includes("-32601")).length);
    socket.close();
  });
});

describe("no message holds others up", () => {
  let gateway: GatewayProcess;
  beforeAll(async () => {
    gateway = await startGatewayProcess(node.url);
  });
  afterAll(() => gateway?.stop());

  const keys = Array.from({ length: 350_000 }, (_, key) => `"k${key}":1`).join(",");
  const callOf = (params: string) =>
    `{"jsonrpc":"2.0","id":1,"method":"eth_call","params":${params}}`;
  test.each([
    ["350,000 keys in one call object", callOf(`[{${keys}},"latest"]`)],
    ["350,000 keys in a message", `{"jsonrpc":"2.0","id":1,"method":"eth_call",${keys}}`],
    ["5 MB of numbers", callOf(`[[${"1,".repeat(2_400_000)}1],"latest"]`)],
    ["5 MB of brackets", callOf(`[[${"[],".repeat(1_600_000)}1]]`)],
    ["5 MB of brackets in one another", callOf("[".repeat(2_400_000) + "]".repeat(2_400_000))],
  ])("%s", async (_, body) => {
    await gateway.state();
    let isOver = false;
    const quiet = callMeanwhile({ port: gateway.port, path: gateway.path }, () => !isOver);
    const delaysMs: number[] = [];
    for (let times = 0; times < 5; times += 1) {
      const { status, text } = await post(gateway, body);
      expect(status).toBe(200);
      expect(text).toMatch(/"code":-32600,"message":"message too complex: /);
      delaysMs.push((await gateway.state()).maxDelayMs);
    }
    isOver = true;
    await quiet;
    // The median: once in a while the system itself lets a process wait.
    const [, , median] = delaysMs.toSorted((a, b) => a - b);
    expect(median, delaysMs.join()).toBeLessThan(MAX_DELAY_MS);
  });

  test("a batch of 1,000 calls with six members each, and 5 MB of data in one call, are read", async () => {
    const members = `"from":"0x${"11".repeat(20)}","to":"0x${"22".repeat(20)}","gas":"0x5208","gasPrice":"0x1","value":"0x0","data":"0x"`;
    const call = callOf(`[{${members}},"latest"]`);
    const batch = await post(gateway, `[${Array(1000).fill(call).join(",")}]`);
    expect(batch.text).not.toContain("too complex");
    const data = callOf(
      `[{"to":"0x${"22".repeat(20)}","data":"0x${"00".repeat(2_400_000)}"},"latest"]`,
    );
    expect((await post(gateway, data)).text).not.toContain("too complex");
  });

  const CONNECTIONS = 60;
  /** A quarter; it was all of them. */
  const MOST_BEFORE = 15_000;
  const batch = `[${Array(1000).fill('{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}').join(",")}]`;
  const request = (more: string) => {
    const fields = [`POST ${gateway.path} HTTP/1.1`, "Host: a", `Content-Length: ${batch.length}`];
    return `${[...fields, ...(more === "" ? [] : [more]), "", ""].join("\r\n")}${batch}`;
  };
  const answersIn = (text: string) => text.match(/"result":"0x1"/g)?.length ?? 0;

  type Batching = {
    readonly send: () => void;
    readonly unsent: () => number;
    readonly answers: () => number;
  };

  /**
   * How many of their calls were served before one that came after all of them. They are there at once, since the
   * gateway does nothing meanwhile; the credits that the answer tells of say what was served before it.
   */
  async function servedBefore(all: readonly Batching[]): Promise<number> {
    const call = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}';
    const quiet = await openRaw(gateway.port);
    const ask = async () => {
      quiet.send(
        `POST ${gateway.path} HTTP/1.1\r\nHost: a\r\nContent-Length: ${call.length}\r\n\r\n${call}`,
      );
      const earlier = answersIn(quiet.received());
      await expect.poll(() => answersIn(quiet.received()), { timeout: 20_000 }).toBe(earlier + 1);
      const told = (name: string) =>
        Number([...quiet.received().matchAll(new RegExp(`${name}: (\\d+)`, "g"))].at(-1)?.[1]);
      return { left: told("X-Credits-Remaining"), price: told("X-Credits-Charged") };
    };
    const { left } = await ask();
    gateway.pause();
    for (const { send } of all) send();
    for (const { unsent } of all) await expect.poll(unsent).toBe(0);
    const behind = ask();
    gateway.goOn();
    const found = await behind;
    for (const { answers } of all) await expect.poll(answers, { timeout: 20_000 }).toBe(1000);
    quiet.socket.destroy();
    return (left - found.left) / found.price - 1;
  }

  test.each([
    ["", ""],
    [" that node:http reads", "TE: trailers"],
  ])(
    "nor do 60 batches of 1,000 calls, each over a connection%s, that come before a call",
    async (_, more) => {
      const all = await Promise.all(
        Array.from({ length: CONNECTIONS }, () => openRaw(gateway.port)),
      );
      const before = await servedBefore(
        all.map(({ send, socket, received }) => ({
          send: () => send(request(more)),
          unsent: () => socket.writableLength,
          answers: () => answersIn(received()),
        })),
      );
      expect(before).toBeGreaterThanOrEqual(0);
      expect(before).toBeLessThan(MOST_BEFORE);
      for (const { socket } of all) socket.destroy();
    },
  );

  test("nor do they over WebSockets", async () => {
    const all = Array.from({ length: CONNECTIONS }, () => {
      const socket = new WebSocket(`ws://127.0.0.1:${gateway.port}${gateway.wsPath}`);
      let answers = 0;
      socket.on("message", (data) => {
        answers += answersIn(String(data));
      });
      const unsent = () => socket.bufferedAmount;
      return { socket, unsent, send: () => socket.send(batch), answers: () => answers };
    });
    await Promise.all(all.map(({ socket }) => once(socket, "open")));
    expect(await servedBefore(all)).toBeLessThan(MOST_BEFORE);
    for (const { socket } of all) socket.terminate();
  });
});
