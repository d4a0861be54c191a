import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type RawData, type WebSocket, WebSocketServer } from "ws";

type Handler = (response: Response, request: Request) => void;
type Behavior = {
  readonly open: (socket: Socket) => void;
  readonly message: (socket: Socket, message: ArrayBuffer, isBinary: boolean) => void;
  readonly close: (socket: Socket) => void;
};
type Listening = (server: Server | false) => void;

/** Routes of one address: ganache has no other but `/`, and one for what is not found. */
export function App() {
  const handlers: Record<string, Handler> = {};
  const server = createServer((from, to) => {
    const isRoot = from.url?.split("?", 1)[0] === "/";
    const handler = (isRoot && handlers[from.method ?? ""]) || handlers["ANY"];
    handler?.(new Response(to, from), new Request(from));
  });
  const on = (method: string) => (path: string, handler: Handler) => {
    if (method === "ANY" || path === "/") handlers[method] = handler;
    return app;
  };
  const app = {
    post: on("POST"),
    options: on("OPTIONS"),
    get: on("GET"),
    any: on("ANY"),
    ws: (_path: string, behavior: Behavior) => {
      serveWebSockets(server, behavior);
      return app;
    },
    /** `listen(host?, port, options, done)` */
    listen: (...args: readonly unknown[]) => {
      const done = args.at(-1) as Listening;
      const port = args.find((each) => typeof each === "number") as number;
      server.once("error", () => done(false));
      server.listen(port, "127.0.0.1", () => done(server));
      return app;
    },
    close: () => server.closeAllConnections(),
  };
  return app;
}

export const us_listen_socket_close = (server: Server): void => {
  server.close();
};
export const us_socket_local_port = (server: Server): number =>
  (server.address() as AddressInfo).port;

class Request {
  readonly #from: IncomingMessage;
  constructor(from: IncomingMessage) {
    this.#from = from;
  }
  getHeader(name: string): string {
    return String(this.#from.headers[name.toLowerCase()] ?? "");
  }
}

class Response {
  readonly #to: ServerResponse;
  readonly #from: IncomingMessage;
  constructor(to: ServerResponse, from: IncomingMessage) {
    this.#to = to;
    this.#from = from;
  }
  onData(take: (chunk: ArrayBuffer, isLast: boolean) => void): void {
    const chunks: Buffer[] = [];
    this.#from.on("data", (chunk: Buffer) => chunks.push(chunk));
    this.#from.on("end", () => take(arrayOf(Buffer.concat(chunks)), true));
  }
  onAborted(told: () => void): void {
    this.#to.on("close", () => this.#to.writableEnded || told());
  }
  cork(write: () => void): void {
    write();
  }
  writeStatus(status: string): void {
    this.#to.statusCode = Number.parseInt(status, 10);
  }
  writeHeader(name: string, value: string): void {
    this.#to.setHeader(name, value);
  }
  write(piece: string | Uint8Array): void {
    this.#to.write(piece);
  }
  end(piece?: string | Uint8Array): void {
    this.#to.end(piece);
  }
  close(): void {
    this.#from.socket.destroy();
  }
}

/** ganache marks it `closed` by itself. */
class Socket {
  readonly #socket: WebSocket;
  constructor(socket: WebSocket) {
    this.#socket = socket;
  }
  cork(write: () => void): void {
    write();
  }
  send(message: string | Uint8Array, binary?: boolean): void {
    this.#socket.send(message, { binary: binary === true });
  }
  sendFirstFragment(piece: string | Uint8Array, binary?: boolean): void {
    this.#socket.send(piece, { binary: binary === true, fin: false });
  }
  sendFragment(piece: string | Uint8Array): void {
    this.#socket.send(piece, { binary: false, fin: false });
  }
  sendLastFragment(piece: string | Uint8Array): void {
    this.#socket.send(piece, { binary: false, fin: true });
  }
  end(code: number, reason: string): void {
    this.#socket.close(code, reason);
  }
}

function serveWebSockets(server: Server, behavior: Behavior): void {
  new WebSocketServer({ server, path: "/" }).on("connection", (socket) => {
    const own = new Socket(socket);
    behavior.open(own);
    socket.on("message", (data: RawData, isBinary: boolean) =>
      behavior.message(own, arrayOf(data as Buffer), isBinary),
    );
    socket.on("close", () => behavior.close(own));
  });
}

/** A copy: what is handed over is no piece of a larger array. */
function arrayOf(bytes: Buffer): ArrayBuffer {
  return Uint8Array.from(bytes).buffer;
}
