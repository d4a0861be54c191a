/**
 * Clients as a process: sends calls at a rate, whatever becomes of them, for each message of the parent,
 * and answers with what came of them.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { Pool } from "undici";
import { type RawData, WebSocket } from "ws";
import { endWithParent } from "./child.ts";
import type { Faults } from "./generator.ts";
import { Histogram } from "./histogram.ts";

export type Crowd = {
  readonly protocol: "http" | "websocket";
  readonly port: number;
  /** Of each of its keys; used in turns. */
  readonly paths: readonly string[];
  readonly callsPerSecond: number;
  /** Calls in a message. */
  readonly batch: number;
};

export type CrowdCommand = {
  readonly crowd: Crowd;
  readonly seconds: number;
  /** What is sent in the first seconds fills the queues; it is not counted. */
  readonly settleSeconds: number;
};

export type CrowdResult = {
  readonly sent: number;
  /** Calls that got a result. */
  readonly served: number;
  readonly servedPerSecond: number;
  /** Calls that were told that no node has time for them. */
  readonly refused: number;
  /** All that got neither. */
  readonly faults: Faults;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
};

export type CrowdAnswer = { readonly result: CrowdResult } | { readonly fault: string };

/** The text of the answer to a message. */
type Send = (path: string, message: string, id: number) => Promise<string>;

const MOST_CONNECTIONS = 4000;
const SOCKETS = 4;
const TICK_MS = 4;
/** Beyond any deadline of the gateway. */
const ANSWER_MS = 20_000;

let made = 0;

/** Of a call of its own each time, or nothing would come to the nodes. */
function callText(): string {
  made += 1;
  const address = `0x${process.pid.toString(16).padStart(8, "0")}${made.toString(16).padStart(32, "0")}`;
  return `{"jsonrpc":"2.0","id":${made},"method":"eth_getCode","params":["${address}","latest"]}`;
}

function overHttp({ port }: Crowd): { send: Send; close: () => Promise<void> } {
  const timeouts = { headersTimeout: ANSWER_MS, bodyTimeout: ANSWER_MS };
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: MOST_CONNECTIONS, ...timeouts });
  const headers = { "content-type": "application/json" };
  const send: Send = async (path, message) => {
    const { body } = await pool.request({ method: "POST", path, headers, body: message });
    return body.text();
  };
  return { send, close: () => pool.destroy() };
}

async function overWebSocket({ port, paths }: Crowd) {
  const waiting = new Map<number, (text: string) => void>();
  const sockets = new Map<string, WebSocket[]>();
  for (const path of paths) {
    const address = `ws://127.0.0.1:${port}${path.replace("/v3/", "/ws/v3/")}`;
    const count = Math.max(1, Math.floor(SOCKETS / paths.length));
    const own = Array.from({ length: count }, () => new WebSocket(address));
    sockets.set(path, own);
    for (const socket of own) {
      socket.on("message", (data: RawData) => {
        const text = String(data);
        const [first] = [JSON.parse(text)].flat() as { id: number }[];
        waiting.get(first?.id ?? 0)?.(text);
      });
      await new Promise((resolve, reject) => {
        socket.once("open", resolve);
        socket.once("error", reject);
      });
    }
  }
  const send: Send = async (path, message, id) => {
    const own = sockets.get(path) ?? [];
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    waiting.set(id, resolve);
    const timer = setTimeout(() => reject(new Error("no answer")), ANSWER_MS);
    own[id % own.length]?.send(message);
    return promise.finally(() => {
      clearTimeout(timer);
      waiting.delete(id);
    });
  };
  const close = async () => {
    for (const socket of [...sockets.values()].flat()) socket.terminate();
  };
  return { send, close };
}

async function run({ crowd, seconds, settleSeconds }: CrowdCommand): Promise<CrowdResult> {
  const { send, close } = await (crowd.protocol === "http" ? overHttp : overWebSocket)(crowd);
  const counts = { sent: 0, served: 0, refused: 0 };
  const faults = { count: 0, first: null as string | null };
  const times = new Histogram();
  const begun = performance.now();
  const settledAt = begun + settleSeconds * 1000;
  const until = begun + seconds * 1000;
  const count = (text: string, sentAt: number) => {
    const now = performance.now();
    if (now < settledAt || now > until) return;
    for (const answer of [JSON.parse(text)].flat() as { result?: unknown; error?: unknown }[]) {
      if (answer.result !== undefined) {
        counts.served += 1;
        if (sentAt >= settledAt) times.record((now - sentAt) * 1000);
      } else if (JSON.stringify(answer.error).includes("no upstream could answer")) {
        counts.refused += 1;
      } else {
        faults.count += 1;
        faults.first ??= JSON.stringify(answer.error);
      }
    }
  };
  const one = async (number: number) => {
    const path = crowd.paths[number % crowd.paths.length] ?? "/";
    const calls = Array.from({ length: crowd.batch }, callText);
    const id = made - crowd.batch + 1;
    const sentAt = performance.now();
    if (sentAt >= settledAt) counts.sent += crowd.batch;
    try {
      count(
        await send(path, crowd.batch === 1 ? String(calls[0]) : `[${calls.join(",")}]`, id),
        sentAt,
      );
    } catch (error) {
      // What is in the air at the end is cut off.
      if (performance.now() > until) return;
      faults.count += crowd.batch;
      faults.first ??= String(error);
    }
  };
  const everyMs = (1000 * crowd.batch) / crowd.callsPerSecond;
  for (let next = 0; performance.now() < until; ) {
    const due = (performance.now() - begun) / everyMs;
    for (; next <= due; next += 1) void one(next);
    await sleep(TICK_MS);
  }
  await close();
  const ms = (microseconds: number) => microseconds / 1000;
  return {
    ...counts,
    servedPerSecond: counts.served / (seconds - settleSeconds),
    faults,
    p50Ms: ms(times.percentile(0.5)),
    p99Ms: ms(times.percentile(0.99)),
    maxMs: ms(times.max),
  };
}

endWithParent();
process.on("message", (command: CrowdCommand) => {
  run(command).then(
    (result) => process.send?.({ result } satisfies CrowdAnswer),
    (error: unknown) => process.send?.({ fault: String(error) } satisfies CrowdAnswer),
  );
});
process.send?.({ port: 0 });
