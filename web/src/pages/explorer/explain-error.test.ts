import { expect, test } from "vitest";
import { ERRORS } from "../../../../src/jsonrpc/errors.ts";
import { errorOf, explain, servedBy } from "./explain-error.ts";

/** Rows whose answers differ from another's in their details alone. */
const ALIKE: Readonly<Record<string, string>> = {
  node_invalid_params: "invalid_params",
  too_many_unknown_keys: "too_many_connections",
};

test("every row of the error table is found again from the answer that it makes", () => {
  for (const [name, row] of Object.entries(ERRORS)) {
    const { code, message, status } = row;
    const error = "event" in row ? { code, message, event: row.event } : { code, message };
    const found = explain(status, error);
    expect(found?.name).toBe(ALIKE[name] ?? name);
    expect(found?.meaning).not.toBe("");
    expect(found?.advice).not.toBe("");
  }
});

test("a node's own error is told as one, with the code that it chose", () => {
  expect(explain(200, { code: -38013, message: "too many blocks" })?.name).toBe("upstream_error");
});

test("a revert with a reason is a revert", () => {
  const error = { code: 3, message: "execution reverted: not the owner" };
  expect(explain(200, error)?.name).toBe("revert");
});

test("an answer without JSON is explained by its status", () => {
  expect(explain(413, undefined)?.name).toBe("payload_too_large");
  expect(explain(200, undefined)).toBeUndefined();
});

test("only an object with a code and a message is an error", () => {
  expect(errorOf({ result: 1 })).toBeUndefined();
  expect(errorOf({ error: "no" })).toBeUndefined();
  expect(errorOf(undefined)).toBeUndefined();
  expect(errorOf({ error: { code: 3, message: "m" } })).toEqual({ code: 3, message: "m" });
});

test.each([
  [503, null, "nobody"],
  [503, "partner", "nobody"],
  [402, null, "nobody"],
  [200, "partner", "partner"],
  [200, null, "own nodes"],
])("of status %s, with the partner %s named, it is said that %s served it", (status, by, value) => {
  expect(servedBy({ status, servedBy: by }).value).toBe(value);
});
