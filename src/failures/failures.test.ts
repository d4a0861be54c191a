import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FAILURE_CLASSES } from "./failure-classes.ts";
import { classify, type PlainError, type UpstreamFailure } from "./failures.ts";
import { isRevertPayloadAsResult } from "./revert-reason.ts";

const CORPUS = "test/fixtures/nodes/revert-corpus.jsonl";

type Line = {
  source: string;
  http_status: number;
  error: PlainError | null;
  body?: string;
  result?: string;
  expect: {
    class: string;
    reason: string | null;
    retry_other: boolean;
    counts_against_health: boolean;
  };
};

const toFailure = ({ http_status: status, error, body, result }: Line): UpstreamFailure => ({
  status,
  ...(error && { error }),
  ...(body !== undefined && { body }),
  ...(result !== undefined && { result }),
});

describe("recorded failures", () => {
  const lines = readFileSync(CORPUS, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);

  test("every line means what the corpus says", () => {
    const wrong = lines.filter((line) => {
      const failure = classify(toFailure(line));
      const { askAnother, countsAgainstHealth } = FAILURE_CLASSES[failure.class];
      const { expect: wanted } = line;
      return (
        failure.class !== wanted.class ||
        failure.reason !== (wanted.reason ?? null) ||
        askAnother !== wanted.retry_other ||
        countsAgainstHealth !== wanted.counts_against_health
      );
    });
    expect(wrong).toEqual([]);
    expect(lines.length).toBeGreaterThan(700);
  });

  test("no line depends on the case of its words", () => {
    const wrong = lines.filter(({ error, http_status, expect: wanted }) => {
      if (typeof error?.message !== "string") return false;
      const shouted = { ...error, message: error.message.toUpperCase() };
      return classify({ status: http_status, error: shouted }).class !== wanted.class;
    });
    expect(wrong.map(({ source }) => source)).toEqual([]);
  });

  test("a payload given as a result is found in its JSON text", () => {
    for (const { result } of lines.filter((line) => line.result !== undefined)) {
      expect(isRevertPayloadAsResult(JSON.stringify(result))).toBe(result);
    }
  });
});

const INFRASTRUCTURE = [
  "rate limit exceeded",
  "Too Many Requests",
  "daily request count exceeded",
  "header not found",
  "missing trie node 56e8",
  "out of gas",
  "invalid api key",
  "request timed out",
  "method not found",
  "Internal error",
  "see https://example.com/billing",
];
const contractText = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.constantFrom(...INFRASTRUCTURE),
  fc.tuple(fc.string(), fc.constantFrom(...INFRASTRUCTURE)).map((parts) => parts.join("\n")),
);
const anyCode = fc.constantFrom(3, -32000, -32603, -32005, -32015, 429, 1, undefined);
const anyStatus = fc.constantFrom(200, 400, 402, 403, 429, 500, 503);

describe("a contract's text never makes its revert look like a failure of the node", () => {
  test.each([
    (text: string) => `execution reverted: ${text}`,
    (text: string) => `Execution reverted: revert: ${text}`,
    (text: string) => `historical backend error: execution reverted: ${text}`,
    (text: string) => `[Request ID: bf1be79b-7d2f] execution reverted: ${text}`,
    (text: string) => `Error: VM Exception while processing transaction: revert ${text}`,
    (text: string) =>
      `VM Exception while processing transaction: reverted with reason string '${text}'`,
    (text: string) =>
      `message execution failed (exit=[33], revert reason=[Error(${text})], vm error=[x])`,
  ])("after the prefix of %s", (write) => {
    fc.assert(
      fc.property(contractText, anyCode, anyStatus, (text, code, status) => {
        const failure = classify({ status, error: { code, message: write(text) } });
        expect(failure.class).toBe("revert");
        expect(failure.payload).toBe("0x");
      }),
    );
  });

  test("nor in the payload, whatever code, status and message come with it", () => {
    fc.assert(
      fc.property(contractText, contractText, anyStatus, (reason, message, status) => {
        const hex = Buffer.from(reason.toWellFormed()).toString("hex");
        const word = (value: number) => value.toString(16).padStart(64, "0");
        const data = `0x08c379a0${word(32)}${word(hex.length / 2)}${hex}`;
        const failure = classify({ status, error: { code: -32000, message, data } });
        expect(failure).toMatchObject({ class: "revert", reason: reason.toWellFormed() });
        expect(failure.payload).toBe(data);
      }),
    );
  });

  test("nor do words that stand after an unknown prefix with a revert in it", () => {
    const message = "vm blew up: revert: rate limit exceeded";
    expect(classify({ status: 200, error: { code: -32000, message } }).class).toBe("unknown");
  });

  test("and a reason without a payload is kept to the letter", () => {
    fc.assert(
      fc.property(contractText, (text) => {
        const error = { code: -32000, message: `execution reverted: ${text}` };
        expect(classify({ status: 200, error }).reason).toBe(text);
      }),
    );
  });
});

