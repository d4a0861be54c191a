import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { type WebSocket, WebSocketServer } from "ws";

type Asked = { readonly method: string; readonly params: readonly unknown[] };

/** The WebSocket of a slot network's node, which tells of accounts what a test has it tell. */
export type AccountNode = {
  readonly url: string;
  /** All that it was asked. */
  readonly asked: readonly Asked[];
  /** How many subscriptions are open. */
  readonly open: number;
  /** JSON text of a notification's result, to all subscriptions. */
  readonly tell: (result: string) => void;
  /** All connections break, and nobody answers any more. */
  readonly stop: () => Promise<void>;
};

export async function startAccountNode(): Promise<AccountNode> {
  const server = new WebSocketServer({ host: "127.0.0.1", port: 0 });
  await once(server, "listening");
  const asked: Asked[] = [];
  const open = new Map<number, { readonly socket: WebSocket; readonly method: string }>();
  let lastId = 100;
  server.on("connection", (socket) => {
    socket.on("close", () => {
      for (const [id, one] of open) if (one.socket === socket) open.delete(id);
    });
    socket.on("message", (data) => {
      const { id, method, params } = JSON.parse(String(data));
      asked.push({ method, params });
      if (method.endsWith("Unsubscribe")) {
        const result = open.delete(params[0]);
        socket.send(JSON.stringify({ jsonrpc: "2.0", id, result }));
        return;
      }
      lastId += 1;
      open.set(lastId, { socket, method: method.replace("Subscribe", "Notification") });
      socket.send(JSON.stringify({ jsonrpc: "2.0", id, result: lastId }));
    });
  });
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    get open() {
      return open.size;
    },
    tell: (result) => {
      for (const [id, { socket, method }] of open) {
        socket.send(
          `{"jsonrpc":"2.0","method":"${method}","params":{"result":${result},"subscription":${id}}}`,
        );
      }
    },
    stop: async () => {
      for (const socket of server.clients) socket.terminate();
      const closed = once(server, "close");
      server.close();
      await closed;
    },
  };
}
