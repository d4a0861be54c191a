/**
 * The floors, each a process of its own: `node bench/floors.ts KIND NODE_PORT`. The least that a
 * server can do in the same role, without keys, credits, checks or metrics.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Server as NetServer } from "node:net";
import { Pool } from "undici";
import { WebSocketServer } from "ws";
import { serve } from "./child.ts";
import { constantOf } from "./constant-answers.ts";
import { netConstant, netProxy } from "./net-floors.ts";
import type { FloorName } from "./scenarios.ts";

const TYPE = { "Content-Type": "application/json" };

/** As Tollgate: a connection that rests while other subjects have their turn is not to be closed. */
const KEPT = { keepAliveTimeout: 65_000 };

const KINDS: Readonly<Record<FloorName, (nodePort: number) => NetServer>> = {
  "http-constant": () =>
    createServer(KEPT, (request, response) => answerConstant(request, response)),
  "net-constant": netConstant,
  "ws-constant": webSocketConstant,
  "http-proxy": proxy,
  "net-proxy": netProxy,
};

const [kind, nodePort] = process.argv.slice(2);
if (kind === undefined || !(kind in KINDS)) {
  throw new Error(`no floor ${kind}: ${Object.keys(KINDS).join(", ")}`);
}
serve(KINDS[kind as FloorName](Number(nodePort)));

function answerConstant(request: IncomingMessage, response: ServerResponse): void {
  readBody(request, () => {
    const answer = constantOf(request.url);
    response.writeHead(200, { ...TYPE, "Content-Length": answer.length });
    response.end(answer);
  });
}

function proxy(nodePort: number): Server {
  const pool = new Pool(`http://127.0.0.1:${nodePort}`, { connections: 64 });
  return createServer(KEPT, (request, response) => {
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
        response.writeHead(status, { ...TYPE, "Content-Length": String(length) });
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
  sockets.on("connection", (socket, { url }) => {
    const answer = constantOf(url);
    socket.on("message", () => socket.send(answer));
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
