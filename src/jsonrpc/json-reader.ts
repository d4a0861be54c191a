import { skipSpace } from "../lib/json-value.ts";
import { isAt } from "../lib/scan-bytes.ts";
import { isPlainJson } from "./plain-bytes.ts";
import type { RepeatedTexts } from "./repeated-texts.ts";
import { type JsonObject, type JsonValue, NumberToken } from "./value.ts";

type Bracket = { readonly open: number; readonly close: number };
export const OBJECT: Bracket = Object.freeze({ open: 0x7b, close: 0x7d });
export const ARRAY: Bracket = Object.freeze({ open: 0x5b, close: 0x5d });
const COMMA = 0x2c;
const COLON = 0x3a;

/** The outermost bracket is level 1; what is nested deeper is skipped, not read. */
const MAX_LEVELS = 64;

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
// isPlainJson looks for this in a whole message, and here in one string of it.
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids exactly these in strings.
const NEEDS_DECODING = /[\x00-\x1f\\\x80-\xff]/;

/** The text is not JSON (RFC 8259); the position is a byte offset. */
export class JsonSyntaxError extends Error {}

/**
 * Reads JSON as a binary string: one character per byte, so that positions are byte offsets and a
 * slice of the text is the client's own bytes, which must stay as they are meanwhile. Unless it
 * `isPlain` they must be checked to be UTF-8 before anything is read.
 */
export class JsonReader {
  readonly text: string;
  /** The same: a byte takes a fourth of what a character of a text takes. */
  readonly #bytes: Buffer;
  position = 0;
  /** The text of what `sourced` has read, if `encode` would write exactly the same. */
  sourceText: string | undefined;
  /** Set when something was nested beyond 64 levels; that part was checked but reads as null. */
  tooDeep = false;

  /** No string of it can need decoding: one look at all is cheaper than one at each. */
  readonly isPlain: boolean;
  /** White space so far, bytes, and keys of objects that were there before: `encode` writes neither. */
  #unwritten = 0;
  readonly #repeated: RepeatedTexts | undefined;

  /** `repeated`: where texts are looked up that have come before. */
  constructor(bytes: Buffer, repeated?: RepeatedTexts) {
    this.#bytes = bytes;
    this.#repeated = repeated;
    this.text = bytes.toString("latin1");
    this.isPlain = isPlainJson(bytes);
  }

  /** Skips white space and gives the next byte, NaN at the end. */
  peek(): number {
    const code = this.#code();
    return code <= 0x20 ? this.#skipSpace() : code;
  }

  #skipSpace(): number {
    const next = skipSpace(this.#bytes, this.position);
    this.#unwritten += next - this.position;
    this.position = next;
    return this.#code();
  }

  /** V8 compiles no look beyond the end into a few instructions: it is not made. */
  #code(): number {
    const { position } = this;
    return position < this.#bytes.length ? (this.#bytes[position] as number) : Number.NaN;
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

  /** Takes these bytes, of whole tokens, if they are next to the letter. */
  takeBytes(wanted: Buffer): boolean {
    if (!isAt(this.#bytes, this.position, wanted)) return false;
    this.position += wanted.length;
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
    const start = this.position + 1;
    const end = this.#stringEnd();
    const { text } = this;
    if (!this.isPlain) {
      const raw = text.slice(start, end);
      return NEEDS_DECODING.test(raw) ? this.#decode(raw) : raw;
    }
    // A quantity, an address, data: not the same again.
    const bytes = this.#bytes;
    const isValue = bytes[start] === 0x30;
    const known = isValue ? undefined : this.#repeated?.take(bytes, start, end);
    return known ?? text.slice(start, end);
  }

  /** Where the string that begins here has its closing quote, which is taken. */
  #stringEnd(): number {
    const { text } = this;
    const start = this.position;
    if (this.#code() !== 0x22) this.fail();
    let end = text.indexOf('"', start + 1);
    if (!this.isPlain) {
      while (end !== -1 && endsInOddBackslashes(text, start, end)) end = text.indexOf('"', end + 1);
    }
    if (end === -1) this.fail();
    this.position = end + 1;
    return end;
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
    const unwritten = this.#unwritten;
    let read = 0;
    for (let more = this.enter(OBJECT); more; more = this.another(OBJECT)) {
      read += 1;
      const key = this.key();
      object.set(key, this.value(level + 1));
    }
    this.#unwritten += read - object.size;
    const source = this.#textFrom(start, unwritten);
    if (source !== undefined) object.source = source;
    return object;
  }

  /** Reads a value as `value` does; `sourceText` is its text afterwards. */
  sourced(level: number): JsonValue {
    this.peek();
    const start = this.position;
    const unwritten = this.#unwritten;
    const value = this.value(level);
    this.sourceText = this.#textFrom(start, unwritten);
    return value;
  }

  /** The text that was read since, where it is to the letter what `encode` makes of it. */
  #textFrom(start: number, unwritten: number): string | undefined {
    const isWritten = this.isPlain && this.#unwritten === unwritten;
    return isWritten ? this.text.slice(start, this.position) : undefined;
  }

  /** Enters an object, or an array, and says whether anything is in it. */
  enter({ open, close }: Bracket): boolean {
    this.expect(open);
    return !this.take(close);
  }

  /** After a member, or an element: whether another one comes. Leaves where it was the last. */
  another({ close }: Bracket): boolean {
    if (this.take(COMMA)) return true;
    this.expect(close);
    return false;
  }

  /** A member's key, and what stands before its value. */
  key(): string {
    this.peek();
    const key = this.string();
    this.expect(COLON);
    return key;
  }

  #array(level: number): JsonValue[] {
    if (!this.enter(ARRAY)) return [];
    const first = this.value(level + 1);
    if (!this.another(ARRAY)) return [first];
    // An array that grows has room for 17: most params are two, and these are no larger than that.
    const array = [first, this.value(level + 1)];
    while (this.another(ARRAY)) array.push(this.value(level + 1));
    return array;
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
    const { position } = this;
    const bytes = this.#bytes;
    const first = this.#code();
    if (!(first >= 0x31 && first <= 0x39)) return position;
    let end = position + 1;
    let code = 0x30;
    for (; end < bytes.length; end += 1) {
      code = bytes[end] as number;
      if (!(code >= 0x30 && code <= 0x39)) break;
    }
    // A fraction or an exponent comes.
    return code === 0x2e || code === 0x65 || code === 0x45 ? position : end;
  }

  /** Checks what is nested too deep without recursion and without building it. */
  #skipNested(): null {
    const closers: number[] = [];
    do {
      const code = this.peek();
      if (code === OBJECT.open || code === ARRAY.open) {
        this.position += 1;
        closers.push(code + 2);
        if (this.peek() !== code + 2) {
          if (code === OBJECT.open) this.key();
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

  /** After a value: closes what ends here, then stands before the next value, if there is one. */
  #close(closers: number[]): void {
    for (let closer = closers.at(-1); closer !== undefined; closer = closers.at(-1)) {
      if (this.take(COMMA)) {
        if (closer === OBJECT.close) this.key();
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
