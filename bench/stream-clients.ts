/** Clients that subscribe, and note when they are told. */
import { once } from "node:events";
import { createServer } from "node:net";
import { WebSocket } from "ws";
import { collectGarbage } from "../test/support/memory.ts";
import { serve } from "./child.ts";

export type StreamClientsCommand =
  | { readonly kind: "open"; readonly url: string; readonly sockets: number }
  /** The params of each socket's subscriptions, for the sockets in turn. */
  | { readonly kind: "subscribe"; readonly each: readonly (readonly (readonly unknown[])[])[] }
  /** Answers once so many notifications have come. */
  | { readonly kind: "await"; readonly count: number }
  | { readonly kind: "close" };
/** When each came, by the machine's monotonic clock, nanoseconds in order. */
export type Heard = { readonly atNs: readonly string[]; readonly bytes: number };

const AT_ONCE = 50;
let sockets: WebSocket[] = [];
let heardNs: bigint[] = [];
let bytes = 0;
let awaited = 0;
let answers: (() => void)[] = [];

function heard(data: Buffer): void {
  // Answers to subscriptions begin with their id.
  if (!data.subarray(0, 48).includes('"method"')) {
    answers.pop()?.();
    return;
  }
  heardNs.push(process.hrtime.bigint());
  bytes += data.length;
  if (heardNs.length === awaited) tell();
}

function tell(): void {
  const atNs = heardNs.map(String);
  awaited = 0;
  heardNs = [];
  const told = { atNs, bytes } satisfies Heard;
  bytes = 0;
  // The node answers on the same core, and must not wait for it when the next block comes.
  collectGarbage();
  process.send?.(told);
}

async function open(url: string): Promise<void> {
  const socket = new WebSocket(url, { perMessageDeflate: false });
  socket.on("message", (data: Buffer) => heard(data));
  sockets.push(socket);
  await once(socket, "open");
}

async function inLots(count: number, run: (at: number) => Promise<unknown>): Promise<void> {
  for (let at = 0; at < count; at += AT_ONCE) {
    const lot = Array.from({ length: Math.min(AT_ONCE, count - at) }, (_, each) => run(at + each));
    await Promise.all(lot);
  }
}

const subscribe = (socket: WebSocket, params: readonly unknown[]): Promise<void> =>
  new Promise((resolve) => {
    answers.push(resolve);
    socket.send(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_subscribe", params }));
  });

async function carryOut(command: StreamClientsCommand): Promise<void> {
  switch (command.kind) {
    case "open":
      await inLots(command.sockets, () => open(command.url));
      break;
    case "subscribe": {
      const { each } = command;
      await inLots(sockets.length, (at) =>
        Promise.all(
          (each[at % each.length] ?? []).map((params) =>
            subscribe(sockets[at] as WebSocket, params),
          ),
        ),
      );
      break;
    }
    case "await":
      awaited = command.count;
      if (heardNs.length >= awaited) tell();
      return;
    case "close":
      for (const socket of sockets) socket.terminate();
      sockets = [];
      answers = [];
  }
  process.send?.({});
}

process.on("message", (command: StreamClientsCommand) => {
  carryOut(command).catch((error) => {
    throw error;
  });
});
serve(createServer());
