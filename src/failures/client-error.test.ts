import { describe, expect, test } from "vitest";
import { ERRORS, encodeError } from "../jsonrpc/errors.ts";
import { holdsAddress, toClientError } from "./client-error.ts";
import { classify, type PlainError } from "./failures.ts";

const CALL = { method: "eth_call" };
const LOOKUP = { method: "eth_getBlockByHash", lookup: "block" };
type Method = { readonly method: string; readonly lookup?: string };
const answerOf = (error: PlainError, call: Method = CALL, status = 200) =>
  toClientError(classify({ status, error }), call);

const word = (value: number): string => value.toString(16).padStart(64, "0");
const ERROR_EMPTY = `0x08c379a0${word(32)}${word(0)}`;
const ERROR_URL = `0x08c379a0${word(32)}${word(9)}${Buffer.from("http://me").toString("hex").padEnd(64, "0")}`;

describe("a revert", () => {
  test("is code 3 with the decoded reason and the payload untouched", () => {
    const answer = answerOf({ code: -32000, message: "x", data: `Reverted ${ERROR_EMPTY}` });
    expect(answer).toEqual({ name: "revert", message: "execution reverted: ", data: ERROR_EMPTY });
    expect(JSON.parse(encodeError(answer ?? { name: "internal" }))).toEqual({
      code: 3,
      message: "execution reverted: ",
      data: ERROR_EMPTY,
    });
  });

  test("of a custom error has a bare message and its data", () => {
    expect(answerOf({ code: 3, message: "execution reverted: x", data: "0x0d6a419a" })).toEqual({
      name: "revert",
      message: "execution reverted",
      data: "0x0d6a419a",
    });
  });

  test("without a payload keeps the node's reason, whole, and data 0x", () => {
    const reason = `see http://10.0.0.1:8545/${"x".repeat(3000)}`;
    expect(answerOf({ code: -32000, message: `execution reverted: ${reason}` })).toEqual({
      name: "revert",
      message: `execution reverted: ${reason}`,
      data: "0x",
    });
  });

  test("may hold a URL in its reason", () => {
    expect(answerOf({ code: 3, message: "x", data: ERROR_URL })?.message).toBe(
      "execution reverted: http://me",
    );
  });
});

describe("what a client gets of each class", () => {
  test.each([
    ["out of gas", "execution_failed"],
    ["insufficient funds for transfer", "execution_failed"],
    ["execution aborted (timeout = 5s)", "execution_failed"],
    ["response too large", "execution_failed"],
    ["invalid argument 0: hex string without 0x prefix", "node_invalid_params"],
  ])("%j is passed on as the node wrote it, under our own code", (message, name) => {
    expect(answerOf({ code: -32603, message })).toEqual({ name, message });
  });

  test("a block that no node has is null for a look-up, else header not found", () => {
    const error = { code: -32602, message: "Unknown block number" };
    expect(answerOf(error, LOOKUP)).toBeNull();
    expect(answerOf(error)).toEqual({ name: "header_not_found" });
  });

  test("not found is null, however the node says it", () => {
    expect(answerOf({ code: -32001, message: "transaction not found" }, LOOKUP)).toBeNull();
  });

  test("missing state and indexing keep the node's code and text, data only where it is hex", () => {
    const message = "pruned history unavailable";
    const kept = { name: "upstream_error", code: 4444, message };
    expect(answerOf({ code: 4444, message, data: "because" })).toEqual(kept);
    expect(answerOf({ code: 4444, message, data: "0x" })).toEqual({ ...kept, data: "0x" });
    const indexing = "transaction indexing is in progress";
    expect(answerOf({ code: -32000, message: indexing, data: indexing }, LOOKUP)).toEqual({
      name: "upstream_error",
      code: -32000,
      message: indexing,
    });
  });

  test("an error that no row maps keeps its code and text", () => {
    expect(answerOf({ code: -32099, message: "never seen", data: { a: 1 } })).toEqual({
      name: "upstream_error",
      code: -32099,
      message: "never seen",
    });
  });

  test.each([1.5, "-32000", null, undefined, 1e300])("the code %j becomes -32000", (code) => {
    expect(answerOf({ code, message: "never seen" })?.code).toBe(-32000);
  });

  test("a message that is no string gives the row's own", () => {
    const answer = answerOf({ code: -32099, message: { a: 1 } });
    expect(answer).toEqual({ name: "upstream_error", code: -32099 });
  });

  test("a method that no node has is -32601 with the client's method", () => {
    const answer = answerOf({ code: -32601, message: "Method not found" });
    expect(answer).toEqual({
      name: "method_not_found",
      message: "the method eth_call does not exist/is not available",
    });
    expect(ERRORS.method_not_found.charged).toBe(false);
  });

  test.each([
    [{ code: 429, message: "slow down" }, 429],
    [{ code: -32005, message: "Node is unhealthy" }, 200],
    [{ code: -32002, message: "request timed out" }, 200],
    [{ code: -32000, message: "no server available" }, 503],
    [{ code: -32000, message: "Monthly capacity limit exceeded. See https://x.io/" }, 403],
    [{ code: -32000, message: "invalid api key" }, 401],
    [{ code: -32603, message: "Internal error" }, 500],
  ])("%j of the node itself shows the client none of its words", (error, status) => {
    const answer = answerOf(error, CALL, status);
    expect(answer).toEqual({ name: "unavailable", internal: error.message });
    expect(encodeError(answer ?? { name: "internal" })).not.toContain(error.message);
  });
});

