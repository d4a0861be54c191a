import { describe, expect, test } from "vitest";
import type { JsonValue } from "../../jsonrpc/value.ts";
import { FAMILIES } from "../../methods/families.ts";
import type { Upstream } from "../../upstreams/upstream.ts";
import type { Plan } from "../network.ts";
import { isPassing, keptBlock } from "./kept-block.ts";

const HEAD = 1000;
const hashAt = (number: number, fork = "a"): string =>
  `0x${fork}${number.toString(16).padStart(63, "0")}`;
const ASKED = `0x${"ab".repeat(32)}`;
const ASKED_MS = 7;
const ADDRESS = `0x${"12".repeat(20)}`;

const hashOf = (number: number) =>
  number > HEAD - 256 && number <= HEAD ? hashAt(number) : undefined;

/** The chain knows its last 256 blocks, up to its head, and the node has told of all of them. */
const chain = {
  newestHashed: HEAD,
  hashOf,
  numberOf: (hash: string) => (hash === hashAt(990) ? 990 : undefined),
  hasTold: (_: Upstream, number: number, sinceMs: number) => number <= HEAD && sinceMs === ASKED_MS,
  confirms: (_: Upstream, number: number, hash: string | undefined) =>
    [hash, undefined].includes(hashOf(number)),
};
const node = { name: "node" } as Upstream;

type Call = {
  readonly method: string;
  readonly args: readonly JsonValue[];
  /** The block that the params name by its number. */
  readonly named?: number;
};

function kept(
  { method, args, named = -1 }: Call,
  result: string | object | null,
  known: Partial<typeof chain> = {},
) {
  const definition = FAMILIES.evm.lookUp(method);
  if (definition === undefined) throw new Error("no such method");
  const text = typeof result === "string" ? result : JSON.stringify(result);
  const answer = {
    ...({
      kind: "result",
      result: [Buffer.from(text)],
      upstream: node,
      askedMs: ASKED_MS,
    } as const),
  };
  return keptBlock({ definition, args, named } as Plan, answer, { ...chain, ...known });
}

const quantity = (number: number): string => `0x${number.toString(16)}`;

describe("null", () => {
  test("is kept for what is not in a block that is 32 blocks old: nothing shows whose null it is", () => {
    const parts: readonly [string, JsonValue[]][] = [
      ["eth_getTransactionByBlockNumberAndIndex", ["0x3c8", "0x7"]],
      ["eth_getUncleByBlockNumberAndIndex", ["0x3c8", "0x0"]],
    ];
    for (const [method, args] of parts) {
      expect(kept({ method, args, named: HEAD - 32 }, null), method).toBe(HEAD - 32);
      expect(kept({ method, args, named: HEAD - 31 }, null), method).toBeUndefined();
    }
  });

  test("is not kept of a hash, or of a block: both may come to be", () => {
    const calls: readonly Call[] = [
      { method: "eth_getTransactionByHash", args: [ASKED] },
      { method: "eth_getTransactionReceipt", args: [ASKED] },
      { method: "eth_getBlockByHash", args: [ASKED, false] },
      { method: "eth_getTransactionByBlockHashAndIndex", args: [ASKED, "0x0"] },
      { method: "eth_getBlockByNumber", args: ["0x3de", false], named: 990 },
      { method: "eth_getBlockReceipts", args: ["0x3de"], named: 990 },
    ];
    for (const call of calls) expect(kept(call, null), call.method).toBeUndefined();
  });
});

describe("a block by its number", () => {
  const call = (number: number): Call => ({
    method: "eth_getBlockByNumber",
    args: [quantity(number), false],
    named: number,
  });
  const block = (number: number, hash = hashAt(number)) => ({ number: quantity(number), hash });

  test("is kept with its number, up to the head and however old", () => {
    for (const number of [0, 100, 990, HEAD]) {
      expect(kept(call(number), block(number)), String(number)).toBe(number);
    }
  });

  test("is not kept above the head", () => {
    expect(kept(call(HEAD + 1), block(HEAD + 1))).toBeUndefined();
  });

  test("is not kept where it shows another number, none, or one that is none", () => {
    expect(kept(call(990), block(991))).toBeUndefined();
    expect(kept(call(990), { hash: hashAt(990) })).toBeUndefined();
    expect(kept(call(990), { number: null, hash: hashAt(990) })).toBeUndefined();
    expect(kept(call(990), { number: 990, hash: hashAt(990) })).toBeUndefined();
  });

  test("is not kept where its hash is not that of the network's chain", () => {
    expect(kept(call(990), block(990, hashAt(990, "b")))).toBeUndefined();
    expect(kept(call(990), { number: quantity(990) })).toBeUndefined();
    expect(kept(call(990), block(990, hashAt(990).toUpperCase().replace("0X", "0x")))).toBe(990);
  });

  test("is kept by its number alone where the chain does not reach so far back", () => {
    expect(kept(call(100), block(100, hashAt(100, "b")))).toBe(100);
  });
});

