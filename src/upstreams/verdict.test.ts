import { describe, expect, test } from "vitest";
import { judge, labelOf } from "./verdict.ts";

const PAYLOAD = `0x4e487b71${"0".repeat(62)}11`;

describe.each([
  ["a text", (json: string) => json],
  ["bytes", (json: string) => Buffer.from(json)],
])("a result that came as %s", (_, pieceOf) => {
  const judged = (json: string, method = "eth_call") =>
    judge(method, { kind: "result", result: [pieceOf(json)] });

  test("is the call's, and counts as ok", () => {
    for (const json of ['"0x1f"', '""', "false", "true", "nulls", '"0x4"', '{"a":null}']) {
      const verdict = judged(json);
      expect([verdict.kind, labelOf(verdict)], json).toEqual(["result", "ok"]);
      expect(verdict.kind === "result" && verdict.result[0]?.toString()).toBe(json);
    }
  });

  test("and is null is told apart, and is no fault", () => {
    expect([judged("null").kind, labelOf(judged("null"))]).toEqual(["null", "ok"]);
  });

  test("and is no bytes is null of a raw transaction, as geth says it, and of no other method", () => {
    for (const method of [
      "eth_getRawTransactionByHash",
      "eth_getRawTransactionByBlockHashAndIndex",
      "eth_getRawTransactionByBlockNumberAndIndex",
    ]) {
      const verdict = judged('"0x"', method);
      expect(verdict.kind === "null" && String(verdict.result[0]), method).toBe("null");
      expect(judged('"0xf8"', method).kind).toBe("result");
    }
    expect(judged('"0x"', "eth_getCode").kind).toBe("result");
  });

  test("and is a revert's payload is the failure of an eth_call, and of no other method", () => {
    expect(judged(`"${PAYLOAD}"`)).toMatchObject({ kind: "failure" });
    expect(judged(`"${PAYLOAD}"`, "eth_getCode").kind).toBe("result");
    expect(judged(`"${PAYLOAD}00"`).kind).toBe("result");
  });
});
