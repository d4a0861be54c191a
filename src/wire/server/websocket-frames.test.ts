import { Buffer } from "node:buffer";
import { setImmediate as turn } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import * as library from "ws";
import { readByLibrary } from "../../../test/support/websocket-library.ts";
import { LargeBuffers } from "../bytes/large-buffers.ts";
import { PlainFrames, textFrameHead } from "./websocket-frames.ts";

/** The library exports it, its types do not. */
const { Sender } = library as unknown as {
  Sender: { frame(data: Buffer, options: object): Buffer[] };
};

/** As in the gateway, no read is longer. */
const MOST_BYTES = 1000;
const CLIENT = { fin: true, mask: true, readOnly: true, opcode: 1 };
const frame = (data: string | Buffer, options: object = {}): Buffer =>
  Buffer.concat(Sender.frame(Buffer.from(data), { ...CLIENT, ...options }));

/** The same where plain frames are taken out before. `stalls`: the reads that it leaves alone. */
async function readPlainFirst(reads: readonly Buffer[], stalls: readonly number[] = []) {
  const told: string[] = [];
  const { state, write } = readByLibrary(told, MOST_BYTES);
  const unread: Buffer[] = [];
  const held: number[] = [];
  let plain = 0;
  const frames = new PlainFrames({
    buffers: new LargeBuffers(),
    receive: (message) => {
      if (!state.isOpen) return;
      plain += 1;
      told.push(`message ${message.toString("latin1")}`);
    },
    pass: (bytes) => unread.push(Buffer.from(bytes)),
    isCaughtUp: () => unread.length === 0,
    mostBytes: MOST_BYTES,
    held: (bytes) => held.push(bytes),
  });
  const catchUp = (): void => {
    for (const bytes of unread.splice(0)) write(bytes);
  };
  for (const [index, bytes] of reads.entries()) {
    frames.take(Buffer.from(bytes));
    if (!stalls.includes(index)) catchUp();
    await turn();
  }
  catchUp();
  await turn();
  return { told, plain, held };
}

const payload = fc.oneof(
  fc.string({ maxLength: 8 }),
  fc.string({ minLength: 120, maxLength: 130 }),
  fc.constantFrom("é", '{"jsonrpc":"2.0","id":1}', "x".repeat(MOST_BYTES)),
);
const plainFrame = fc
  .tuple(payload, fc.constantFrom(1, 1, 1, 2))
  .map(([data, opcode]) => frame(data, { opcode }));
const control = fc
  .tuple(fc.string({ maxLength: 8 }), fc.constantFrom(9, 10))
  .map(([data, opcode]) => frame(data, { opcode }));
const fragments = fc
  .tuple(fc.string({ maxLength: 8 }), fc.string({ maxLength: 8 }))
  .map(([first, last]) => [frame(first, { fin: false }), frame(last, { opcode: 0 })])
  .map((both) => Buffer.concat(both));
/** The length in more bytes than it needs. */
const wide = Buffer.concat([Buffer.from([0x81, 0xfe, 0, 1, 0, 0, 0, 0]), Buffer.from("a")]);
const widest = Buffer.concat([Buffer.from([0x81, 0xff, ...Array(7).fill(0), 1, 0, 0, 0, 0, 97])]);
const fatal = fc.constantFrom(
  frame("no mask", { mask: false }),
  frame("", { mask: false }),
  frame(Buffer.from([0x22, 0xff, 0x22])),
  // UTF-8 as long as it is masked.
  Buffer.from([0x81, 0x81, 0x80, 0x80, 0x80, 0x80, 0x7f]),
  frame("x".repeat(MOST_BYTES + 1)),
  frame("alone", { opcode: 0 }),
  frame("", { opcode: 3 }),
  frame("", { opcode: 8 }),
  frame("", { opcode: 9, fin: false }),
  frame("compressed", { rsv1: true }),
  Buffer.from([0x81, 0xff, ...Array(8).fill(0xff), 0, 0, 0, 0]),
);
const stream = fc
  .array(
    fc.oneof(
      { weight: 10, arbitrary: plainFrame },
      { weight: 3, arbitrary: control },
      { weight: 1, arbitrary: fc.oneof(fragments, fc.constantFrom(wide, widest)) },
      { weight: 1, arbitrary: fatal },
    ),
    { maxLength: 12 },
  )
  .map((frames) => Buffer.concat(frames));

