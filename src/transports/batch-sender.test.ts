import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { timed } from "../../test/support/timed.ts";
import { DEFAULT_WIRE } from "../config/default-wire.ts";
import { wholeBytes } from "../lib/bytes.ts";
import { TimerWheel } from "../lib/timer-wheel.ts";
import { EventLoop } from "../wire/event-loop.ts";
import { HttpUpstream, type HttpUpstreamOptions } from "./http-upstream.ts";
import type { UpstreamAnswer } from "./upstream-answer.ts";

const loop = new EventLoop(DEFAULT_WIRE);

type Call = { readonly id: number; readonly method: string; readonly params: readonly unknown[] };
type Reply = { readonly body: string; readonly status?: number; readonly headers?: object };
type Respond = (calls: readonly Call[], isList: boolean) => Reply | "hang" | "reset";

let now: number;
let timers: TimerWheel;
let server: Server;
let sockets: Set<Socket>;
let upstream: HttpUpstream;
/** What the node was sent: of each request the methods, or the one method that came without a list. */
let asked: (string | string[])[];
let texts: string[];
let respond: Respond;
let held: ServerResponse[];

beforeEach(async () => {
  now = 0;
  timers = new TimerWheel(timed({ monotonic: () => now }));
  asked = [];
  texts = [];
  held = [];
  sockets = new Set();
  respond = answersAll;
  server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    const parsed: Call | Call[] = JSON.parse(text);
    const calls = Array.isArray(parsed) ? parsed : [parsed];
    texts.push(text);
    asked.push(Array.isArray(parsed) ? parsed.map(({ method }) => method) : parsed.method);
    const reply = respond(calls, Array.isArray(parsed));
    if (reply === "hang") held.push(response);
    else if (reply === "reset") response.socket?.resetAndDestroy();
    else response.writeHead(reply.status ?? 200, { ...reply.headers }).end(reply.body);
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  open();
});
afterEach(async () => {
  await upstream.close();
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => server.close(resolve));
});

function open(over: Partial<HttpUpstreamOptions> = {}): void {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const options = { name: "node", url, headers: {}, maxConnections: 4, maxResponseBytes: 10_000 };
  upstream = new HttpUpstream({ ...options, batch: 10, ...over }, { timers, loop });
}

const resultOf = ({ id, method }: Call): string =>
  `{"jsonrpc":"2.0","id":${id},"result":"of ${method}"}`;
const one = (reply: string): Reply => ({ body: reply });
const list = (replies: readonly string[]): Reply => ({ body: `[${replies.join(",")}]` });
const answersAll: Respond = (calls, isList) =>
  isList ? list(calls.map(resultOf)) : one(calls.map(resultOf).join(""));
/** To lists this; calls that come alone are answered. */
const toLists =
  (reply: (calls: readonly Call[]) => ReturnType<Respond>): Respond =>
  (calls, isList) =>
    isList ? reply(calls) : answersAll(calls, isList);

const call = (method: string, timeoutMs = 1000): Promise<UpstreamAnswer> =>
  new Promise((resolve) =>
    upstream.call({ method, params: "[]", timeoutMs }, { answered: resolve }),
  );
const told = (answer: UpstreamAnswer): unknown =>
  answer.kind === "result" ? JSON.parse(wholeBytes(answer.result).toString()) : answer;
const ask = async (...methods: string[]): Promise<unknown[]> =>
  (await Promise.all(methods.map((method) => call(method)))).map(told);
const own = (...methods: string[]): string[] => methods.map((method) => `of ${method}`);
const names = (count: number): string[] => Array.from({ length: count }, (_, at) => `m${at}`);
/** Requests of one moment go over connections of their own: the node may see any of them first. */
const inOrder = (sent: typeof asked) => sent.map((each) => JSON.stringify(each)).toSorted();
const passes = (ms: number): void => {
  now += ms;
  timers.advance();
};
const until = (check: () => void) => vi.waitFor(check, { timeout: 5000, interval: 2 });

