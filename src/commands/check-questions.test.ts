import { expect, test } from "vitest";
import { parseMessage } from "../jsonrpc/parse-message.ts";
import { checkParams } from "../methods/check-params.ts";
import { EVM_METHODS, lookUp } from "../methods/registry.ts";
import { CHECK_QUESTIONS } from "./check-questions.ts";

test("every method that nodes are asked for has a question that is well-formed", () => {
  for (const { method, params } of CHECK_QUESTIONS) {
    const text = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const message = parseMessage(Buffer.from(text));
    const definition = lookUp(method);
    if (message.kind !== "single" || definition === undefined) throw new Error(method);
    expect(() => checkParams(definition, message.call.params, false), text).not.toThrow();
  }
});

test("only what the gateway answers by itself is not asked", () => {
  const asked = new Set(CHECK_QUESTIONS.map(({ method }) => method));
  const others = EVM_METHODS.map(({ method }) => method).filter((method) => !asked.has(method));
  expect(others.sort()).toEqual(["eth_accounts", "eth_chainId", "net_version", "web3_sha3"]);
});
