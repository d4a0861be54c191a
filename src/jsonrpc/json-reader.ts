import { type JsonObject, type JsonValue, NumberToken } from "./value.ts";

/** The outermost bracket is level 1; what is nested deeper is skipped, not read. */
const MAX_LEVELS = 64;

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids exactly these in strings.
const NEEDS_DECODING = /[\x00-\x1f\\\x80-\xff]/;

/** The text is not JSON (RFC 8259); the position is a byte offset. */
export class JsonSyntaxError extends Error {}

/**
 * Reads JSON from a binary string: one character per byte, so that positions are byte offsets and a
 * slice of the text is the client's own bytes. Unless it `isPlain` they must be checked to be UTF-8
 * before anything is read.
 */
export class JsonReader {
  readonly text: string;
  position = 0;
  /** Set when something was nested beyond 64 levels; that part was checked but reads as null. */
  tooDeep = false;

  /** No string of it can need decoding: one look at all is cheaper than one at each. */
  readonly isPlain: boolean;
  /** White space that was skipped so far, bytes. */
  #spaces = 0;
  /** Keys of objects so far that were there before: the object around has them in its text, too. */
  #duplicates = 0;

  constructor(text: string) {
    this.text = text;
    this.isPlain = !NEEDS_DECODING.test(text);
  }

  /** Skips white space and gives the next byte, NaN at the end. */
  peek(): number {
    const { text } = this;
    let code = text.charCodeAt(this.position);
    while (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09) {
      this.position += 1;
      this.#spaces += 1;
      code = text.charCodeAt(this.position);
    }
    return code;
  }

  fail(): never {
    throw new JsonSyntaxError(`no JSON at byte ${this.position}`);
  }

  /** Takes this byte if it is next. */
  take(code: number): boolean {
    if (this.peek() !== code) return false;
    this.position += 1;
    return true;
  }

  expect(code: number): void {
    if (!this.take(code)) this.fail();
  }

  /** One value; `level` is that of the bracket it would open. */
  value(level: number): JsonValue {
    switch (this.peek()) {
      case 0x22:
        return this.string();
      case 0x7b:
        return level > MAX_LEVELS ? this.#skipNested() : this.#object(level);
      case 0x5b:
        return level > MAX_LEVELS ? this.#skipNested() : this.#array(level);
      case 0x74:
        return this.#word("true", true);
      case 0x66:
        return this.#word("false", false);
      case 0x6e:
        return this.#word("null", null);
      default:
        return this.#number();
    }
  }

  string(): string {
    const { text } = this;
    const start = this.position;
    if (text.charCodeAt(start) !== 0x22) this.fail();
    let end = text.indexOf('"', start + 1);
    if (!this.isPlain) {
      while (end !== -1 && endsInOddBackslashes(text, start, end)) end = text.indexOf('"', end + 1);
    }
    if (end === -1) this.fail();
    this.position = end + 1;
    const raw = text.slice(start + 1, end);
    return this.isPlain || !NEEDS_DECODING.test(raw) ? raw : this.#decode(raw);
  }

  #decode(raw: string): string {
    try {
      return JSON.parse(`"${Buffer.from(raw, "latin1").toString("utf8")}"`) as string;
    } catch {
      return this.fail();
    }
  }

  #object(level: number): JsonObject {
    const object: JsonObject = new Map();
    const start = this.position;
    const spaces = this.#spaces;
    const duplicates = this.#duplicates;
    let read = 0;
    this.members((key) => {
      read += 1;
      object.set(key, this.value(level + 1));
    });
    this.#duplicates += read - object.size;
    if (this.isPlain && this.#spaces === spaces && this.#duplicates === duplicates) {
      object.source = this.text.slice(start, this.position);
    }
    return object;
  }

  /** Walks an object's members; `read` must consume the value. */
  members(read: (key: string) => void): void {
    this.expect(0x7b);
    if (this.take(0x7d)) return;
    do {
      this.peek();
      const key = this.string();
      this.expect(0x3a);
      read(key);
    } while (this.take(0x2c));
    this.expect(0x7d);
  }

  #array(level: number): JsonValue[] {
    const array: JsonValue[] = [];
    this.elements(() => array.push(this.value(level + 1)));
    return array;
  }

  /** Walks an array's elements; `read` must consume the value. */
  elements(read: () => void): void {
    this.expect(0x5b);
    if (this.take(0x5d)) return;
    do read();
    while (this.take(0x2c));
    this.expect(0x5d);
  }

  #word<T>(word: string, value: T): T {
    if (!this.text.startsWith(word, this.position)) this.fail();
    this.position += word.length;
    return value;
  }

  #number(): NumberToken {
    const end = this.#integerEnd();
    if (end > this.position) {
      const token = this.text.slice(this.position, end);
      this.position = end;
      return new NumberToken(token);
    }
    NUMBER.lastIndex = this.position;
    const token = NUMBER.exec(this.text)?.[0];
    if (token === undefined) return this.fail();
    this.position += token.length;
    return new NumberToken(token);
  }

  /** Where a number of digits alone ends, as nearly every id is one; else where it begins. */
  #integerEnd(): number {
    const { text, position } = this;
    const first = text.charCodeAt(position);
    if (!(first >= 0x31 && first <= 0x39)) return position;
    let end = position + 1;
    let code = text.charCodeAt(end);
    while (code >= 0x30 && code <= 0x39) {
      end += 1;
      code = text.charCodeAt(end);
    }
    // A fraction or an exponent comes.
    return code === 0x2e || code === 0x65 || code === 0x45 ? position : end;
  }

  /** Checks what is nested too deep without recursion and without building it. */
  #skipNested(): null {
    const closers: number[] = [];
    do {
      const code = this.peek();
      if (code === 0x7b || code === 0x5b) {
        this.position += 1;
        closers.push(code + 2);
        if (this.peek() !== code + 2) {
          if (code === 0x7b) this.#key();
          continue;
        }
      } else {
        this.value(MAX_LEVELS);
      }
      this.#close(closers);
    } while (closers.length > 0);
    this.tooDeep = true;
    return null;
  }

  #key(): void {
    this.peek();
    this.string();
    this.expect(0x3a);
  }

  /** After a value: closes what ends here, then stands before the next value, if there is one. */
  #close(closers: number[]): void {
    for (let closer = closers.at(-1); closer !== undefined; closer = closers.at(-1)) {
      if (this.take(0x2c)) {
        if (closer === 0x7d) this.#key();
        return;
      }
      this.expect(closer);
      closers.pop();
    }
  }
}

function endsInOddBackslashes(text: string, start: number, end: number): boolean {
  let backslashes = 0;
  for (let i = end - 1; i > start && text.charCodeAt(i) === 0x5c; i -= 1) backslashes += 1;
  return backslashes % 2 === 1;
}
