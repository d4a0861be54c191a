import { STATUS_CODES } from "node:http";
import { expect, test } from "vitest";
import { ERRORS, encodeError } from "./errors.ts";

const rows = Object.entries(ERRORS);

test("an error that is a whole HTTP answer has that status's number, or is one of JSON-RPC", () => {
  for (const [, { code, status }] of rows) {
    if (status !== 200 && code > 0) expect(code).toBe(status);
    expect(STATUS_CODES[status]).toBeDefined();
    if (status === 503) expect(code).toBe(-32603);
  }
});

test("nothing but what a node said of a call is charged", () => {
  const charged = rows.filter(([, row]) => row.charged).map(([name]) => name);
  expect(charged.sort()).toEqual([
    "answer_too_large",
    "execution_failed",
    "header_not_found",
    "node_invalid_params",
    "revert",
    "upstream_error",
  ]);
});

test("asking again is advised only where it may help", () => {
  const retryable = rows.filter(([, row]) => row.retryable).map(([, { status }]) => status);
  expect([...new Set(retryable)].sort()).toEqual([408, 429, 503]);
});

test("codes that client libraries read as something else are not used", () => {
  // -32001 and -32005 mean "resource not found" and "limit exceeded, retry" to viem and ethers.
  for (const [, { code }] of rows) expect([-32001, -32005]).not.toContain(code);
});

test("the object has code, event, message, details and data in that order, and nothing else", () => {
  const error = {
    name: "unauthorized",
    data: "0x12",
    details: "why",
    internal: "http://secret",
  } as const;
  expect(encodeError(error)).toBe(
    '{"code":401,"event":-33001,"message":"Unauthorized","details":"why","data":"0x12"}',
  );
  expect(encodeError({ name: "upstream_error", code: -7, message: "own\n\u2028" })).toBe(
    '{"code":-7,"message":"own\\n\u2028"}',
  );
});
