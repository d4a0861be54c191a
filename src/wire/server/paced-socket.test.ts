import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { expect, test } from "vitest";
import { PacedSocket } from "./paced-socket.ts";

async function pair(): Promise<{ accepted: Socket; client: Socket; stop: () => void }> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
  const [accepted] = (await once(server, "connection")) as [Socket];
  const stop = () => {
    client.destroy();
    accepted.destroy();
    server.close();
  };
  return { accepted, client, stop };
}

test("a large write arrives whole and in order, and the socket holds 64 KB of it at most", async () => {
  const { accepted, client, stop } = await pair();
  const paced = new PacedSocket(accepted);
  const large = Buffer.from(Array.from({ length: 3_000_000 }, (_, at) => at % 251));
  client.pause();
  paced.write(large);
  paced.end("end");
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(accepted.writableLength).toBeLessThanOrEqual(65_536);
  const parts: Buffer[] = [];
  for await (const part of client) parts.push(part as Buffer);
  expect(Buffer.concat(parts).equals(Buffer.concat([large, Buffer.from("end")]))).toBe(true);
  stop();
});

test("what the client sends is read, and its end and its reset are told", async () => {
  const first = await pair();
  const paced = new PacedSocket(first.accepted);
  first.client.write("hello");
  const [bytes] = (await once(paced, "data")) as [Buffer];
  expect(String(bytes)).toBe("hello");
  first.client.end();
  await once(paced, "end");
  first.stop();
  const second = await pair();
  const reset = new PacedSocket(second.accepted).resume();
  second.client.resetAndDestroy();
  await expect(once(reset, "close")).rejects.toThrow("ECONNRESET");
  second.stop();
});