describe("calls of one turn of the event loop", () => {
  test("go as one list, with ids of our own, and each gets its own answer", async () => {
    expect(await ask("a", "b", "c")).toEqual(own("a", "b", "c"));
    expect(asked).toEqual([["a", "b", "c"]]);
    const calls: Call[] = JSON.parse(texts[0] ?? "");
    expect(new Set(calls.map(({ id }) => id)).size).toBe(3);
    expect(calls[1]).toEqual({ jsonrpc: "2.0", id: calls[1]?.id, method: "b", params: [] });
  });

  test("go as lists of at most so many", async () => {
    const methods = names(25);
    expect(await ask(...methods)).toEqual(own(...methods));
    const lists = [methods.slice(0, 10), methods.slice(10, 20), methods.slice(20)];
    expect(inOrder(asked)).toEqual(inOrder(lists));
  });

  test("go as several lists where their params are large", async () => {
    const params = `["${"x".repeat(300_000)}"]`;
    await Promise.all(
      names(3).map((method) => {
        const request = { method, params, timeoutMs: 1000 };
        return new Promise((resolve) => upstream.call(request, { answered: resolve }));
      }),
    );
    expect(inOrder(asked)).toEqual(inOrder([["m0", "m1"], "m2"]));
  });

  test("keep the bytes of their params", async () => {
    const request = { method: "a", params: '["\\u00e9",1.0]', timeoutMs: 1000 };
    const first = new Promise((resolve) => upstream.call(request, { answered: resolve }));
    await Promise.all([first, call("b")]);
    expect(texts[0]).toContain('"params":["\\u00e9",1.0]}');
  });

  test("that are only one go as a plain request", async () => {
    expect(await ask("a")).toEqual(own("a"));
    expect(await ask("b")).toEqual(own("b"));
    expect(asked).toEqual(["a", "b"]);
  });

  test.each([0, 1])("each go alone where batch is %i", async (batch) => {
    open({ batch });
    expect(await ask("a", "b")).toEqual(own("a", "b"));
    expect(asked.toSorted()).toEqual(["a", "b"]);
  });
});

describe("a fault of one call is that call's alone", () => {
  const garbage = { kind: "garbage", status: 200, body: expect.any(String) };

  test("an error, a missing answer, a double, one of a stranger", async () => {
    respond = toLists(([a, b, c, d] = []) => {
      const error = `{"jsonrpc":"2.0","id":${b?.id},"error":{"code":3,"message":"no"}}`;
      const stranger = '{"jsonrpc":"2.0","id":9999,"result":"1"}';
      const [first = "", last = ""] = [a, d].map((each) => (each ? resultOf(each) : ""));
      return list([last, stranger, error, first, last.replace("of", "as"), `{"id":${c?.id}}`]);
    });
    const error = { kind: "error", status: 200, error: { code: 3, message: "no" } };
    expect(await ask("a", "b", "c", "d", "e")).toEqual(["of a", error, garbage, garbage, garbage]);
    expect(asked).toHaveLength(1);
  });

  test("its time", async () => {
    respond = () => "hang";
    const short = call("short", 100);
    const long = call("long", 5000);
    await until(() => expect(held).toHaveLength(1));
    passes(200);
    expect(await short).toEqual({ kind: "timeout" });
    const calls: Call[] = JSON.parse(texts[0] ?? "");
    held[0]?.end(list(calls.map(resultOf)).body);
    expect(told(await long)).toBe("of long");
  });

  test("that it is cancelled", async () => {
    respond = () => "hang";
    const answers: unknown[] = [];
    const [before, after] = ["before", "after"].map((method) =>
      upstream.call(
        { method, params: "[]", timeoutMs: 1000 },
        { answered: (answer) => answers.push(answer) },
      ),
    );
    before?.cancel();
    const [b, c] = [call("b"), call("c")];
    await until(() => expect(asked).toEqual([["after", "b", "c"]]));
    after?.cancel();
    after?.cancel();
    const calls: Call[] = JSON.parse(texts[0] ?? "");
    held[0]?.end(list(calls.map(resultOf)).body);
    expect((await Promise.all([b, c])).map(told)).toEqual(own("b", "c"));
    passes(5000);
    expect(answers).toEqual([]);
  });

  test("that its answer was left out because the others' are large: it is asked alone", async () => {
    respond = toLists(([a, b] = []) => {
      const message = "response too large";
      const error = `{"jsonrpc":"2.0","id":${b?.id},"error":{"code":-32003,"message":"${message}"}}`;
      return list([a ? resultOf(a) : "", error]);
    });
    expect(await ask("a", "b")).toEqual(own("a", "b"));
    expect(asked).toEqual([["a", "b"], "b"]);
  });
});

