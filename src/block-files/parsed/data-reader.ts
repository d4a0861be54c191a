/** The data of an instruction is not what its program reads: too short, or a value that it does not know. */
export class MalformedDataError extends Error {
  override readonly name = "MalformedDataError";
}

const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Reads little-endian values from start to end; each method throws `MalformedDataError` past the end. */
export class DataReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** How many bytes are not read yet. */
  get left(): number {
    return this.#bytes.length - this.#at;
  }

  u8(): number {
    return this.#view.getUint8(this.#advance(1));
  }

  i8(): number {
    return this.#view.getInt8(this.#advance(1));
  }

  u16(): number {
    return this.#view.getUint16(this.#advance(2), true);
  }

  i16(): number {
    return this.#view.getInt16(this.#advance(2), true);
  }

  u32(): number {
    return this.#view.getUint32(this.#advance(4), true);
  }

  u64(): bigint {
    return this.#view.getBigUint64(this.#advance(8), true);
  }

  i64(): bigint {
    return this.#view.getBigInt64(this.#advance(8), true);
  }

  f64(): number {
    return this.#view.getFloat64(this.#advance(8), true);
  }

  /** The next `count` bytes, not copied. */
  take(count: number): Uint8Array {
    const start = this.#advance(count);
    return this.#bytes.subarray(start, start + count);
  }

  /** The next `count` bytes in another alphabet. */
  encoded(count: number, encoding: "base64" | "hex"): string {
    const { buffer, byteOffset } = this.take(count);
    return Buffer.from(buffer, byteOffset, count).toString(encoding);
  }

  /** The next `count` bytes as UTF-8, every rule of it kept and a byte order mark with it. */
  text(count: number): string {
    const bytes = this.take(count);
    try {
      return UTF8.decode(bytes);
    } catch (cause) {
      throw new MalformedDataError("not UTF-8", { cause });
    }
  }

  #advance(count: number): number {
    if (count > this.left) throw new MalformedDataError("the data ends too early");
    const start = this.#at;
    this.#at += count;
    return start;
  }
}
