import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, Socket } from "node:net";
import { PassThrough } from "node:stream";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { NodeInside } from "./node-inside.ts";

const inside = new NodeInside(true);

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

/** A connected pair; the reader takes nothing until it is read. */
async function pair(): Promise<{ writer: Socket; reader: Socket }> {
  const accepted = once(server, "connection") as Promise<[Socket]>;
  const reader = connect({ port: (server.address() as AddressInfo).port, host: "127.0.0.1" });
  await once(reader, "connect");
  const [writer] = await accepted;
  writer.on("error", () => undefined);
  reader.on("error", () => undefined).pause();
  open.push(reader, writer);
  return { writer, reader };
}

async function readAll(reader: Socket): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of reader) parts.push(part as Buffer);
  return Buffer.concat(parts).toString("latin1");
}

/** The error that a socket closed with. */
async function ending(socket: Socket): Promise<NodeJS.ErrnoException> {
  return new Promise((resolve) => {
    let first: Error | undefined;
    socket.on("error", (error) => {
      first ??= error;
    });
    socket.once("close", () => resolve(first ?? new Error("no error")));
  });
}

/** Writes texts until the socket has more than enough; what was written. */
function fill(writer: Socket, sizeBytes = 16_384): string {
  let all = "";
  for (let letter = 0; ; letter += 1) {
    const text = String.fromCharCode(97 + (letter % 26)).repeat(sizeBytes);
    all += text;
    if (!inside.writeText(writer, text)) return all;
  }
}

test("a text that the system takes at once never becomes the stream's", async () => {
  const { writer, reader } = await pair();
  const write = vi.spyOn(writer, "write");
  for (let at = 0; at < 50; at += 1) expect(inside.writeText(writer, `text ${at}\xff;`)).toBe(true);
  expect(write).not.toHaveBeenCalled();
  expect(writer.writableLength).toBe(0);
  writer.end();
  const expected = Array.from({ length: 50 }, (_, at) => `text ${at}\xff;`).join("");
  expect(await readAll(reader)).toBe(expected);
});

test("what the system does not take is the stream's: counted, told by drain, and whole", async () => {
  const { writer, reader } = await pair();
  let all = fill(writer);
  expect(writer.writableLength).toBe(writer.writableHighWaterMark);
  expect(writer.writableNeedDrain).toBe(true);
  // What follows waits behind it.
  expect(inside.writeText(writer, "after")).toBe(false);
  expect(writer.writableLength).toBe(writer.writableHighWaterMark + 5);
  all += "after";
  const drained = once(writer, "drain");
  const read = readAll(reader);
  await drained;
  expect(writer.writableLength).toBe(0);
  // And the next one goes its short way again.
  const write = vi.spyOn(writer, "write");
  expect(inside.writeText(writer, "last")).toBe(true);
  expect(write).not.toHaveBeenCalled();
  writer.end();
  expect(await read).toBe(`${all}last`);
});

test("each of several sockets whose readers are slow is told when its own text is taken", async () => {
  const pairs = [await pair(), await pair(), await pair()];
  const written = pairs.map(({ writer }) => fill(writer, 100_000));
  for (const [at, { writer, reader }] of pairs.entries()) {
    const drained = once(writer, "drain");
    const read = readAll(reader);
    await drained;
    for (const later of pairs.slice(at + 1)) expect(later.writer.writableNeedDrain).toBe(true);
    writer.end();
    expect((await read) === written[at]).toBe(true);
  }
});

test("a corked socket's text waits for the others", async () => {
  const { writer, reader } = await pair();
  writer.cork();
  expect(inside.writeText(writer, "one;")).toBe(true);
  writer.write("two;", "latin1");
  expect(writer.writableLength).toBe(8);
  writer.uncork();
  expect(writer.writableLength).toBe(0);
  writer.end();
  expect(await readAll(reader)).toBe("one;two;");
});

