import { describe, expect, test } from "vitest";
import { isCrowdedOut, refusalIn } from "./batch-refusal.ts";

const error = (code: number, message: string, status = 200) =>
  ({ kind: "error", status, error: { code, message } }) as const;
const bare = (status: number, body = "") => ({ kind: "garbage", status, body }) as const;

describe("a node refuses a batch", () => {
  test.each([
    ["a server that reads one call only", error(-32600, "invalid request")],
    ["one that cannot read a list", error(-32700, "parse error")],
    ["one that looks for the method of the list", error(-32601, "the method undefined is unknown")],
    ["jsonrpsee", error(-32005, "Batched requests are not supported by this server")],
    ["a proxy", error(-32000, "batch requests are disabled", 403)],
    ["HTTP", bare(400)],
    ["HTTP", bare(415, "<html>")],
    ["HTTP, in words", bare(403, "Batch calls need another plan")],
  ])("altogether: %s", (_from, answer) => {
    expect(refusalIn(answer)).toBe("none");
  });

  test.each([
    ["geth", error(-32600, "batch too large")],
    ["jsonrpsee", error(-32010, "The batch request was too large")],
    ["jsonrpsee", error(-32011, "The batch response was too large")],
    ["vendors", error(-32005, "batch limit exceeded", 429)],
    ["HTTP", bare(413)],
  ])("for its size: %s", (_from, answer) => {
    expect(refusalIn(answer)).toBe("smaller");
  });
});

test.each([
  ["is busy", error(-32005, "limit exceeded", 429)],
  ["is busy", bare(429)],
  ["is broken", error(-32603, "internal error")],
  ["is broken", bare(500)],
  ["is broken", bare(502, "<html>")],
  ["knows the caller not", bare(401)],
  ["knows the caller not", bare(403, "forbidden")],
  ["is not there", bare(404)],
  ["says something else", error(-32000, "header not found")],
  ["says nothing", bare(200)],
] as const)("a node that %s refuses no batch", (_name, answer) => {
  expect(refusalIn(answer)).toBeUndefined();
});

test.each([
  ["geth", error(-32003, "response too large"), true],
  ["reth", error(-32008, "Response is too big"), true],
  ["another error", error(-32000, "execution reverted"), false],
  ["a revert", error(3, "execution reverted: response too large"), false],
  ["garbage", bare(200, "response too large"), false],
] as const)("a call may be left out because of the others' size: %s", (_from, answer, is) => {
  expect(isCrowdedOut(answer)).toBe(is);
});
