import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createApiKey } from "../access/api-key.ts";
import { redact } from "./redact.ts";

describe("URLs", () => {
  test.each([
    ["https://user:pass@host/v3/0123456789abcdef?x=1#y", "https://[redacted]"],
    ["to http://10.0.0.1:8545/key failed", "to http://[redacted] failed"],
    ["a wss://a.example/ws/v3/k, b", "a wss://[redacted] b"],
    ["(http://h/k)", "(http://[redacted]"],
    ["'http://user:it's@h/k'", "'http://[redacted]"],
    ["http://u:<p>@h/k", "http://[redacted]"],
    ["HTTP://H/K", "HTTP://[redacted]"],
    ["url=http://a/k1 http://b/k2", "url=http://[redacted] http://[redacted]"],
  ])("%s", (text, safe) => {
    expect(redact(text)).toBe(safe);
  });

  test("a line of JSON stays one", () => {
    const line = JSON.stringify({
      url: "http://u:p@h/k",
      nested: JSON.stringify({ url: "http://u:p@h/k", next: 1 }),
      n: 1,
    });
    const safe = JSON.parse(redact(line));
    expect(safe.url).toBe("http://[redacted]");
    expect(JSON.parse(safe.nested)).toEqual({ url: "http://[redacted]", next: 1 });
    expect(safe.n).toBe(1);
  });
});

describe("API keys", () => {
  test("in any place, beside any character", () => {
    const around = fc.string({ unit: "binary", maxLength: 5 });
    fc.assert(
      fc.property(around, around, (before, after) => {
        const key = createApiKey(randomBytes);
        expect(redact(before + key + after)).not.toContain(key.slice(0, 12));
      }),
    );
    for (const before of ["/v3/", "%2F", "_", "x", "9"]) {
      const key = createApiKey(randomBytes);
      expect(redact(`${before}${key}`)).toBe(`${before}tg_[redacted]`);
    }
  });

  test("that are cut are redacted too; the prefix that people know them by is not", () => {
    const key = createApiKey(randomBytes);
    expect(redact(key.slice(0, 20))).toBe("tg_[redacted]");
    expect(redact(key.slice(0, 8))).toBe(key.slice(0, 8));
  });
});

test("a text without either is not changed", () => {
  const text = 'a // b, tg_short, "x": "http:/" and ECONNREFUSED 127.0.0.1';
  expect(redact(text)).toBe(text);
});
