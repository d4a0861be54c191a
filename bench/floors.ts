/**
 * The floors, each a process of its own: `node bench/floors.ts KIND NODE_PORT`. The least that a
 * server can do in the same role, without keys, credits, checks or metrics.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { Pool } from "undici";
import { WebSocketServer } from "ws";
import { serve } from "./child.ts";

const CONSTANT = '{"jsonrpc":"2.0","id":1,"result":"0x1"}';
const HEADERS = { "Content-Type": "application/json", "Content-Length": CONSTANT.length };

const KINDS: Readonly<Record<string, (nodePort: number) => Server>> = {
  "http-constant": () => createServer((request, response) => answerConstant(request, response)),
  "http-proxy": proxy,
  "ws-constant": webSocketConstant,
};

const [kind, nodePort] = process.argv.slice(2);
const make = KINDS[kind ?? ""];
if (make === undefined) throw new Error(`no floor ${kind}: ${Object.keys(KINDS).join(", ")}`);
serve(make(Number(nodePort)));

function answerConstant(request: IncomingMessage, response: ServerResponse): void {
  readBody(request, () => {
    response.writeHead(200, HEADERS);
    response.end(CONSTANT);
  });
}

function proxy(nodePort: number): Server {
  const pool = new Pool(`http://127.0.0.1:${nodePort}`, { connections: 64 });
  return createServer((request, response) => {
    readBody(request, (body) => forward(pool, body, response));
  });
}

/** Passes the node's bytes on as they come, which costs less than joining them first. */
function forward(pool: Pool, body: Buffer, response: ServerResponse): void {
  const headers = { "content-type": "application/json" };
  pool.dispatch(
    { method: "POST", path: "/", headers, body },
    {
      // Undici refuses a handler without it.
      onRequestStart: () => undefined,
      onResponseStart: (_controller, status, answered) => {
        const length = answered["content-length"];
        response.writeHead(status, { ...HEADERS, "Content-Length": String(length) });
      },
      onResponseData: (_controller, chunk) => {
        response.write(chunk);
      },
      onResponseEnd: () => {
        response.end();
      },
      onResponseError: () => {
        if (response.headersSent) response.destroy();
        else response.writeHead(502, { "Content-Length": 0 }).end();
      },
    },
  );
}

function webSocketConstant(): Server {
  const server = createServer();
  const sockets = new WebSocketServer({ server, perMessageDeflate: false });
  sockets.on("connection", (socket) => {
    socket.on("message", () => socket.send(CONSTANT));
    socket.on("error", () => socket.terminate());
  });
  return server;
}

function readBody(request: IncomingMessage, then: (body: Buffer) => void): void {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const [only] = chunks;
    then(chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks));
  });
}