test("whatever is written in whatever way, slowly read, arrives whole and in order", async () => {
  const size = fc.oneof(
    fc.integer({ min: 1, max: 300 }),
    fc.integer({ min: 16_000, max: 120_000 }),
  );
  const step = fc.oneof(
    fc.record({ kind: fc.constantFrom("text", "write", "bytes", "corked"), size }),
    fc.record({ kind: fc.constantFrom("turn", "read"), size }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const { writer, reader } = await pair();
      let expected = "";
      let finished = 0;
      let asked = 0;
      let received = "";
      reader.on("data", (bytes: Buffer) => {
        received += bytes.toString("latin1");
      });
      reader.pause();
      for (const [at, { kind, size }] of steps.entries()) {
        const text = String.fromCharCode(33 + (at % 200)).repeat(size);
        if (kind === "turn") await new Promise((resolve) => setImmediate(resolve));
        else if (kind === "read") reader.isPaused() ? reader.resume() : reader.pause();
        else {
          expected += text;
          if (kind === "text") {
            const isTaken = inside.writeText(writer, text);
            if (!isTaken) expect(writer.writableNeedDrain).toBe(true);
          } else if (kind === "write") {
            asked += 1;
            writer.write(text, "latin1", () => {
              finished += 1;
            });
          } else if (kind === "bytes") writer.write(Buffer.from(text, "latin1"));
          else {
            writer.cork();
            writer.write("(", "latin1");
            inside.writeText(writer, text);
            writer.uncork();
            expected = `${expected.slice(0, expected.length - text.length)}(${text}`;
          }
        }
      }
      const ended = once(reader, "end");
      writer.end();
      reader.resume();
      await ended;
      expect(received === expected).toBe(true);
      expect(finished).toBe(asked);
      expect(writer.writableLength).toBe(0);
      writer.destroy();
      reader.destroy();
    }),
    { numRuns: 60 },
  );
});

test("a write that fails at once ends the socket with the system's error, as the stream's does", async () => {
  const failureOf = async (write: (writer: Socket) => unknown) => {
    const { writer, reader } = await pair();
    const ended = ending(writer);
    reader.resetAndDestroy();
    // In the same turn: nothing has read that the connection is gone.
    write(writer);
    return ended;
  };
  const { message, code, syscall } = await failureOf((writer) => inside.writeText(writer, "text"));
  expect(syscall).toBe("write");
  const ofStream = await failureOf((writer) => writer.write("text", "latin1"));
  expect({ message, code, syscall }).toEqual({
    message: ofStream.message,
    code: ofStream.code,
    syscall: ofStream.syscall,
  });
});

test("a write that fails while it waits ends the socket with an error", async () => {
  const { writer, reader } = await pair();
  fill(writer);
  const ended = ending(writer);
  reader.resetAndDestroy();
  expect((await ended).code).toMatch(/^(ECONNRESET|EPIPE)$/);
  expect(inside.writeText(writer, "late")).toBe(false);
});

test("a socket that is destroyed while a text waits closes, and nothing is told of the text", async () => {
  const { writer } = await pair();
  const told = vi.fn();
  fill(writer);
  writer.on("drain", told).on("error", told);
  writer.destroy();
  await once(writer, "close");
  expect(told).not.toHaveBeenCalled();
});

test("before a socket is connected, and after its end, a text is written as ever", async () => {
  const socket = connect({ port: (server.address() as AddressInfo).port, host: "127.0.0.1" });
  open.push(socket);
  const [accepted] = (await Promise.all([
    once(server, "connection"),
    Promise.resolve(inside.writeText(socket, "early;")),
  ])) as unknown as [[Socket], boolean];
  open.push(accepted[0]);
  await once(socket, "connect");
  const failed = once(socket, "error");
  socket.end();
  expect(inside.writeText(socket, "late")).toBe(false);
  expect((await failed)[0]).toMatchObject({ code: "ERR_STREAM_WRITE_AFTER_END" });
  expect(await readAll(accepted[0])).toBe("early;");
});

test("a socket that writes in a way of its own, as TLS does, is written to in that way", async () => {
  class Doubling extends Socket {
    override _write(text: string, encoding: BufferEncoding, done: () => void): void {
      super._write(text + text, encoding, done);
    }
  }
  const accepted = once(server, "connection") as Promise<[Socket]>;
  const socket = new Doubling();
  open.push(socket.connect({ port: (server.address() as AddressInfo).port, host: "127.0.0.1" }));
  await once(socket, "connect");
  const [reader] = await accepted;
  open.push(reader);
  inside.writeText(socket, "text;");
  socket.end();
  expect(await readAll(reader)).toBe("text;text;");
});

test("what is no plain socket is written to as ever", () => {
  const stream = new PassThrough();
  expect(inside.writeText(stream, "text\xff")).toBe(true);
  expect(stream.read()).toEqual(Buffer.from("text\xff", "latin1"));
});
