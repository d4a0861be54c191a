/** Ways to be a burden: memory that is held for nothing, and work that costs nothing. */
import { once } from "node:events";
import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { BIG_ADDRESS } from "./slow-answers.ts";

const MEGABYTE = 1_000_000;
const BODY_BYTES = 5 * MEGABYTE;

export type Attack = {
  readonly name: string;
  /** In all, and one for each address at least. */
  readonly connections: number;
  /** Does its worst on a connection, as long as that is open. */
  readonly run: (socket: Socket, path: string) => void | Promise<void>;
};

const callOf = (method: string, params: string): string =>
  `{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params}}`;
const post = (path: string, sizeBytes: number, more = ""): string =>
  `POST ${path} HTTP/1.1\r\nHost: a\r\n${more}Content-Length: ${sizeBytes}\r\n\r\n`;
const whole = (path: string, body: string): string => post(path, body.length) + body;

let made = 0;
/** A call of its own each time, with a large answer. */
function bigCall(): string {
  made += 1;
  const address = `${BIG_ADDRESS}${made.toString(16).padStart(42 - BIG_ADDRESS.length, "0")}`;
  return callOf("eth_getCode", `["${address}","latest"]`);
}

/** Sends a message once more for each answer. */
const again = (body: string) => (socket: Socket, path: string) => {
  const bytes = whole(path, body);
  socket.on("data", (chunk: Buffer) => {
    if (chunk.includes("HTTP/1.1 ")) socket.write(bytes, "latin1");
  });
  socket.write(bytes, "latin1");
};

async function upgrade(socket: Socket, path: string): Promise<void> {
  const lines = [
    `GET ${path.replace("/v3/", "/ws/v3/")} HTTP/1.1`,
    ...["Host: a", "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13"],
    ...["Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==", "", ""],
  ];
  socket.write(lines.join("\r\n"));
  await Promise.race([once(socket, "data"), once(socket, "close")]);
}

/** A text frame with a mask of zeros. */
function frameOf(text: string): Buffer {
  const head = Buffer.from([0x81, 0x80 | text.length, 0, 0, 0, 0]);
  return Buffer.concat([head, Buffer.from(text)]);
}

const keys = Array.from({ length: 350_000 }, (_, key) => `"k${key}":1`).join(",");
const bad = '{"jsonrpc":"2.0","id":1,"method":"nobody_knows"}';
const usage = '{"jsonrpc":"2.0","id":1,"method":"tollgate_usage"}';
const subscribe = '{"jsonrpc":"2.0","id":1,"method":"accountSubscribe","params":[]}';
const batchOf = (call: string): string => `[${Array(1000).fill(call).join(",")}]`;

export const ATTACKS: readonly Attack[] = [
  {
    name: "answers of 20 MB that nobody reads",
    connections: 35,
    run: (socket, path) => {
      socket.pause();
      socket.write(whole(path, bigCall()));
    },
  },
  {
    name: "batches of 35 answers of 20 MB that nobody reads",
    connections: 2,
    run: (socket, path) => {
      socket.pause();
      socket.write(whole(path, `[${Array.from({ length: 35 }, bigCall).join(",")}]`));
    },
  },
  {
    name: "answers of 20 MB taken by a trickle",
    connections: 35,
    run: async (socket, path) => {
      socket.on("readable", () => undefined);
      socket.write(whole(path, bigCall()));
      while (!socket.destroyed) {
        socket.read(Math.min(100, socket.readableLength));
        await sleep(100);
      }
    },
  },
  {
    name: "messages of 5 MB over WebSocket that lack their end",
    connections: 150,
    run: async (socket, path) => {
      await upgrade(socket, path);
      const head = Buffer.alloc(14);
      head.set([0x81, 0xff]);
      head.writeBigUInt64BE(BigInt(BODY_BYTES), 2);
      socket.write(head);
      socket.write(Buffer.alloc(BODY_BYTES - 100, " "));
    },
  },
  {
    name: "bodies of 5 MB that lack 100 bytes",
    connections: 150,
    run: (socket, path) => {
      socket.write(post(path, BODY_BYTES));
      socket.write(Buffer.alloc(BODY_BYTES - 100, " "));
    },
  },
  {
    name: "200 pipelined calls of 1 MB",
    connections: 1,
    run: async (socket, path) => {
      const body = callOf("eth_chainId", "[]").padEnd(MEGABYTE, " ");
      socket.pause();
      for (let call = 0; call < 200 && !socket.destroyed; call += 1) {
        const isTaken = socket.write(post(path, MEGABYTE, "TE: trailers\r\n") + body);
        if (!isTaken) await Promise.race([once(socket, "drain"), once(socket, "close")]);
      }
    },
  },
  {
    name: "350,000 keys in a call object",
    connections: 2,
    run: again(callOf("eth_call", `[{${keys}},"latest"]`)),
  },
  {
    name: "5 MB of numbers",
    connections: 2,
    run: again(callOf("eth_call", `[[${"1,".repeat(2_400_000)}1],"latest"]`)),
  },
  { name: "batches of unknown methods", connections: 2, run: again(batchOf(bad)) },
  { name: "batches of tollgate_usage", connections: 2, run: again(batchOf(usage)) },
  {
    name: "refused subscriptions, tried again at once",
    connections: 2,
    run: async (socket, path) => {
      await upgrade(socket, path);
      const frame = frameOf(subscribe);
      socket.on("data", () => socket.write(frame));
      for (let call = 0; call < 50; call += 1) socket.write(frame);
    },
  },
];
