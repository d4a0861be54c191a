/** The least that a server does for its subscribers: it writes each of them what it is told to. */
import { createServer } from "node:http";
import { type WebSocket, WebSocketServer } from "ws";
import { serve } from "./child.ts";

/** A notification from its result on: the n-th subscription is told the n-th of them, in turn. */
export type StreamFloorCommand = { readonly rests: readonly string[] };
export type Told = { readonly sentNs: string };

const ID_DIGITS = 32;
const server = createServer();
const all: { readonly socket: WebSocket; readonly beginning: string }[] = [];

new WebSocketServer({ server }).on("connection", (socket) => {
  socket.on("message", () => {
    const id = `0x${String(all.length).padStart(ID_DIGITS, "0")}`;
    const beginning = `{"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"${id}","result":`;
    all.push({ socket, beginning });
    socket.send(`{"jsonrpc":"2.0","id":1,"result":"${id}"}`);
  });
});

process.on("message", ({ rests }: StreamFloorCommand) => {
  const sentNs = String(process.hrtime.bigint());
  for (const [at, { socket, beginning }] of all.entries()) {
    socket.send(beginning + rests[at % rests.length]);
  }
  process.send?.({ sentNs } satisfies Told);
});
serve(server);
