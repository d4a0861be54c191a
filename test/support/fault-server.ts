import { createServer, type Server, type Socket } from "node:net";

export type FaultServer = {
  readonly url: string;
  readonly server: Server;
  /** Open ones. */
  readonly sockets: ReadonlySet<Socket>;
  /** How many there ever were. */
  readonly connections: number;
  /** The requests so far, head and body. */
  readonly requests: readonly string[];
  readonly stop: () => Promise<void>;
};

/** Answers each request of one Content-Length with whatever it likes, or not at all. */
export async function startFaultServer(
  answer: (socket: Socket, request: string) => void,
  server: Server = createServer(),
): Promise<FaultServer> {
  const sockets = new Set<Socket>();
  const requests: string[] = [];
  const started = { connections: 0 };
  const isSecure = "setSecureContext" in server;
  server.on(isSecure ? "secureConnection" : "connection", (socket: Socket) => {
    started.connections += 1;
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => undefined);
    let text = "";
    socket.on("data", (bytes) => {
      text += bytes.toString("latin1");
      for (let end = endOfRequest(text); end >= 0; end = endOfRequest(text)) {
        const request = text.slice(0, end);
        text = text.slice(end);
        requests.push(request);
        answer(socket, request);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  return {
    url: `${isSecure ? "https" : "http"}://127.0.0.1:${port}`,
    server,
    sockets,
    requests,
    get connections() {
      return started.connections;
    },
    stop: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** -1 where it has not come yet. */
function endOfRequest(text: string): number {
  const body = text.indexOf("\r\n\r\n") + 4;
  if (body < 4) return -1;
  const end = body + Number(/\r\ncontent-length: (\d+)/i.exec(text)?.[1] ?? 0);
  return end <= text.length ? end : -1;
}
