import { createHash, randomBytes } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  createApiKey,
  createApiToken,
  displayPrefix,
  hashApiKey,
  isApiKey,
  isApiToken,
} from "./api-key.ts";

const bits = fc.uint8Array({ minLength: 16, maxLength: 16 });
const keys = bits.map((bytes) => createApiKey(() => bytes));

test("every key has the form that secret scanners look for, and is accepted", () => {
  fc.assert(
    fc.property(keys, (key) => {
      expect(key).toMatch(/^tg_6[1-9A-HJ-NP-Za-km-z]{28}$/);
      expect(isApiKey(key)).toBe(true);
    }),
  );
  for (const byte of [0x00, 0xff]) {
    expect(isApiKey(createApiKey((size) => new Uint8Array(size).fill(byte)))).toBe(true);
  }
});

test("the form never changes: keys are in people's hands", () => {
  const key = createApiKey((size) => new Uint8Array(size).fill(7));
  // Computed once by another program, from the rule in docs/keys.md.
  expect(key).toBe("tg_6AgiZPHaz2pn8wQQXx7QLfXrXSYiM");
});

test("all 128 random bits are in the key", () => {
  fc.assert(
    fc.property(bits, fc.nat(127), (bytes, bit) => {
      const other = Uint8Array.from(bytes);
      other[bit >> 3] = (other[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(createApiKey(() => other)).not.toBe(createApiKey(() => bytes));
    }),
  );
});

test("a key with one wrong character is refused, whichever it is", () => {
  const key = createApiKey(randomBytes);
  const alphabet = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz0OIl_-%é";
  for (let index = 0; index < key.length; index += 1) {
    for (const character of alphabet) {
      if (character === key[index]) continue;
      const mistyped = key.slice(0, index) + character + key.slice(index + 1);
      expect(isApiKey(mistyped), mistyped).toBe(false);
    }
  }
});

test("two characters swapped, one lost, one doubled, another case: refused", () => {
  fc.assert(
    fc.property(keys, fc.nat(30), (key, index) => {
      const [a = "", b = ""] = [key[index], key[index + 1]];
      const around = (middle: string): string =>
        key.slice(0, index) + middle + key.slice(index + 2);
      if (a !== b) expect(isApiKey(around(b + a))).toBe(false);
      expect(isApiKey(around(b))).toBe(false);
      expect(isApiKey(around(a + a + b))).toBe(false);
      expect(isApiKey(key.toLowerCase())).toBe(false);
    }),
  );
});

test("no text makes the check throw, and none passes by chance", () => {
  const base58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
  const near = fc
    .array(fc.constantFrom(...base58), { minLength: 28, maxLength: 28 })
    .map((rest) => `tg_6${rest.join("")}`);
  const bytes = fc.uint8Array().map((any) => Buffer.from(any).toString("latin1"));
  const long = fc.nat(100_000).map((length) => `tg_6${"z".repeat(length)}`);
  fc.assert(
    fc.property(fc.oneof(near, bytes, long, fc.string()), (text) => {
      expect(isApiKey(text)).toBe(false);
    }),
    { numRuns: 1000 },
  );
});

test("the hash is SHA-256 of the text, and HMAC-SHA-256 with a pepper", () => {
  expect(hashApiKey("abc")).toBe(createHash("sha256").update("abc").digest("hex"));
  // RFC 4231, test case 2.
  expect(hashApiKey("what do ya want for nothing?", "Jefe")).toBe(
    "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
  );
});

test("what is displayed leaves most of the key unknown", () => {
  const key = createApiKey(randomBytes);
  expect(key.startsWith(displayPrefix(key))).toBe(true);
  expect(displayPrefix(key)).toHaveLength(8);
});

test("a token of the dashboard's API has a form of its own: neither is taken for the other", () => {
  fc.assert(
    fc.property(bits, (bytes) => {
      const token = createApiToken(() => bytes);
      expect(token).toMatch(/^tgt_6[1-9A-HJ-NP-Za-km-z]{28}$/);
      expect(isApiToken(token)).toBe(true);
      expect(isApiKey(token)).toBe(false);
      expect(isApiToken(createApiKey(() => bytes))).toBe(false);
      expect(isApiToken(`${token}1`)).toBe(false);
      expect(isApiToken(`${token.slice(0, -1)}${token.endsWith("1") ? "2" : "1"}`)).toBe(false);
    }),
  );
});
