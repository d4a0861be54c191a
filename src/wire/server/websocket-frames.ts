import { Buffer, isUtf8 } from "node:buffer";
import type { LargeBuffers } from "../bytes/large-buffers.ts";
import { partOf } from "../bytes/read-buffer.ts";
import { LongFrame } from "./long-frame.ts";

/** A frame's first two bytes: RFC 6455, 5.2. */
const FIN = 0x80;
const OPCODE_BITS = 0x0f;
const MASKED = 0x80;
const LENGTH_BITS = 0x7f;

const TEXT = 0x1;
const BINARY = 0x2;
const PING = 0x9;
const PONG = 0xa;

/** A length in two, and in eight bytes follows. */
const LENGTH_IN_16_BITS = 126;
const LENGTH_IN_64_BITS = 127;
const MASK_BYTES = 4;

/** The bytes before the payload of a server's text frame, as a binary string. */
export function textFrameHead(payloadBytes: number): string {
  const first = FIN | TEXT;
  if (payloadBytes < LENGTH_IN_16_BITS) return String.fromCharCode(first, payloadBytes);
  if (payloadBytes <= 0xffff) {
    const high = payloadBytes >> 8;
    return String.fromCharCode(first, LENGTH_IN_16_BITS, high, payloadBytes & 0xff);
  }
  const length = Buffer.alloc(8);
  length.writeBigUInt64BE(BigInt(payloadBytes));
  return String.fromCharCode(first, LENGTH_IN_64_BITS) + length.toString("latin1");
}

export type PlainFramesParts = {
  /** Told of a message, whose bytes are overwritten afterwards. */
  readonly receive: (message: Buffer) => void;
  /** Gives bytes to the library, which has to copy what it keeps. */
  readonly pass: (bytes: Buffer) => void;
  /** Whether the library has read what it was given. */
  readonly isCaughtUp: () => boolean;
  /** The most bytes of a message: what is longer is left to the library, which ends the connection. */
  readonly mostBytes: number;
  readonly buffers: LargeBuffers;
  /** Told what is held of a frame that is longer than a read, whenever that changes; 0: nothing. */
  readonly held: (bytes: number) => void;
};

/**
 * Takes a client's messages out of what is read where they are plain: a whole masked frame, whose
 * head comes in one read, as nearly all are. The library reads everything else, in its order: pings
 * and pongs, and whatever comes from the first fragment, close or breach of a rule on.
 */
export class PlainFrames {
  readonly #parts: PlainFramesParts;
  /** The number of following bytes that belong to the library. */
  #passing = 0;
  /** The last one, as long as it is not whole. */
  #long: LongFrame | undefined;

  /** To be begun where a frame begins. No read may be larger than a message may be. */
  constructor(parts: PlainFramesParts) {
    this.#parts = parts;
  }

  /** `bytes`: the next ones. Messages are unmasked in their place. */
  take(bytes: Buffer): void {
    // Once the library was given something it may end the connection, which shows after this read.
    let isMine = this.#parts.isCaughtUp();
    let at = 0;
    const long = this.#long;
    if (long !== undefined) {
      at = this.#addTo(long, bytes, 0);
      if (long.isWhole && !this.#end(long)) isMine = false;
    }
    while (at < bytes.length) {
      const isNew = this.#passing === 0;
      const end = at + (isNew ? frameBytes(bytes, at) : this.#passing);
      if (isMine && isNew && end > bytes.length && this.#isLong(bytes, at, end - at)) {
        this.#long = new LongFrame(end - at);
        this.#addTo(this.#long, bytes, at);
        return;
      }
      isMine &&= isNew && end <= bytes.length && this.#receive(bytes, at, end);
      const next = Math.min(end, bytes.length);
      if (!isMine) {
        this.#passing = end - next;
        this.#parts.pass(bytes.subarray(at, next));
      }
      at = next;
    }
  }

  /** Nothing more will be read: what there is of a frame is let go. */
  free(): void {
    this.#long?.free();
    this.#long = undefined;
  }

  #isLong(bytes: Buffer, at: number, frameBytes: number): boolean {
    if (!isMessage(byteOf(bytes, at) & OPCODE_BITS)) return false;
    return frameBytes - headBytes(bytes, at) <= this.#parts.mostBytes;
  }

  /** Returns where what is the frame's ends. */
  #addTo(long: LongFrame, bytes: Buffer, start: number): number {
    const before = long.heldBytes;
    const end = long.add(bytes, start);
    if (long.heldBytes > before) this.#parts.held(long.heldBytes);
    return end;
  }

  /** False where the frame is the library's after all. */
  #end(long: LongFrame): boolean {
    this.#long = undefined;
    const { buffers } = this.#parts;
    const whole = long.join(buffers);
    this.#parts.held(0);
    const isMine = this.#receive(whole, 0, whole.length);
    if (!isMine) this.#parts.pass(whole);
    buffers.giveBack(whole);
    return isMine;
  }

  /** False where the frame is the library's after all. */
  #receive(bytes: Buffer, at: number, end: number): boolean {
    const opcode = byteOf(bytes, at) & OPCODE_BITS;
    if (!isMessage(opcode)) return false;
    const from = at + headBytes(bytes, at);
    const isAscii = unmask(bytes, from, end);
    const payload = partOf(bytes, from, end);
    if (opcode === TEXT && !isAscii && !isUtf8(payload)) {
      unmask(bytes, from, end);
      return false;
    }
    this.#parts.receive(payload);
    return true;
  }
}

function isMessage(opcode: number): boolean {
  return opcode === TEXT || opcode === BINARY;
}

/** How many bytes the frame takes; Infinity: it and what follows are not to be looked at here. */
function frameBytes(bytes: Buffer, at: number): number {
  const opcode = byteOf(bytes, at) ^ FIN;
  const isKnown = isMessage(opcode) || opcode === PING || opcode === PONG;
  const before = headBytes(bytes, at);
  if (!isKnown || at + before > bytes.length || (byteOf(bytes, at + 1) & MASKED) === 0) {
    return Number.POSITIVE_INFINITY;
  }
  const short = byteOf(bytes, at + 1) & LENGTH_BITS;
  if (short < LENGTH_IN_16_BITS) return before + short;
  if (short === LENGTH_IN_16_BITS) return before + bytes.readUInt16BE(at + 2);
  return before + Number(bytes.readBigUInt64BE(at + 2));
}

/** Before the payload. */
function headBytes(bytes: Buffer, at: number): number {
  const short = byteOf(bytes, at + 1) & LENGTH_BITS;
  const lengthBytes = short < LENGTH_IN_16_BITS ? 0 : short === LENGTH_IN_16_BITS ? 2 : 8;
  return 2 + lengthBytes + MASK_BYTES;
}

/** With the mask that stands before them; done twice, they are as they were. True: all are ASCII. */
function unmask(bytes: Buffer, from: number, end: number): boolean {
  const mask = from - MASK_BYTES;
  let all = 0;
  for (let at = from; at < end; at += 1) {
    const byte = byteOf(bytes, at) ^ byteOf(bytes, mask + ((at - from) & 3));
    bytes[at] = byte;
    all |= byte;
  }
  return all < 0x80;
}

/** 0 beyond the end. */
function byteOf(bytes: Buffer, at: number): number {
  return bytes[at] ?? 0;
}
