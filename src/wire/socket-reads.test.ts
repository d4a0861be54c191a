import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, Socket } from "node:net";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { EventLoop } from "./event-loop.ts";
import { NodeInside } from "./node-inside.ts";
import { SocketReads } from "./socket-reads.ts";

const loop = new EventLoop("plain");

let server: Server;
let open: Socket[];

beforeEach(async () => {
  open = [];
  server = createServer({ allowHalfOpen: true });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterEach(async () => {
  for (const socket of open) socket.destroy();
  await new Promise((resolve) => server.close(resolve));
});

const ROOM = Buffer.alloc(65_536);

/** A connected pair whose reader's reads come straight. */
async function pair(
  take: (text: string, bytes: Uint8Array) => boolean,
  { room = () => ROOM, isShort = true }: { room?: () => Uint8Array; isShort?: boolean } = {},
): Promise<{ writer: Socket; reader: Socket }> {
  const reads = new SocketReads(
    { turns: loop.nodeReads, inside: new NodeInside(true) },
    room,
    (size, bytes) => take(Buffer.from(bytes.subarray(0, size)).toString("latin1"), bytes),
  );
  const accepted = once(server, "connection") as Promise<[Socket]>;
  const { port } = server.address() as AddressInfo;
  const reader = connect({ port, host: "127.0.0.1", onread: reads.onread });
  reader.once("connect", () => {
    if (isShort) reads.begin(reader);
  });
  open.push(reader);
  await once(reader, "connect");
  const [writer] = await accepted;
  open.push(writer);
  writer.on("error", () => undefined);
  return { writer, reader };
}

/** Resolves with the next text that is taken. */
function taken(): { readonly take: (text: string) => boolean; next: () => Promise<string> } {
  let told: ((text: string) => void) | undefined;
  return {
    take: (text) => {
      told?.(text);
      return true;
    },
    next: () =>
      new Promise((resolve) => {
        told = resolve;
      }),
  };
}

test("what is read goes past the socket's stream and its timeouts, and its end through them", async () => {
  const { take, next } = taken();
  const { writer, reader } = await pair(take);
  const push = vi.spyOn(reader, "push");
  const refresh = vi.spyOn(reader as Socket & { _unrefTimer: () => void }, "_unrefTimer");
  for (const text of ["one", "two\xff"]) {
    const read = next();
    writer.write(text, "latin1");
    expect(await read).toBe(text);
  }
  expect(push).not.toHaveBeenCalled();
  expect(refresh).not.toHaveBeenCalled();
  const ended = once(reader, "end");
  writer.end();
  await ended;
  expect(push).toHaveBeenCalledWith(null);
});

test("a timeout that is set counts from the last read", async () => {
  const { take, next } = taken();
  const { writer, reader } = await pair(take);
  reader.setTimeout(60_000);
  const refresh = vi.spyOn(reader as Socket & { _unrefTimer: () => void }, "_unrefTimer");
  const text = next();
  writer.write("one");
  await text;
  expect(refresh).toHaveBeenCalledTimes(1);
  reader.setTimeout(0);
  const other = next();
  writer.write("two");
  await other;
  expect(refresh).toHaveBeenCalledTimes(1);
});

test("an error of the connection is the socket's, as ever", async () => {
  const { writer, reader } = await pair(() => true);
  const failed = once(reader, "error");
  writer.resetAndDestroy();
  expect((await failed)[0]).toMatchObject({ code: "ECONNRESET", syscall: "read" });
});

test("a socket that is destroyed by what it reads is told no more, and closes", async () => {
  const take = vi.fn((): boolean => {
    reader.destroy();
    return false;
  });
  const { writer, reader } = await pair(take);
  const closed = once(reader, "close");
  writer.write("one");
  writer.write("two");
  await closed;
  expect(take).toHaveBeenCalledTimes(1);
});

test("whatever comes into whatever rooms, with pauses, is read whole and in order", async () => {
  const rooms = [Buffer.alloc(1), Buffer.alloc(7), Buffer.alloc(1000), ROOM];
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        sizes: fc.array(fc.integer({ min: 1, max: 30_000 }), { minLength: 1, maxLength: 12 }),
        places: fc.array(fc.nat({ max: rooms.length - 1 }), { minLength: 1, maxLength: 20 }),
        pauses: fc.array(fc.boolean(), { minLength: 1, maxLength: 10 }),
        isShort: fc.boolean(),
      }),
      async ({ sizes, places, pauses, isShort }) => {
        let asked = 0;
        let reads = 0;
        let received = "";
        let given: Uint8Array | undefined;
        let waits = false;
        const room = () => {
          // Small rooms are for some reads only: a read of a byte each takes long.
          asked += 1;
          given = asked < 200 ? rooms[places[asked % places.length] as number] : ROOM;
          return given as Uint8Array;
        };
        const { writer, reader } = await pair(
          (text, bytes) => {
            expect(bytes === given).toBe(true);
            expect(waits).toBe(false);
            received += text;
            reads += 1;
            waits = reads < 100 && (pauses[reads % pauses.length] as boolean);
            if (!waits) return true;
            setImmediate(() => {
              waits = false;
              reader.read(0);
            });
            return false;
          },
          { room, isShort },
        );
        const ended = once(reader, "end");
        reader.resume();
        let expected = "";
        for (const [at, size] of sizes.entries()) {
          const text = String.fromCharCode(97 + at).repeat(size);
          expected += text;
          writer.write(text, "latin1");
        }
        writer.end();
        await ended;
        expect(received === expected).toBe(true);
        writer.destroy();
      },
    ),
    { numRuns: 60 },
  );
});

test("connections that have much to read take turns, and each is read whole", async () => {
  const [connections, megabytes] = [8, 8];
  const received: number[] = Array(connections).fill(0);
  let ofTurn = 0;
  let most = 0;
  let isOver = false;
  const endTurn = () => {
    most = Math.max(most, ofTurn);
    ofTurn = 0;
    if (!isOver) setImmediate(endTurn);
  };
  endTurn();
  const pairs: { writer: Socket; reader: Socket }[] = [];
  for (const at of received.keys()) {
    const made = await pair((text) => {
      ofTurn += text.length;
      received[at] = (received[at] ?? 0) + text.length;
      return true;
    });
    pairs.push(made);
  }
  const ends = pairs.map(({ reader }) => once(reader.resume(), "end"));
  for (const { writer } of pairs) writer.end(Buffer.alloc(megabytes * 1e6));
  await Promise.all(ends);
  isOver = true;
  expect(received).toEqual(Array(connections).fill(megabytes * 1e6));
  expect(most).toBeLessThanOrEqual(256 * 1024 + connections * ROOM.length);
});

test("a socket that is more than a plain one, as TLS is, is read in its own way", () => {
  class Other extends Socket {}
  const reads = new SocketReads(
    { turns: loop.nodeReads, inside: new NodeInside(true) },
    () => ROOM,
    () => true,
  );
  const onread = () => undefined;
  const other = Object.assign(new Other(), { _handle: { onread, readStop: () => 0 } });
  const { _handle: handle } = other;
  reads.begin(other);
  expect(handle.onread).toBe(onread);
});
