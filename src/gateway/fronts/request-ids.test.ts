import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { RequestIds } from "./request-ids.ts";

test("ids are unlike each other, and of one form", () => {
  const ids = new RequestIds(randomBytes);
  const made = Array.from({ length: 10_000 }, () => ids.of(undefined));
  expect(new Set(made).size).toBe(made.length);
  for (const id of made) expect(id).toMatch(/^[0-9a-f]{12}-[0-9a-z]{3,}$/);
});

test.each(["a", "A.b_c-9", "x".repeat(64)])("an id of the client's own is kept: %s", (given) => {
  expect(new RequestIds(randomBytes).of(given)).toBe(given);
});

test.each(["", "a b", "x".repeat(65), "tg_abc", "a\r\nb", "\u00e9"])(
  "none is kept of %j",
  (given) => {
    expect(new RequestIds(randomBytes).of(given)).not.toBe(given);
  },
);
