import { expect, test } from "vitest";
import { LastError } from "./last-error.ts";
import { judge } from "./verdict.ts";

const KEY = "tg_6abcdefghijkmnopqrstuvwxyz12345";

/** The message that is shown for a node's words. */
function shown(words: string): string {
  const last = new LastError({ now: () => 0 });
  const answer = { kind: "error", status: 500, error: { code: -32603, message: words } } as const;
  last.noteAnswer(judge("eth_call", answer), answer);
  return last.value?.message ?? "";
}

test("a node's words are shown on one line, and cut", () => {
  expect(shown("no\n room\u0007 left")).toBe("HTTP 500, error -32603: no room left");
  expect(shown("x".repeat(100_000))).toHaveLength(201);
});

test("what a node repeats of a URL or a key is not shown, wherever it stands in its words", () => {
  for (let before = 0; before < 1100; before += 7) {
    const message = shown(`${"word ".repeat(before / 5)}https://node.example/secret ${KEY}`);
    expect(message).not.toMatch(/secret|abcdef/);
  }
});

test("answers that a node gave in full are no errors of its own", () => {
  const last = new LastError({ now: () => 0 });
  const revert = { code: 3, message: "execution reverted: no", data: "0x" };
  for (const answer of [
    { kind: "result", result: ["null"] },
    { kind: "error", status: 200, error: revert },
    { kind: "unreachable", code: "EPIPE", isStale: true },
  ] as const) {
    last.noteAnswer(judge("eth_call", answer), answer);
  }
  expect(last.value).toBeUndefined();
});
