import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { patientInterval } from "./patient-interval.ts";

let end: () => void = () => undefined;
afterEach(() => end());

async function socketPair(): Promise<[Socket, Socket]> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const one = connect((server.address() as AddressInfo).port, "127.0.0.1");
  const [[other]] = await Promise.all([once(server, "connection"), once(one, "connect")]);
  end = () => {
    one.destroy();
    other.destroy();
    server.close();
  };
  return [one, other];
}

test("after a stall what came meanwhile is read before a deadline is looked at", async () => {
  const [one, other] = await socketPair();
  const order: string[] = [];
  one.on("data", () => order.push("read"));
  await new Promise<void>((resolve) => {
    const timer = patientInterval(() => {
      clearInterval(timer);
      order.push("looked");
      resolve();
    }, 20);
    // From here the event loop comes to its timers before it comes to its sockets.
    setImmediate(() => {
      other.write("answer");
      const untilMs = performance.now() + 300;
      while (performance.now() < untilMs);
    });
  });
  expect(order).toEqual(["read", "looked"]);
});

test("without a stall it runs as often as it is told to", async () => {
  let runs = 0;
  const beganMs = performance.now();
  await new Promise<void>((resolve) => {
    const timer = patientInterval(() => {
      runs += 1;
      if (runs < 5) return;
      clearInterval(timer);
      resolve();
    }, 20);
  });
  expect(performance.now() - beganMs).toBeGreaterThan(90);
});
