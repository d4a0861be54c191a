import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { encode, type JsonValue } from "../../jsonrpc/value.ts";
import type { Definition } from "../../methods/definition.ts";
import { FAMILIES } from "../../methods/families.ts";
import { type Moment, Resolver, resolveBlocks, sentArgs, sentText } from "./resolution.ts";

const HASH = `0x${"ab".repeat(32)}`;
const MOMENT: Moment = {
  head: 1000,
  gasLimit: 30_000_000n,
  window: undefined,
  found: new Map([["safe", 990]]),
};

const definitionOf = (method: string): Definition => {
  const definition = FAMILIES.evm.lookUp(method);
  if (definition === undefined) throw new Error(`no method ${method}`);
  return definition;
};
const outcome = (method: string, args: JsonValue[], moment: Partial<Moment> = {}) => {
  const definition = definitionOf(method);
  return resolveBlocks(definition, args, { ...MOMENT, ...moment });
};
const resolve = (method: string, args: JsonValue[], moment?: Partial<Moment>) => {
  const found = outcome(method, args, moment);
  if ("name" in found) throw new Error(found.message);
  const definition = definitionOf(method);
  return { ...found, args: sentArgs(definition, args, { ...MOMENT, ...moment }) };
};

describe("a tag", () => {
  test.each([
    ["latest", "0x3e8", 1000],
    ["earliest", "0x0", 0],
    ["safe", "0x3de", 990],
  ])("%s becomes one concrete block, which the answer names", (tag, text, number) => {
    const { args, tagged, block } = resolve("eth_getBlockByNumber", [tag, false]);
    expect(args).toEqual([text, false]);
    expect([tagged, block]).toEqual([number, number]);
  });

  test("that no node has a block for goes to a node as it is", () => {
    const found = resolve("eth_getBlockByNumber", ["finalized", false]);
    expect(found).toMatchObject({ args: ["finalized", false], tagged: undefined, block: -1 });
  });

  test("pending stays, for a node that has the head", () => {
    const found = resolve("eth_getBlockByNumber", ["pending", false]);
    expect(found).toMatchObject({ args: ["pending", false], tagged: undefined, block: 1000 });
  });
});

describe("a number", () => {
  test("is what its digits say, however many there are", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }), (number) => {
        const asked = resolve("eth_getBlockByNumber", [`0x${number.toString(16)}`, false]);
        expect(asked.named).toBe(Number(number));
      }),
    );
  });

  test("up to the head is asked of nodes that have it, and null would contradict the head", () => {
    expect(resolve("eth_getBlockByNumber", ["0x3e8", true])).toMatchObject({
      ...{ block: 1000, exists: true, future: false, tagged: undefined, depth: -1 },
    });
  });

  test("above the head is asked of any node", () => {
    const found = resolve("eth_getBlockByNumber", ["0x3e9", true]);
    expect(found).toMatchObject({ block: -1, exists: false, future: true });
  });

  test("of something in a block says nothing of whether that is there", () => {
    const found = resolve("eth_getTransactionByBlockNumberAndIndex", ["0x1", "0x0"]);
    expect(found).toMatchObject({ block: 1, exists: false });
  });

  test("tells how old the state is that is needed", () => {
    expect(resolve("eth_getBalance", ["0xaa", "0x384"])).toMatchObject({ block: 900, depth: 100 });
    expect(resolve("eth_getBalance", ["0xaa", "latest"])).toMatchObject({ block: 1000, depth: 0 });
  });
});

