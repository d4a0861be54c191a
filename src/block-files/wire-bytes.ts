/** Bytes that are no transaction, or a transaction that cannot be written; the text says why. */
export class WireFault extends Error {
  override readonly name = "WireFault";
}

/** Lists are counted in 16 bits. */
const MAX_LENGTH = 0xffff;

/** Takes a form apart from its beginning; every step looks whether the bytes suffice. */
export class WireReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  byte(what: string): number {
    const byte = this.#bytes[this.#at];
    if (byte === undefined) throw new WireFault(`it ends before ${what}`);
    this.#at += 1;
    return byte;
  }

  take(length: number, what: string): Uint8Array {
    const left = this.#bytes.length - this.#at;
    if (length > left) {
      throw new WireFault(`${what} takes ${length} bytes where ${left} are left`);
    }
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }

  bytes(what: string): Uint8Array {
    return this.take(this.#length(what), what);
  }

  /** Each element takes a byte at least, so that no length makes more elements than bytes. */
  list<Element>(what: string, read: () => Element): Element[] {
    const length = this.#length(what);
    const left = this.#bytes.length - this.#at;
    if (length > left) throw new WireFault(`${length} ${what} where ${left} bytes are left`);
    const elements: Element[] = [];
    for (let count = 0; count < length; count += 1) elements.push(read());
    return elements;
  }

  end(): void {
    const left = this.#bytes.length - this.#at;
    if (left > 0) throw new WireFault(`${left} bytes follow its end`);
  }

  /** compact-u16: seven bits a byte, the least first. */
  #length(what: string): number {
    let length = 0;
    for (let shift = 0; shift <= 14; shift += 7) {
      const byte = this.byte(`the length of ${what}`);
      length |= (byte & 0x7f) << shift;
      if (byte < 0x80) {
        const isCanonical = length <= MAX_LENGTH && (byte > 0 || shift === 0);
        if (!isCanonical) break;
        return length;
      }
    }
    throw new WireFault(`the length of ${what} is not canonical`);
  }
}

export class WireWriter {
  readonly #pieces: Uint8Array[] = [];

  byte(value: number): void {
    if (!Number.isInteger(value) || value < 0 || value > 0xff) {
      throw new WireFault(`${value} is no byte`);
    }
    this.#pieces.push(Uint8Array.of(value));
  }

  fixed(bytes: Uint8Array, size: number): void {
    if (bytes.length !== size) {
      throw new WireFault(`${bytes.length} bytes stand where ${size} belong`);
    }
    this.#pieces.push(bytes);
  }

  bytes(bytes: Uint8Array): void {
    this.#length(bytes.length);
    this.#pieces.push(bytes);
  }

  list<Element>(elements: readonly Element[], write: (element: Element) => void): void {
    this.#length(elements.length);
    for (const element of elements) write(element);
  }

  done(): Uint8Array {
    return new Uint8Array(Buffer.concat(this.#pieces));
  }

  #length(length: number): void {
    if (length > MAX_LENGTH) throw new WireFault(`a list of ${length} is too long`);
    let rest = length;
    while (rest >= 0x80) {
      this.byte((rest & 0x7f) | 0x80);
      rest >>= 7;
    }
    this.byte(rest);
  }
}