describe("words of a client never blame a node", () => {
  test.each(["rate limit exceeded", "invalid api key", "request timed out", "Internal error"])(
    "%s in a parameter that the node repeats",
    (text) => {
      const message = `invalid value: string "${text}", expected a valid hex string`;
      const failure = classify({ status: 200, error: { code: -32602, message } });
      expect(failure.class).toBe("invalid_params");
    },
  );

  test("call data that hardhat repeats is no payload", () => {
    const data = { message: "odd", data: { method: "eth_call", params: [{ data: "0x3fa4f245" }] } };
    const error = { code: -32602, message: "odd", data };
    expect(classify({ status: 200, error }).class).toBe("invalid_params");
  });

  test("a transaction hash beside an empty payload is no payload", () => {
    const data = { message: "x", txHash: `0x${"ab".repeat(32)}`, data: "0x" };
    const error = { code: -32000, message: "Transaction ran out of gas", data };
    expect(classify({ status: 200, error }).class).toBe("halt");
  });
});

describe("an error that another wraps counts for itself", () => {
  const wrap = (data: unknown) =>
    classify({ status: 200, error: { code: -32603, message: "Internal JSON-RPC error.", data } });

  test.each([
    ["revert", { code: 3, message: "execution reverted", data: "0x" }],
    ["revert", { code: -32000, message: "VM Exception while processing transaction: revert x" }],
    ["revert", { originalError: { code: 3, message: "x", data: "0x12345678" } }],
    ["block_unknown", { code: -32000, message: "header not found" }],
    ["internal", { code: -32000, message: "never seen" }],
    ["internal", undefined],
  ])("%s in %j", (name, data) => {
    expect(wrap(data).class).toBe(name);
  });
});

/** Wordings like recorded ones; each line has at least one that the corpus lacks. */
const VARIANTS: Record<string, readonly string[]> = {
  halt: [
    "max call depth exceeded",
    "EVM error: OpcodeNotFound",
    "err: out of gas (supplied gas 1)",
  ],
  call_rejected: ["err: sender not an eoa", "fee cap less than block base fee", "nonce too low: x"],
  invalid_params: ["Invalid params", "too many arguments, want at most 2", "hex string expected"],
  not_found: ["Receipt not found", "transaction 0xab not found"],
  too_large: ["block range is too wide", "too many results", "log response size exceeded"],
  execution_timeout: ["EVM execution timeout", "execution timed out"],
  missing_state: [
    "state 0xabcd is not available",
    "block 100 is pruned",
    "old data not available due to pruning",
    "historical backend error: EOF",
  ],
  block_unknown: ["Block 100 not found", "pending block is not available", "Safe Block Not Found"],
  indexing: ["Transaction indexing in progress"],
  method_unknown: ["The method 'eth_x' does not exist", "method eth_x is disabled"],
  rate_limited: ["Too many requests, slow down", "50/second request limit reached"],
  syncing: ["node is syncing", "the node is not ready", "peer is out of sync"],
  timeout: ["context deadline exceeded", "Gateway Time-out"],
  overloaded: ["Service temporarily unavailable", "no healthy upstream"],
  billing: ["out of credits", "your plan has expired", "Daily request limit reached"],
  unauthorized: ["API key is not valid", "access denied", "Forbidden"],
  internal: ["connection refused", "internal server error"],
  revert: ["Transaction reverted: function call failed", "reverted", "Error: Error: revert"],
  unknown: ["never seen", "filter not found"],
};

describe("other wordings of the same", () => {
  const cases = Object.entries(VARIANTS).flatMap(([name, texts]) => texts.map((t) => [name, t]));
  test("each class has some", () => {
    expect(Object.keys(VARIANTS).toSorted()).toEqual(Object.keys(FAILURE_CLASSES).toSorted());
  });

  test.each(cases)("%s: %s", (name, message) => {
    expect(classify({ status: 200, error: { code: -32000, message } }).class).toBe(name);
  });

  test.each([
    ["missing_state", { code: 4444, message: "x" }, 200],
    ["block_unknown", { code: -39001, message: "x" }, 200],
    ["method_unknown", { code: -32601, message: "x" }, 403],
    ["internal", { code: -32603, message: "x" }, 200],
    ["rate_limited", { code: -32603, message: "x" }, 429],
    ["billing", { code: -32000, message: "x" }, 402],
    ["billing", { code: 402, message: "x" }, 200],
    ["unknown", { code: -32000, message: "x" }, 500],
    ["unknown", { code: 3, message: "x", data: "0x" }, 200],
    ["internal", {}, 200],
    ["internal", { code: "x", message: 5, data: [] }, 200],
  ])("%s: %j with HTTP %i", (name, error, status) => {
    expect(classify({ status, error }).class).toBe(name);
  });

  test.each([
    ["timeout", 522],
    ["overloaded", 529],
    ["billing", 402],
    ["internal", 500],
    ["internal", 302],
  ])("%s: no JSON-RPC with HTTP %i", (name, status) => {
    expect(classify({ status, body: "<html></html>" }).class).toBe(name);
  });
});

test("an error that no row maps is asked of another node and blames none", () => {
  expect(FAILURE_CLASSES.unknown).toMatchObject({ askAnother: true, countsAgainstHealth: false });
});

test("no error object makes it throw", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), anyStatus, (error, status) => {
      expect(FAILURE_CLASSES).toHaveProperty(classify({ status, error }).class);
    }),
  );
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), fc.jsonValue(), (code, message, data) => {
      expect(FAILURE_CLASSES).toHaveProperty(
        classify({ status: 200, error: { code, message, data } }).class,
      );
    }),
  );
});
