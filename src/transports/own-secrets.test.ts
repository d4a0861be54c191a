import { describe, expect, test } from "vitest";
import { OwnSecrets } from "./own-secrets.ts";
import type { UpstreamAnswer } from "./upstream-answer.ts";

const secrets = new OwnSecrets(
  new URL("https://customer-4711:p%25ss@node.example/v3/0123456789abcdef?apikey=fedcba9876543210"),
  { Authorization: "Bearer header-token-1", "X-Mode": "fast" },
);
const hide = (message: string): unknown => {
  const error = { code: -32000, message, data: { reason: message, n: 1 } };
  const hidden = secrets.hideIn({ kind: "error", status: 200, error });
  return hidden.kind === "error" ? hidden.error : hidden;
};

describe("a node's failure does not tell what the node is called with", () => {
  test.each([
    ["a key in the path", "id 0123456789abcdef is gone", "id [redacted] is gone"],
    ["one in the query", "fedcba9876543210: quota", "[redacted]: quota"],
    ["the user", "customer-4711 owes", "[redacted] owes"],
    ["the password, encoded or not", "p%25ss, p%ss", "[redacted], [redacted]"],
    ["a header's token", "no header-token-1", "no [redacted]"],
    ["a whole header", "got Bearer header-token-1", "got [redacted]"],
  ])("%s", (_name, text, hidden) => {
    expect(hide(text)).toEqual({ code: -32000, message: hidden, data: { reason: hidden, n: 1 } });
    const garbage: UpstreamAnswer = { kind: "garbage", status: 502, body: text };
    expect(secrets.hideIn(garbage)).toEqual({ ...garbage, body: hidden });
  });

  test("words of an address stay, and so do results", () => {
    const text = "fast v3 node.example apikey execution reverted";
    expect(hide(text)).toMatchObject({ message: text });
    const result: UpstreamAnswer = { kind: "result", result: [Buffer.from('"0123456789abcdef"')] };
    expect(secrets.hideIn(result)).toBe(result);
  });

  test("an upstream without any costs nothing", () => {
    const none = new OwnSecrets(new URL("http://127.0.0.1:8545"), {});
    const answer: UpstreamAnswer = { kind: "error", status: 200, error: { message: "x" } };
    expect(none.hideIn(answer)).toBe(answer);
  });
});