describe("a fault of the whole is every call's", () => {
  test.each<[string, ReturnType<Respond>, unknown]>([
    ["reset", "reset", { kind: "unreachable", code: expect.any(String) }],
    [
      "an error in place of the list",
      { body: '{"id":null,"error":{"code":-32005,"message":"slow down"}}', status: 429 },
      { kind: "error", status: 429, error: { code: -32005, message: "slow down" } },
    ],
    [
      "a page, with the time to wait",
      { body: "<html>", status: 503, headers: { "retry-after": "7" } },
      { kind: "garbage", status: 503, body: "<html>", retryAfterMs: 7000 },
    ],
    ["nothing", { body: "" }, { kind: "garbage", status: 200, body: "" }],
  ])("%s", async (_name, reply, expected) => {
    respond = () => reply;
    expect(await ask("a", "b")).toEqual([expected, expected]);
    expect(asked).toHaveLength(1);
    respond = answersAll;
    expect(await ask("a", "b")).toEqual(own("a", "b"));
    expect(asked[1]).toEqual(["a", "b"]);
  });

  test("silence, until all their times are over, and then the connection ends", async () => {
    open({ maxConnections: 1 });
    respond = () => "hang";
    const calls = [call("a", 100), call("b", 300)];
    await until(() => expect(held).toHaveLength(1));
    passes(200);
    expect(sockets.size).toBe(1);
    passes(200);
    expect(await Promise.all(calls)).toEqual([{ kind: "timeout" }, { kind: "timeout" }]);
    await until(() => expect(sockets.size).toBe(0));
    respond = answersAll;
    expect(await ask("a")).toEqual(own("a"));
  });

  test("that all are cancelled ends the connection", async () => {
    respond = () => "hang";
    const inAir = ["a", "b"].map((method) =>
      upstream.call(
        { method, params: "[]", timeoutMs: 1000 },
        { answered: () => expect.unreachable() },
      ),
    );
    await until(() => expect(held).toHaveLength(1));
    for (const each of inAir) each.cancel();
    await until(() => expect(sockets.size).toBe(0));
  });

  test("closed by us: in the air, and not sent yet", async () => {
    respond = () => "hang";
    const inAir = [call("a"), call("b")];
    await until(() => expect(held).toHaveLength(1));
    const waiting = [call("c"), call("d")];
    await upstream.close();
    const answers = await Promise.all([...inAir, ...waiting, call("e")]);
    expect(answers.map(({ kind }) => kind)).toEqual(new Array(5).fill("unreachable"));
  });

  test("closed by us before anything was sent: at once", async () => {
    const answers: string[] = [];
    for (const method of ["a", "b"]) {
      upstream.call(
        { method, params: "[]", timeoutMs: 1000 },
        { answered: ({ kind }) => answers.push(kind) },
      );
    }
    void upstream.close();
    expect(answers).toEqual(["unreachable", "unreachable"]);
  });

  test("too large together: each is sent alone once, and is too large or not by itself", async () => {
    respond = (calls, isList) => {
      const texts = calls.map(({ id, method }) => {
        const result = "x".repeat(method === "huge" ? 11_000 : 6000);
        return `{"jsonrpc":"2.0","id":${id},"result":"${result}"}`;
      });
      return isList ? list(texts) : one(texts.join(""));
    };
    const answers = await Promise.all([call("a"), call("huge"), call("b")]);
    expect(answers.map(({ kind }) => kind)).toEqual(["result", "too_large", "result"]);
    expect(asked).toHaveLength(4);
    expect(asked.slice(1).toSorted()).toEqual(["a", "b", "huge"]);
  });
});

describe("a node that takes no batches", () => {
  const refuses = toLists(() => one('{"id":null,"error":{"code":-32600,"message":"no batches"}}'));

  test.each<[string, Respond]>([
    ["by an error", refuses],
    ["by a status", toLists(() => ({ body: "<html>", status: 400 }))],
    ["by a list of one error", toLists(() => list(['{"id":null,"error":{"code":-32600}}']))],
  ])("%s, is sent each call alone, and no batches for 10 minutes", async (_name, refusing) => {
    respond = refusing;
    expect(await ask("a", "b")).toEqual(own("a", "b"));
    expect(await ask("c", "d")).toEqual(own("c", "d"));
    expect(asked[0]).toEqual(["a", "b"]);
    expect(asked.slice(1).toSorted()).toEqual(["a", "b", "c", "d"]);
    passes(599_000);
    await ask("e", "f");
    expect(asked.slice(5).toSorted()).toEqual(["e", "f"]);
    respond = answersAll;
    for (let left = 0; left < 3; left += 1) passes(20_000);
    expect(await ask("g", "h")).toEqual(own("g", "h"));
    expect(asked.at(-1)).toEqual(["g", "h"]);
  });

  test("or single calls either, is sent batches when it is well again", async () => {
    respond = () => ({ body: "<html>", status: 400 });
    const garbage = { kind: "garbage", status: 400, body: "<html>" };
    expect(await ask("a", "b")).toEqual([garbage, garbage]);
    expect(asked).toHaveLength(3);
    respond = answersAll;
    await ask("c", "d");
    expect(asked.at(-1)).toEqual(["c", "d"]);
  });

  test("of that size is sent batches of half of it", async () => {
    respond = (calls, isList) =>
      calls.length > 5
        ? one('{"id":null,"error":{"code":-32600,"message":"batch too large"}}')
        : answersAll(calls, isList);
    const methods = names(10);
    expect(await ask(...methods)).toEqual(own(...methods));
    asked.length = 0;
    expect(await ask(...methods)).toEqual(own(...methods));
    expect(inOrder(asked)).toEqual(inOrder([methods.slice(0, 5), methods.slice(5)]));
  });

  test("keeps each call's time: the time of the batch counts", async () => {
    respond = toLists(() => "hang");
    const answer = call("a", 1000);
    const other = call("b", 5000);
    const over = call("over", 100);
    await until(() => expect(held).toHaveLength(1));
    passes(900);
    expect(await over).toEqual({ kind: "timeout" });
    respond = () => "hang";
    held[0]?.end('{"id":null,"error":{"code":-32600,"message":"no batches"}}');
    await until(() => expect(held).toHaveLength(3));
    passes(200);
    expect(await answer).toEqual({ kind: "timeout" });
    const calls: Call[] = texts.slice(1).map((text) => JSON.parse(text));
    held[1 + calls.findIndex(({ method }) => method === "b")]?.end(
      calls
        .filter(({ method }) => method === "b")
        .map(resultOf)
        .join(""),
    );
    expect(told(await other)).toBe("of b");
  });
});