describe("getBlock", () => {
  const getBlock = { method: "getBlock", lookup: "block" };

  test.each([
    [-32001, "Block 100 cleaned up, does not exist on node. First available block: 250"],
    [-32004, "Block not available for slot 100"],
    [-32007, "Slot 100 was skipped, or missing due to ledger jump to recent snapshot"],
    [-32009, "Slot 100 was skipped, or missing in long-term storage"],
  ])("%i is null", (code, message) => {
    expect(answerOf({ code, message }, getBlock)).toBeNull();
  });

  test.each([
    [-32005, "Node is behind by 42 slots"],
    [-32011, "Transaction history is not available from this node"],
    [-32014, "Block status not yet available for slot 100"],
    [-32019, "Failed to query long-term storage; please try again"],
  ])("%i is 503 once every node was asked", (code, message) => {
    expect(answerOf({ code, message }, getBlock)?.name).toBe("unavailable");
  });

  test("-32015 is passed on with its code, and charged", () => {
    const message = "Transaction version (0) is not supported by the requesting client.";
    const answer = answerOf({ code: -32015, message }, getBlock);
    expect(answer).toEqual({ name: "upstream_error", code: -32015, message });
    expect(ERRORS.upstream_error.charged).toBe(true);
  });
});

describe("a node's text", () => {
  test.each([
    'Post "https://node.example/v3/key": EOF',
    "dial tcp 10.0.0.1: connect refused",
    "(10.0.0.1)",
    "ip=10.0.0.1.",
    "geth-a:8545 is gone",
    "localhost:8545",
    "no route to [fd00::1]:8545",
    "at 2001:db8::1.",
    "::ffff:10.0.0.1",
    "ask mainnet.example.io/v3/abc",
    "wss://x",
  ])("%j holds an address, so the client gets `upstream error` and the log the text", (message) => {
    expect(answerOf({ code: -32099, message })).toEqual({
      name: "upstream_error",
      code: -32099,
      message: "upstream error",
      internal: message,
    });
  });

  test.each([
    "invalid length 0, expected tuple variant EthRequest::EthCall with 4 elements",
    "stack underflow (0 <=> 2)",
    "data did not match any variant of untagged enum at line 1 column 52",
    'configuration parameter: "maxSupportedTransactionVersion": 0',
    "the method eth_x does not exist/is not available",
    "missing trie node 4f8b (path ) state 0x4f8b is not available, not found",
    "max fee per gas less than block base fee: address 0xf39F, maxFeePerGas: 1, baseFee: 26",
    "took 12:30:45 on 1.17.6",
  ])("%j holds none", (message) => {
    expect(holdsAddress(message)).toBe(false);
  });

  test("an address beyond where the text is cut is found too", () => {
    const answer = answerOf({ code: -1, message: `${"x ".repeat(600)}http://a` });
    expect(answer?.message).toBe("upstream error");
    expect(answer?.internal?.length).toBe(1001);
  });

  test("is cut at 1,000 characters and leaves no half of one", () => {
    const message = answerOf({ code: -1, message: `${"x".repeat(999)}😀😀` })?.message ?? "";
    expect(message).toBe(`${"x".repeat(999)}\ufffd…`);
  });

  test("a proxy's page never reaches a client", () => {
    const body = "<html><head><title>413 Request Entity Too Large</title></head></html>";
    expect(toClientError(classify({ status: 413, body }), CALL)).toEqual({
      name: "execution_failed",
      message: "upstream error",
      internal: body,
    });
  });
});