function splitAt(bytes: Buffer, places: readonly number[]): Buffer[] {
  const count = Math.ceil(bytes.length / MOST_BYTES);
  const full = Array.from({ length: count }, (_, at) => at * MOST_BYTES);
  const cuts = [...new Set([...places.map((place) => place % (bytes.length + 1)), ...full])];
  const ends = [...cuts.sort((a, b) => a - b), bytes.length];
  return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
}

test("messages, pings and closes are what the library alone makes of any bytes in any reads", async () => {
  const places = fc.array(fc.nat(4000), { maxLength: 6 });
  const stalls = fc.array(fc.nat(6), { maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(stream, places, stalls, async (bytes, cuts, stalled) => {
      const reads = splitAt(bytes, cuts);
      const told: string[] = [];
      const { write } = readByLibrary(told, MOST_BYTES);
      for (const read of reads) {
        write(Buffer.from(read));
        await turn();
      }
      expect((await readPlainFirst(reads, stalled)).told).toEqual(told);
    }),
    { numRuns: 10_000 },
  );
});

describe("plain frames are taken without the library", () => {
  const plainOf = async (...reads: Buffer[]) => (await readPlainFirst(reads)).plain;

  test("many in one read, text and binary, short, long and empty", async () => {
    const frames = ["a", "", "x".repeat(125), "x".repeat(126), "é"].map((each) => frame(each));
    expect(await plainOf(Buffer.concat([...frames, frame("b", { opcode: 2 })]))).toBe(6);
  });

  test("again in the read after a ping, a pong, or a frame that came in two reads", async () => {
    const long = frame("x".repeat(200));
    const ping = frame("", { opcode: 9 });
    const pong = frame("", { opcode: 10 });
    const pieces = [long.subarray(0, 50), long.subarray(50)];
    expect(await plainOf(ping, frame("a"), pong, frame("b"), ...pieces, frame("c"))).toBe(4);
  });

  test("in many reads, behind and before others", async () => {
    const long = frame("x".repeat(900));
    const reads = [0, 20, 400].map((from, at) => long.subarray(from, [20, 400, 900][at]));
    const last = Buffer.concat([long.subarray(900), frame("b")]);
    const first = Buffer.concat([frame("a"), reads.shift() ?? long]);
    const { told, plain, held } = await readPlainFirst([first, ...reads, last, frame("c")]);
    const texts = ["a", "x".repeat(900), "b", "c"];
    expect(told).toEqual(texts.map((text) => `message ${text}`));
    expect(plain).toBe(4);
    expect(held).toEqual([long.length, 0]);
  });

  test("but not where they are longer than a message may be, or not UTF-8", async () => {
    const long = frame("x".repeat(MOST_BYTES + 1));
    const { told, plain } = await readPlainFirst([long.subarray(0, 500), long.subarray(500)]);
    expect(told).toEqual(["error WS_ERR_UNSUPPORTED_MESSAGE_LENGTH"]);
    const broken = frame(Buffer.concat([Buffer.alloc(500, "x"), Buffer.from([0xff])]));
    const reads = [broken.subarray(0, 500), Buffer.concat([broken.subarray(500), frame("a")])];
    const outcome = await readPlainFirst(reads);
    expect(outcome.told).toEqual(["error WS_ERR_INVALID_UTF8"]);
    expect([plain, outcome.plain]).toEqual([0, 0]);
  });
});

describe("a server's text frame begins as the library's", () => {
  test.each([0, 1, 125, 126, 127, 255, 256, 65_535, 65_536, 1_000_000])("of %i bytes", (size) => {
    const options = { fin: true, opcode: 1, mask: false };
    const [head] = Sender.frame(Buffer.alloc(size), options);
    expect(Buffer.from(textFrameHead(size), "latin1")).toEqual(head);
  });

  test("also where its length takes more than 32 bits", () => {
    const bytes = Buffer.from(textFrameHead(2 ** 32 + 258), "latin1");
    expect([...bytes]).toEqual([0x81, 127, 0, 0, 0, 1, 0, 0, 1, 2]);
  });
});