test("the memory of a large body is used again as soon as it is read", async () => {
  open({ maxResponseBytes: 1_000_000 });
  const givenBack = vi.spyOn(loop.buffers, "giveBack");
  respond = (calls) =>
    list(calls.map(({ id }) => `{"jsonrpc":"2.0","id":${id},"result":"${"x".repeat(100_000)}"}`));
  expect(await ask("a", "b")).toEqual(new Array(2).fill("x".repeat(100_000)));
  expect(givenBack.mock.calls[0]?.[0].length).toBeGreaterThan(200_000);
  givenBack.mockRestore();
});

test("what a node says in its errors hides what the URL and the headers hold", async () => {
  const secret = "0123456789abcdef-secret";
  const echoes = [`{"error":{"code":-32000,"message":"${secret}"}}`, `<p>${secret}</p>`];
  open({ headers: { "X-Key": secret } });
  for (const body of echoes) {
    respond = () => ({ body });
    expect(JSON.stringify(await ask("a", "b"))).not.toContain("secret");
  }
});

test("every call is answered once, with its own result or none, whatever the list holds", async () => {
  open({ maxConnections: 8, maxResponseBytes: 100_000 });
  const step = fc.record({
    calls: fc.integer({ min: 1, max: 30 }),
    cancelled: fc.array(fc.nat(29), { maxLength: 4 }),
    ranks: fc.infiniteStream(fc.nat(1000)),
    fates: fc.infiniteStream(fc.constantFrom("once", "once", "once", "twice", "never", "stranger")),
  });
  await fc.assert(
    fc.asyncProperty(step, async ({ calls, cancelled, ranks, fates }) => {
      const lost = new Set<string>();
      respond = (sent, isList) => {
        const replies = sent.flatMap((each) => {
          const fate = isList ? fates.next().value : "once";
          if (fate === "never" || fate === "twice") lost.add(each.method);
          if (fate === "never") return [];
          const text = resultOf(each);
          if (fate === "stranger") return [text, resultOf({ ...each, id: each.id + 1_000_000 })];
          return fate === "twice" ? [text, text] : [text];
        });
        const ranked = replies.map((text) => ({ text, rank: ranks.next().value ?? 0 }));
        const shuffled = ranked.toSorted((a, b) => a.rank - b.rank).map(({ text }) => text);
        return isList ? list(shuffled) : one(shuffled.join(""));
      };
      const got = new Map<string, unknown[]>(names(calls).map((method) => [method, []]));
      await new Promise<void>((resolve) => {
        let left = calls;
        const ends = () => {
          left -= 1;
          if (left === 0) setImmediate(resolve);
        };
        const inAir = [...got].map(([method, answers]) =>
          upstream.call(
            { method, params: "[]", timeoutMs: 1000 },
            {
              answered: (answer) => {
                answers.push(told(answer));
                ends();
              },
            },
          ),
        );
        for (const at of new Set(cancelled)) {
          if (at >= calls) continue;
          inAir[at]?.cancel();
          got.delete(`m${at}`);
          ends();
        }
      });
      for (const [method, answers] of got) {
        const expected = lost.has(method) ? { kind: "garbage" } : `of ${method}`;
        if (lost.has(method)) expect(answers).toMatchObject([expected]);
        else expect(answers).toEqual([expected]);
      }
    }),
    { numRuns: 300 },
  );
});
