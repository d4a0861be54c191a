/**
 * Longer values are kept as bytes, and shorter ones as text, which takes 200 bytes less. Text lies in
 * the heap of V8, which lets about as much again pile up before it collects what was evicted.
 */
const LONGEST_TEXT = 4 * 1024;
/** For a longer key new memory is taken. */
const scratch = Buffer.allocUnsafeSlow(16 * 1024);

/** Whether a value of this length is kept as text. */
export function isText(length: number): boolean {
  return length <= LONGEST_TEXT;
}

/**
 * The same value in memory that nobody else uses, and that holds nothing but it: a part of a larger
 * buffer or string, or a joint of several, keeps all of those alive. Undefined for text that is no
 * binary string.
 */
export function ownValue(value: string | Buffer): string | Buffer | undefined {
  if (isText(value.length)) {
    return typeof value === "string" ? readBack(write(value), value) : value.toString("latin1");
  }
  const own = Buffer.allocUnsafeSlow(value.length);
  if (typeof value !== "string") {
    value.copy(own);
    return own;
  }
  own.write(value, "latin1");
  return readBack(own, value) === undefined ? undefined : own;
}

/** The same for a key. */
export function ownKey(key: string): string | undefined {
  return readBack(write(key), key);
}

function write(text: string): Buffer {
  const { length } = text;
  const bytes = length <= scratch.length ? scratch : Buffer.allocUnsafeSlow(length);
  bytes.write(text, 0, length, "latin1");
  return bytes;
}

function readBack(bytes: Buffer, text: string): string | undefined {
  const own = bytes.toString("latin1", 0, text.length);
  return own === text ? own : undefined;
}
