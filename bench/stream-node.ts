/** A node whose blocks come when the bench says so, and are told over its WebSocket. */
import { createServer } from "node:http";
import { type WebSocket, WebSocketServer } from "ws";
import { serve } from "./child.ts";
import { nextBlock, type StreamBlock } from "./stream-blocks.ts";

export type StreamNodeCommand =
  | { readonly kind: "mine"; readonly logs: number }
  | { readonly kind: "calls" };
/** `sentNs`: by the machine's monotonic clock. */
export type Mined = { readonly sentNs: string; readonly block: StreamBlock };
export type NodeCalls = { readonly calls: number };

type Request = {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
};

const blocks = new Map<string, StreamBlock>();
const sockets = new Set<WebSocket>();
let tip = nextBlock(undefined, 0);
blocks.set(tip.header.hash, tip);
let calls = 0;

function resultOf({ method, params: [first] }: Request): unknown {
  calls += 1;
  switch (method) {
    case "eth_chainId":
      return "0x1";
    case "eth_subscribe":
      return "0x1";
    case "eth_getBlockByNumber":
      return { ...tip.header, transactions: [], uncles: [] };
    case "eth_getBlockByHash": {
      const block = blocks.get(String(first));
      return block === undefined ? null : { ...block.header, transactions: [], uncles: [] };
    }
    case "eth_getLogs":
      return blocks.get((first as { readonly blockHash: string }).blockHash)?.logs ?? [];
    default:
      return null;
  }
}

const answerTo = (text: string): string => {
  const request = JSON.parse(text) as Request;
  return JSON.stringify({ jsonrpc: "2.0", id: request.id, result: resultOf(request) });
};

const server = createServer((request, response) => {
  const pieces: Buffer[] = [];
  request.on("data", (piece) => pieces.push(piece));
  request.on("end", () => {
    response.setHeader("content-type", "application/json");
    response.end(answerTo(Buffer.concat(pieces).toString()));
  });
});
new WebSocketServer({ server }).on("connection", (socket) => {
  sockets.add(socket);
  socket.on("close", () => sockets.delete(socket));
  socket.on("message", (data) => socket.send(answerTo(String(data))));
});

process.on("message", (command: StreamNodeCommand) => {
  if (command.kind === "calls") {
    process.send?.({ calls } satisfies NodeCalls);
    return;
  }
  tip = nextBlock(tip, command.logs);
  blocks.set(tip.header.hash, tip);
  const params = { subscription: "0x1", result: tip.header };
  const told = JSON.stringify({ jsonrpc: "2.0", method: "eth_subscription", params });
  const sentNs = String(process.hrtime.bigint());
  for (const socket of sockets) socket.send(told);
  process.send?.({ sentNs, block: tip } satisfies Mined);
});
serve(server);
