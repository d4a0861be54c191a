import { LargeBuffers } from "../../../src/wire/bytes/large-buffers.ts";
import { READ_BUFFER, readPart } from "../../../src/wire/bytes/read-buffer.ts";
import { PlainFrames } from "../../../src/wire/server/websocket-frames.ts";
import { readByLibrary } from "../../support/websocket-library.ts";
import { demandEqual } from "../demand.ts";

/** No read is longer than a message may be: data for a fuzzer is 4,096 bytes at most. */
const MOST_BYTES = 4096;
/** Of the data, which say where reads end and what the library has not read yet. */
const PLAN_BYTES = 3;

/** Heads of frames: all kinds, masked and not, and lengths in each form. */
export const WORDS = [
  ...[
    "\x81\x81abcd",
    "\x82\x80abcd",
    "\x01\x81abcd",
    "\x80\x81abcd",
    "\x89\x80abcd",
    "\x8a\x82abcd",
  ],
  ...[
    "\x88\x82abcd",
    "\x81\xfe\x00\x7eabcd",
    "\x81\xff\0\0\0\0\0\0\0\x01abcd",
    "\x81\x01a",
    "\xc1\x80abcd",
  ],
  ...["\0\0\0\0", "\xc3\xa9", "\xff\xff", "\x81\xfe\x10\x01abcd"],
];

/** Messages taken out of what is read are those that the library finds there, in their order. */
export function fuzz(data: Buffer): void {
  if (data.length <= PLAN_BYTES) return;
  const bytes = data.subarray(PLAN_BYTES);
  const [first = 0, second = 0, stalls = 0] = data;
  const cuts = [first, first + second, first + 2 * second].filter((cut) => cut < bytes.length);
  const reads = [...new Set([0, ...cuts])].map((cut, index, all) =>
    bytes.subarray(cut, all[index + 1] ?? bytes.length),
  );
  demandEqual(plainFirst(reads, stalls).join("\n"), libraryAlone(reads).join("\n"), "messages");
}

function libraryAlone(reads: readonly Buffer[]): string[] {
  const told: string[] = [];
  const { write } = readByLibrary(told, MOST_BYTES);
  for (const read of reads) write(Buffer.from(read));
  return told;
}

/** `stalls`: a bit for each read after which the library has not caught up. */
function plainFirst(reads: readonly Buffer[], stalls: number): string[] {
  const told: string[] = [];
  const { state, write } = readByLibrary(told, MOST_BYTES);
  let unread: Buffer[] = [];
  const frames = new PlainFrames({
    buffers: new LargeBuffers(),
    receive: (message) => {
      if (state.isOpen) told.push(`message ${message.toString("latin1")}`);
    },
    pass: (bytes) => unread.push(Buffer.from(bytes)),
    isCaughtUp: () => unread.length === 0,
    mostBytes: MOST_BYTES,
    held: () => undefined,
  });
  const catchUp = () => {
    const given = unread;
    unread = [];
    for (const bytes of given) write(bytes);
  };
  for (const [index, read] of reads.entries()) {
    frames.take(readPart(0, read.copy(READ_BUFFER)));
    if (((stalls >> index) & 1) === 0) catchUp();
  }
  catchUp();
  return told;
}
