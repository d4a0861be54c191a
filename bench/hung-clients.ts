/**
 * Clients of nodes that hang, as a process: for each message of the parent it sends that many calls over
 * WebSockets that stay open, and answers with what came of them until the last one was sent.
 */
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { WebSocket } from "ws";
import { endWithParent } from "./child.ts";

export type HungCommand = {
  readonly port: number;
  readonly path: string;
  readonly sockets: number;
  readonly calls: number;
  readonly callsPerSecond: number;
};

export type HungResult = {
  readonly sent: number;
  readonly refused: number;
  /** Until the first one was told so that was refused, from when it was sent; null where none was. */
  readonly firstRefusedMs: number | null;
  /** The first answer that was neither. */
  readonly fault: string | null;
};

const TICK_MS = 4;
const NO_NODE = "no upstream could answer";
const ID = /"id":(\d+)/;

const sockets: WebSocket[] = [];
const sentAtMs = new Map<number, number>();
let made = 0;
let refused = 0;
let firstRefusedMs: number | null = null;
let fault: string | null = null;

function hear(text: string): void {
  const id = Number(ID.exec(text)?.[1]);
  const tookMs = performance.now() - (sentAtMs.get(id) ?? 0);
  sentAtMs.delete(id);
  if (text.includes(NO_NODE)) {
    refused += 1;
    firstRefusedMs ??= tookMs;
  } else if (!text.includes('"result"')) fault ??= text;
}

function sendOne(socket: WebSocket | undefined): void {
  made += 1;
  const address = `0x${made.toString(16).padStart(40, "0")}`;
  sentAtMs.set(made, performance.now());
  socket?.send(
    `{"jsonrpc":"2.0","id":${made},"method":"eth_getCode","params":["${address}","0x1"]}`,
  );
}

async function run(command: HungCommand): Promise<HungResult> {
  while (sockets.length < command.sockets) {
    const socket = new WebSocket(`ws://127.0.0.1:${command.port}${command.path}`);
    await once(socket, "open");
    socket.on("message", (data) => hear(String(data)));
    sockets.push(socket);
  }
  const begun = performance.now();
  const sentBefore = made;
  for (let sent = 0; sent < command.calls; ) {
    const due = ((performance.now() - begun) * command.callsPerSecond) / 1000;
    for (; sent < Math.min(due, command.calls); sent += 1) sendOne(sockets[sent % sockets.length]);
    await sleep(TICK_MS);
  }
  return { sent: made - sentBefore, refused, firstRefusedMs, fault };
}

endWithParent();
process.on("message", (command: HungCommand) => {
  void run(command).then((result) => process.send?.(result));
});
process.send?.({ port: 0 });