describe("what is looked up by its hash", () => {
  const lookUps: readonly [method: string, echo: string, number: string, own: string][] = [
    ["eth_getTransactionByHash", "hash", "blockNumber", "blockHash"],
    ["eth_getTransactionReceipt", "transactionHash", "blockNumber", "blockHash"],
  ];

  test.each(lookUps)("%s is kept with its block where it repeats the hash", (...names) => {
    const [method, echo, number, own] = names;
    const call = { method, args: [ASKED] };
    const right = { [own]: hashAt(990), [number]: quantity(990), [echo]: ASKED };
    const kept_ = (more: object) => kept(call, { ...right, ...more });
    expect(kept_({})).toBe(990);
    expect(kept_({ [echo]: ASKED.toUpperCase().replace("0X", "0x") })).toBe(990);
    expect(kept_({ [echo]: hashAt(1) }), "another one").toBeUndefined();
    expect(kept_({ [echo]: undefined }), "none").toBeUndefined();
    expect(kept_({ [own]: hashAt(990, "b") }), "another fork").toBeUndefined();
    expect(kept_({ [own]: hashAt(991) }), "of another block").toBeUndefined();
    expect(kept_({ [number]: quantity(HEAD + 1) }), "above the head").toBeUndefined();
    expect(kept_({ [number]: null, [own]: null }), "waiting to be mined").toBeUndefined();
  });

  test("a block is kept where it is the one that was asked for, and of the chain", () => {
    const call = { method: "eth_getBlockByHash", args: [hashAt(990), false] };
    expect(kept(call, { number: quantity(990), hash: hashAt(990) })).toBe(990);
    expect(kept(call, { number: quantity(991), hash: hashAt(991) })).toBeUndefined();
    const dead = { ...call, args: [hashAt(990, "b"), false] };
    expect(kept(dead, { number: quantity(990), hash: hashAt(990, "b") })).toBeUndefined();
  });
});

describe("state", () => {
  test("is kept for the number that it was asked for, up to the head", () => {
    const call = (number: number) => ({
      ...{ method: "eth_call", args: [new Map([["to", ADDRESS]]), quantity(number)] },
      named: number,
    });
    expect(kept(call(HEAD), '"0x"')).toBe(HEAD);
    expect(kept(call(HEAD + 1), '"0x"')).toBeUndefined();
  });

  test("by the hash of a block is kept only where the chain knows its number", () => {
    const call = (hash: string) => ({
      ...{ method: "eth_getBalance", args: [ADDRESS, new Map([["blockHash", hash]])] },
    });
    expect(kept(call(hashAt(990)), '"0x1"')).toBe(990);
    expect(kept(call(`0x${hashAt(990).slice(2).toUpperCase()}`), '"0x1"')).toBe(990);
    expect(kept(call(hashAt(990, "b")), '"0x1"')).toBeUndefined();
  });
});

describe("nothing is kept of a block whose hash no node has told", () => {
  const hashless = { newestHashed: HEAD - 1, hashOf: () => undefined };
  const number = quantity(HEAD);
  const calls: readonly (readonly [Call, string | object])[] = [
    [
      { method: "eth_getTransactionReceipt", args: [ASKED] },
      { blockNumber: number, blockHash: hashAt(HEAD), transactionHash: ASKED },
    ],
    [
      { method: "eth_getBlockByNumber", args: [number, false], named: HEAD },
      { number, hash: hashAt(HEAD) },
    ],
    [{ method: "eth_getBalance", args: [ADDRESS, number], named: HEAD }, '"0x1"'],
    [
      { method: "eth_getBlockReceipts", args: [number], named: HEAD },
      [{ blockNumber: number, blockHash: hashAt(HEAD) }],
    ],
  ];

  test.each(calls)("$method", (call, result) => {
    expect(kept(call, result)).toBe(HEAD);
    expect(kept(call, result, hashless)).toBeUndefined();
  });
});

