/** A node whose blocks come when the bench says so, and are told over its WebSocket. */
import { createServer } from "node:http";
import { type WebSocket, WebSocketServer } from "ws";
import { collectGarbage } from "../test/support/memory.ts";
import { serve } from "./child.ts";
import { nextBlock, type StreamBlock } from "./stream-blocks.ts";

export type StreamNodeCommand =
  | { readonly kind: "mine"; readonly logs: number }
  | { readonly kind: "tip" }
  | { readonly kind: "calls" };
/** `sentNs`: by the machine's monotonic clock. */
export type Mined = { readonly sentNs: string };
export type Tip = { readonly block: StreamBlock };
export type NodeCalls = { readonly calls: number };

type Request = {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
};

/** A block as it is answered with, JSON text: made before anybody is told, since its clients share a core with it. */
type Answers = { readonly block: string; readonly logs: string };

const KEPT_BLOCKS = 16;
const answers = new Map<string, Answers>();
const sockets = new Set<WebSocket>();
let tip = nextBlock(undefined, 0);
let calls = 0;
keep(tip);

function keep({ header, logs }: StreamBlock): void {
  const block = JSON.stringify({ ...header, transactions: [], uncles: [] });
  answers.set(header.hash, { block, logs: JSON.stringify(logs) });
  const [oldest] = answers.keys();
  if (answers.size > KEPT_BLOCKS && oldest !== undefined) answers.delete(oldest);
}

function resultOf({ method, params: [first] }: Request): string {
  calls += 1;
  switch (method) {
    case "eth_chainId":
    case "eth_subscribe":
      return '"0x1"';
    case "eth_getBlockByNumber":
      return answers.get(tip.header.hash)?.block ?? "null";
    case "eth_getBlockByHash":
      return answers.get(String(first))?.block ?? "null";
    case "eth_getLogs":
      return answers.get((first as { readonly blockHash: string }).blockHash)?.logs ?? "[]";
    default:
      return "null";
  }
}

const answerTo = (text: string): string => {
  const request = JSON.parse(text) as Request;
  return `{"jsonrpc":"2.0","id":${JSON.stringify(request.id)},"result":${resultOf(request)}}`;
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
  if (command.kind === "tip") {
    process.send?.({ block: tip } satisfies Tip);
    return;
  }
  tip = nextBlock(tip, command.logs);
  keep(tip);
  collectGarbage();
  const params = { subscription: "0x1", result: tip.header };
  const told = JSON.stringify({ jsonrpc: "2.0", method: "eth_subscription", params });
  const sentNs = String(process.hrtime.bigint());
  for (const socket of sockets) socket.send(told);
  process.send?.({ sentNs } satisfies Mined);
});
serve(server);
