import { createServer, type IncomingMessage, request, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";

export type ConnectProxy = {
  /** `http://127.0.0.1:PORT`, with the user and the password where there are any. */
  readonly url: string;
  /** What it was asked for: `CONNECT host:port`, or `POST http://host:port/path`. */
  readonly asked: readonly string[];
  /** It answers everything with this status, where it is not 200. */
  status: number;
  readonly stop: () => Promise<void>;
};

/** A proxy as companies have them: tunnels, and requests with a whole URL; it asks for `login` where that is given. */
export async function startConnectProxy(login?: string): Promise<ConnectProxy> {
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  const wanted = login && `Basic ${Buffer.from(login).toString("base64")}`;
  const statusFor = ({ headers }: IncomingMessage): number =>
    wanted !== undefined && headers["proxy-authorization"] !== wanted ? 407 : proxy.status;
  const server: Server = createServer((incoming, response) => {
    asked.push(`${incoming.method} ${incoming.url}`);
    const status = statusFor(incoming);
    if (status !== 200) {
      response.writeHead(status).end();
      return;
    }
    const { "proxy-authorization": _, ...headers } = incoming.headers;
    const passed = request(incoming.url ?? "", { method: incoming.method, headers });
    passed.on("response", (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    passed.on("error", () => response.destroy());
    incoming.pipe(passed);
  });
  server.on("connect", (incoming: IncomingMessage, client: Socket, head: Buffer) => {
    asked.push(`CONNECT ${incoming.url}`);
    const status = statusFor(incoming);
    if (status !== 200) {
      client.end(`HTTP/1.1 ${status} No\r\n\r\n`);
      return;
    }
    const { hostname, port } = new URL(`http://${incoming.url}`);
    const there = connect(Number(port), hostname, () => {
      client.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      there.write(head);
      there.pipe(client);
      client.pipe(there);
    });
    for (const [one, other] of [
      [there, client],
      [client, there],
    ] as const) {
      one.on("error", () => other.destroy());
      one.on("close", () => other.destroy());
      sockets.add(one);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const proxy: ConnectProxy = {
    url: `http://${login === undefined ? "" : `${login}@`}127.0.0.1:${port}`,
    asked,
    status: 200,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
        for (const socket of sockets) socket.destroy();
      }),
  };
  return proxy;
}