describe("the text that is sent", () => {
  const sentOf = (method: string, args: readonly JsonValue[], text: string | undefined) => {
    const definition = definitionOf(method);
    const sent = sentArgs(definition, args, MOMENT);
    return { sent, text: sentText(definition, { args, sent, text }) };
  };
  const tags = fc.constantFrom("latest", "earliest", "safe", "pending", "finalized");
  const numbers = fc.nat().map((number) => `0x${number.toString(16)}`);
  const gas = fc.constantFrom("0x1", "0x11e1a2ff", "0x11e1a300", "0x11e1a301", "0xffffffffffff");
  const calls = fc
    .record({ to: fc.constant(`0x${"ab".repeat(20)}`), gas }, { requiredKeys: ["to"] })
    .map((call): JsonValue => new Map(Object.entries(call)));
  const asked = fc.oneof(
    fc.record({ method: fc.constant("eth_call"), args: fc.tuple(calls, fc.oneof(tags, numbers)) }),
    fc.record({ method: fc.constant("eth_getBalance"), args: fc.tuple(numbers, tags) }),
    fc.record({ method: fc.constant("eth_getStorageAt"), args: fc.tuple(numbers, numbers, tags) }),
    fc.record({ method: fc.constant("eth_getBlockByNumber"), args: fc.tuple(tags, fc.boolean()) }),
    fc.record({ method: fc.constant("eth_call"), args: fc.tuple(calls) }),
  );

  test("is that of the params that are sent, or is left to be written", () => {
    fc.assert(
      fc.property(asked, ({ method, args }) => {
        const { sent, text } = sentOf(method, args, encode(args));
        expect(text ?? encode(sent)).toBe(encode(sent));
      }),
    );
  });

  test("is the client's own but for a tag at its end", () => {
    const call = new Map([["to", "0xaa"]]);
    expect(sentOf("eth_call", [call, "latest"], '[{"to":"0xaa"},"latest"]').text).toBe(
      '[{"to":"0xaa"},"0x3e8"]',
    );
    expect(sentOf("eth_call", [call, "latest"], undefined).text).toBeUndefined();
  });
});

describe("a log filter", () => {
  const range = (filter: Record<string, string>, moment?: Partial<Moment>) =>
    resolve("eth_getLogs", [new Map(Object.entries(filter))], moment);
  const ends = ({ args: [filter] }: { readonly args: readonly JsonValue[] }) =>
    filter instanceof Map ? [filter.get("fromBlock"), filter.get("toBlock")] : [];

  test("gets numbers at both ends, and a node that has the last block", () => {
    const found = range({ fromBlock: "0x5", toBlock: "latest" });
    expect(ends(found)).toEqual(["0x5", "0x3e8"]);
    expect(found).toMatchObject({ block: 1000, tagged: 1000 });
    expect(ends(range({}))).toEqual(["0x3e8", "0x3e8"]);
    expect(ends(range({ fromBlock: "earliest", toBlock: "0x9" }))).toEqual(["0x0", "0x9"]);
  });

  const faultOf = (filter: Record<string, string>, moment?: Partial<Moment>) => {
    const found = outcome("eth_getLogs", [new Map(Object.entries(filter))], moment);
    return "name" in found ? `${found.name}: ${found.message}` : undefined;
  };
  const want = "want fromBlock up to toBlock, and toBlock up to the head, 0x3e8";
  const beyond = `invalid_params: block range extends beyond current head block; ${want}`;
  const invalid = `invalid_params: invalid block range params; ${want}`;
  const tags = { found: new Map([["finalized", 900]]) };

  test.each<[string | undefined, Record<string, string>]>([
    [beyond, { fromBlock: "0x5", toBlock: "0x3e9" }],
    [beyond, { fromBlock: "0x3e9", toBlock: "0x3e9" }],
    [beyond, { fromBlock: "latest", toBlock: "0x7fffffffffffffff" }],
    [beyond, { fromBlock: "finalized", toBlock: "0x3e9" }],
    [beyond, { toBlock: "0x3e9" }],
    [invalid, { fromBlock: "0x3e9" }],
    [invalid, { fromBlock: "0x3e9", toBlock: "latest" }],
    [invalid, { fromBlock: "0x3e9", toBlock: "finalized" }],
    [invalid, { fromBlock: "latest", toBlock: "finalized" }],
    [invalid, { fromBlock: "latest", toBlock: "0x3e7" }],
    [invalid, { toBlock: "0x3e7" }],
    [invalid, { fromBlock: "0x1", toBlock: "earliest" }],
    [undefined, { fromBlock: "0x3e8", toBlock: "0x3e8" }],
    [undefined, { fromBlock: "earliest", toBlock: "latest" }],
    [undefined, { fromBlock: "finalized" }],
    [undefined, { fromBlock: "0x3e9", toBlock: "pending" }],
    [undefined, { fromBlock: "pending", toBlock: "0x3e7" }],
  ])("is answered with %s for %j, as go-ethereum does at head 1000", (fault, filter) => {
    expect(faultOf(filter, tags)).toBe(fault);
  });

  test("by hash stays as it is", () => {
    const filter = new Map([["blockHash", HASH]]);
    expect(resolve("eth_getLogs", [filter])).toMatchObject({ args: [filter], block: -1 });
  });
});

