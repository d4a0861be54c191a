/** One for all sockets that read through `onread`: what a read puts here is taken out before the next. */
export const READ_BUFFER = Buffer.allocUnsafeSlow(64 * 1024);

/** The same bytes by the word of four. */
export const READ_WORDS = new Int32Array(READ_BUFFER.buffer);

/** The same for what stands at any place. */
export const READ_VIEW = new DataView(READ_BUFFER.buffer);

/** A power of two. */
const KEPT_VIEWS = 256;
const views: Buffer[] = new Array(KEPT_VIEWS).fill(READ_BUFFER);

/**
 * A part of what was read. The last views are kept: requests are of the same few sizes over and over,
 * and to make a view takes two calls out of JavaScript.
 */
export function readPart(start: number, end: number): Buffer {
  const slot = slotOf(start, end);
  const known = views[slot] as Buffer;
  if (known.byteOffset === start && known.length === end - start) return known;
  const made = READ_BUFFER.subarray(start, end);
  views[slot] = made;
  return made;
}

/** Whether these bytes are such a part, which stands at their `byteOffset`; false where nobody knows. */
export function isReadPart(bytes: Buffer): boolean {
  const start = bytes.byteOffset;
  return views[slotOf(start, start + bytes.length)] === bytes;
}

/** Whether these bytes are of what was read, and so another's after the next read. */
export function isRead(bytes: Buffer): boolean {
  return bytes.buffer === READ_BUFFER.buffer;
}

/** The bytes, or a copy of them where they are of what was read. */
export function keptBytes(bytes: Buffer): Buffer {
  return isRead(bytes) ? Buffer.from(bytes) : bytes;
}

/** A part of any bytes. */
export function partOf(bytes: Buffer, start: number, end: number): Buffer {
  if (!isReadPart(bytes)) return bytes.subarray(start, end);
  const { byteOffset } = bytes;
  return readPart(byteOffset + start, byteOffset + Math.min(end, bytes.length));
}

function slotOf(start: number, end: number): number {
  return (7 * start + end) & (KEPT_VIEWS - 1);
}
