import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { WebSocketServer } from "ws";
import { open } from "./connection.ts";

const ends: (() => void)[] = [];

afterEach(() => {
  for (const end of ends.splice(0)) end();
});

test("a WebSocket's pings are answered as they were sent, and its call as well", async () => {
  const server = new WebSocketServer({ host: "127.0.0.1", port: 0 });
  ends.push(() => server.close());
  const pong = new Promise<string>((resolve) => {
    server.on("connection", (socket) => {
      socket.on("pong", (payload) => resolve(String(payload)));
      socket.on("message", () => {
        socket.ping("still there");
        socket.send('{"result":"0x1"}');
      });
    });
  });
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const connection = await open("websocket", { port, path: "/" });
  ends.push(connection.close);
  const fault = await new Promise((resolve) => connection.send({ body: "{}" }, resolve));
  expect([fault, await pong]).toEqual([null, "still there"]);
});