describe("a window of 128 blocks", () => {
  const moment = { window: 128, found: new Map([[HASH, 872]]) };
  const archive = {
    name: "archive_unavailable",
    message:
      "archive requests are not available on this network: only the latest 128 blocks are served",
  };
  const eip1898 = new Map([["blockHash", HASH]]);

  test.each<[string, string, JsonValue[]]>([
    ["a number", "eth_getBlockByNumber", ["0x368", false]],
    ["a tag", "eth_getBlockByNumber", ["earliest", false]],
    ["a hash", "eth_getBlockByHash", [HASH, false]],
    ["a hash of a state", "eth_getBalance", ["0xaa", eip1898]],
    ["a filter's beginning", "eth_getLogs", [new Map([["fromBlock", "0x368"]])]],
    ["a filter's hash", "eth_getLogs", [eip1898]],
    ["the oldest block of a history", "eth_feeHistory", ["0x81", "latest", []]],
    ["the oldest block of a pending history", "eth_feeHistory", ["0x81", "pending", []]],
    ["the oldest block up to a number", "eth_feeHistory", ["0x3", "0x36a", []]],
    ["a history of all blocks", "eth_feeHistory", ["0xffffffffffffffff", "0x7d0", []]],
  ])("ends before block 873 of 1000: %s", (_name, method, args) => {
    expect(outcome(method, args, moment)).toEqual(archive);
  });

  test("begins with block 873", () => {
    expect(resolve("eth_getBlockByNumber", ["0x369", false], moment).block).toBe(873);
    const known = { window: 128, found: new Map([[HASH, 873]]) };
    expect(resolve("eth_getBlockByHash", [HASH, false], known).block).toBe(873);
  });

  test("has room for a history of 128 blocks, and for all of a short chain", () => {
    const history = (count: string, head: number) =>
      resolve("eth_feeHistory", [count, "latest", []], { ...moment, head }).block;
    expect(history("0x80", 1000)).toBe(1000);
    expect(history("0x0", 1000)).toBe(1000);
    expect(history("0xffff", 100)).toBe(100);
  });

  test("says nothing of a hash that nobody knows", () => {
    const unknown = { window: 128 };
    expect(resolve("eth_getBlockByHash", [HASH, false], unknown).block).toBe(-1);
  });
});

describe("gas", () => {
  const gasOf = (gas: string, moment?: Partial<Moment>) => {
    const call = new Map([["gas", gas]]);
    const [sent] = resolve("eth_call", [call, "latest"], moment).args;
    return sent instanceof Map ? sent.get("gas") : undefined;
  };

  test("is lowered to ten times the block's limit, silently", () => {
    expect(gasOf("0x11e1a300")).toBe("0x11e1a300");
    expect(gasOf("0x11e1a301")).toBe("0x11e1a300");
    expect(gasOf("0xffffffffffffffff")).toBe("0x11e1a300");
  });

  test("is left alone below, and where the limit is not known", () => {
    expect(gasOf("0x5208")).toBe("0x5208");
    expect(gasOf("0xffffffff", { gasLimit: undefined })).toBe("0xffffffff");
  });

  test("that is not named is not put in", () => {
    const [sent] = resolve("eth_estimateGas", [new Map([["to", "0xaa"]]), "latest"]).args;
    expect(sent).toEqual(new Map([["to", "0xaa"]]));
  });
});

test("what a method's latest meant is known until the head moves, and is what it means by itself", () => {
  const resolver = new Resolver();
  const args: Readonly<Record<string, JsonValue[]>> = {
    eth_getBlockByNumber: ["latest", false],
    eth_call: [new Map([["to", "0xab"]]), "latest"],
    eth_getBalance: ["0xab", "latest"],
    eth_getLogs: [new Map([["fromBlock", "0x10"]])],
  };
  const others = ["0x3e8", "0x3e9", "earliest", "pending", "safe"];
  for (const head of [1000, 1001, 1000]) {
    const moment = { ...MOMENT, head };
    for (const [method, given] of Object.entries(args)) {
      const definition = definitionOf(method);
      const resolved = () => resolver.resolve(definition, given, moment);
      expect(resolved(), method).toEqual(resolveBlocks(definition, given, moment));
      expect(resolved(), method).toEqual(resolveBlocks(definition, given, moment));
      if (method !== "eth_getLogs") expect(resolved()).toBe(resolved());
    }
    for (const other of others) {
      const definition = definitionOf("eth_getBlockByNumber");
      const found = resolver.resolve(definition, [other, false], moment);
      expect(found, other).toEqual(resolveBlocks(definition, [other, false], moment));
    }
  }
});
