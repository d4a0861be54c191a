/** Runs before each test file: what its clients receive from gateways is recorded. */

import { Socket } from "node:net";
import { relative } from "node:path";
import { Readable } from "node:stream";
import { afterAll, expect } from "vitest";
import { isGatewayPort, record, recordFor } from "./written.ts";

const testFile = relative(process.cwd(), expect.getState().testPath ?? "");
recordFor(testFile);

/** Of a connection, all of so much; then what comes in small pieces: no long answer from a node. */
const WHOLE_BYTES = 256 * 1024;
const SMALL_BYTES = 16 * 1024;
const FLUSH_BYTES = 1024 * 1024;
/** More of a connection than any key or secret is long: pieces may be cut within one. */
const OVERLAP_BYTES = 128;

let write: ((piece: Buffer) => void) | undefined;
let waiting: Buffer[] = [];
let waitingBytes = 0;

function flush(): void {
  if (waiting.length === 0) return;
  write ??= record("answers", "answers to clients");
  write(Buffer.concat(waiting));
  waiting = [];
  waitingBytes = 0;
}

const connections = new WeakMap<Socket, { bytes: number; end: Buffer }>();
function keep(socket: Socket, piece: Buffer): void {
  const { bytes, end } = connections.get(socket) ?? { bytes: 0, end: Buffer.alloc(0) };
  const newEnd = Buffer.concat([end, piece.subarray(-OVERLAP_BYTES)]).subarray(-OVERLAP_BYTES);
  connections.set(socket, { bytes: bytes + piece.length, end: newEnd });
  if (bytes > WHOLE_BYTES && piece.length > SMALL_BYTES) return;
  const whole = Buffer.concat([end, piece]);
  waiting.push(whole);
  waitingBytes += whole.length;
  if (waitingBytes > FLUSH_BYTES) flush();
}

// Below every client library, and after TLS: a socket of Node gives its reader what it received.
Socket.prototype.push = function (this: Socket, piece: unknown, encoding?: BufferEncoding) {
  if (Buffer.isBuffer(piece) && isGatewayPort(this.remotePort)) keep(this, piece);
  return Readable.prototype.push.call(this, piece, encoding);
};

afterAll(flush);