describe("an answer that shows no hash", () => {
  const call = (named: number): Call => ({
    method: "eth_getBalance",
    args: [ADDRESS, quantity(named)],
    named,
  });

  test("is kept of a node that has told of the block, or of one that is 32 blocks old", () => {
    const told = { hasTold: (_: Upstream, block: number) => block <= 990 };
    expect(kept(call(990), '"0x1"', told)).toBe(990);
    expect(kept(call(991), '"0x1"', told)).toBeUndefined();
    expect(kept(call(HEAD - 32), '"0x1"', { hasTold: () => false })).toBe(HEAD - 32);
    expect(kept(call(HEAD - 31), '"0x1"', { hasTold: () => false })).toBeUndefined();
  });

  test("is kept of a new block only where its hash is known, which a fork could have replaced", () => {
    const known = { hashOf: (number: number) => (number >= 990 ? hashAt(number) : undefined) };
    expect(kept(call(990), '"0x1"', known)).toBe(990);
    expect(kept(call(989), '"0x1"', known)).toBeUndefined();
    const block = { method: "eth_getBlockByNumber", args: [quantity(989), false], named: 989 };
    const fork = { number: quantity(989), hash: hashAt(989, "b") };
    expect(kept(block, fork, known)).toBeUndefined();
    expect(kept(call(HEAD - 32), '"0x1"', known)).toBe(HEAD - 32);
  });

  test("passes as long as its node may have answered on a fork, and for a tag", () => {
    const passes = (method: string, plan: Partial<Plan>) => {
      const definition = FAMILIES.evm.lookUp(method);
      return isPassing({ definition, head: HEAD, tagged: undefined, ...plan } as Plan);
    };
    expect(passes("eth_getBalance", { named: HEAD - 31 })).toBe(true);
    expect(passes("eth_getBalance", { named: HEAD - 32 })).toBe(false);
    expect(passes("eth_getBalance", { named: HEAD - 64, tagged: HEAD - 64 })).toBe(true);
    expect(passes("eth_getBlockReceipts", { named: HEAD })).toBe(false);
    expect(passes("eth_getBlockByNumber", { named: HEAD, tagged: HEAD })).toBe(false);
    expect(passes("eth_getTransactionReceipt", { named: -1 })).toBe(false);
  });
});

test("the receipts of a block are kept where their block is of the chain, and shown or 32 blocks old", () => {
  const receipts = (named: number, list: readonly object[]) =>
    kept({ method: "eth_getBlockReceipts", args: [quantity(named)], named }, list);
  expect(receipts(HEAD, [{ blockHash: hashAt(HEAD) }, {}])).toBe(HEAD);
  expect(receipts(HEAD, [{ blockHash: hashAt(HEAD, "b") }])).toBeUndefined();
  expect(receipts(HEAD - 31, [])).toBeUndefined();
  expect(receipts(HEAD - 32, [])).toBe(HEAD - 32);
});

test("logs are kept once their last block is 32 blocks old: a node may have lost its newest", () => {
  const call = (number: number): Call => ({
    method: "eth_getLogs",
    args: [new Map([["toBlock", quantity(number)]])],
    named: number,
  });
  expect(kept(call(HEAD - 32), "[]")).toBe(HEAD - 32);
  expect(kept(call(HEAD - 31), "[]")).toBeUndefined();
  const ofBlock = { method: "eth_getLogs", args: [new Map([["blockHash", hashAt(990)]])] };
  expect(kept(ofBlock, "[]")).toBeUndefined();
});

test("a transaction by its place has to name the block that was asked for", () => {
  const args = ["0x3de", "0x0"];
  const byNumber = { method: "eth_getTransactionByBlockNumberAndIndex", args, named: 990 };
  const found = { blockNumber: "0x3de", blockHash: hashAt(990), hash: ASKED };
  expect(kept(byNumber, found)).toBe(990);
  expect(kept(byNumber, { ...found, blockNumber: "0x3df" })).toBeUndefined();
  expect(kept(byNumber, { ...found, blockHash: hashAt(990, "b") })).toBeUndefined();
  const byHash = { method: "eth_getTransactionByBlockHashAndIndex", args: [hashAt(990), "0x0"] };
  expect(kept(byHash, found)).toBe(990);
  expect(kept(byHash, { ...found, blockHash: hashAt(991) })).toBeUndefined();
});
