import { expect, test } from "vitest";
import { parseRequest, requestText } from "./request-text.ts";

test("a request that is written out is read again as the same call", () => {
  const params = [{ to: "0xab" }, "latest"];
  expect(parseRequest(requestText("eth_call", params), "eth_chainId")).toEqual({
    method: "eth_call",
    params,
  });
});

test("a list alone is the params of the chosen method", () => {
  expect(parseRequest('["0x1"]', "eth_getBalance")).toEqual({
    method: "eth_getBalance",
    params: ["0x1"],
  });
});

test("a request without params has none", () => {
  expect(parseRequest('{"method":"eth_chainId"}', "x")).toEqual({
    method: "eth_chainId",
    params: [],
  });
});

test.each([
  ["{", "This is not valid JSON"],
  ["5", "Write a request"],
  ['{"params":[]}', "Write a request"],
  ['{"method":5}', '"method"'],
  ['{"method":"a","params":{}}', '"params"'],
  ['[{"jsonrpc":"2.0","method":"a"}]', "batch"],
])("what is no request is told: %s", (text, begins) => {
  const parsed = parseRequest(text, "eth_call");
  expect("fault" in parsed && parsed.fault).toContain(begins);
});
