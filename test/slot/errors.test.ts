import { afterEach, describe, expect, test } from "vitest";
import type { NodeReply } from "../support/stand-in-node.ts";
import { type SlotRig, startSlotRig } from "./rig.ts";

const SLOT = 900;
const GET_BLOCK = `[${SLOT},{"commitment":"confirmed"}]`;
const BLOCK = { result: { blockhash: "found", previousBlockhash: "p", transactions: [] } };

const error = (code: number, message: string, data?: unknown): NodeReply => ({
  error: { code, message, ...(data !== undefined && { data }) },
});
/** The words of agave 3.0 (rpc-client-api/src/custom_error.rs). */
const SAID = {
  cleanedUp: error(
    -32001,
    `Block ${SLOT} cleaned up, does not exist on node. First available block: 950`,
  ),
  notAvailable: error(-32004, `Block not available for slot ${SLOT}`),
  skipped: error(
    -32007,
    `Slot ${SLOT} was skipped, or missing due to ledger jump to recent snapshot`,
  ),
  skippedLongAgo: error(-32009, `Slot ${SLOT} was skipped, or missing in long-term storage`),
  nothing: { result: null },
  behind: error(-32005, "Node is behind by 42 slots", { numSlotsBehind: 42 }),
  unhealthy: error(-32005, "Node is unhealthy", { numSlotsBehind: null }),
  noHistory: error(-32011, "Transaction history is not available from this node"),
  noStatus: error(-32014, `Block status not yet available for slot ${SLOT}`),
  storeDown: error(-32019, "Failed to query long-term storage; please try again"),
} as const satisfies Record<string, NodeReply>;

const OLD_VERSION = "Transaction version (0) is not supported";
const VERSION =
  "Transaction version (0) is not supported by the requesting client. Please try the request " +
  'again with the following configuration parameter: "maxSupportedTransactionVersion": 0';

let rig: SlotRig;
afterEach(() => rig?.stop());

/** Nodes with these answers for every call, in the order of the nodes. */
async function nodes(...replies: readonly NodeReply[]): Promise<void> {
  rig = await startSlotRig({ nodes: replies.length });
  replies.forEach((reply, index) => {
    const node = rig.nodes[index];
    if (node !== undefined) node.reply = () => reply;
  });
  // So that the heads of all nodes are known.
  await rig.call("getBlockTime", `[${SLOT}]`);
}

const getBlock = (transport?: "WebSocket") => rig.call("getBlock", GET_BLOCK, transport);
const chargedOf = ({ header }: Awaited<ReturnType<typeof getBlock>>) =>
  Number(header("x-credits-charged"));

describe("getBlock, where a node has no such block,", () => {
  test.each(["cleanedUp", "notAvailable", "skipped", "skippedLongAgo", "nothing"] as const)(
    "is null when all say it (%s), and charged",
    async (said) => {
      await nodes(SAID[said], SAID[said]);
      const given = await getBlock();
      expect(given.text).toBe('{"jsonrpc":"2.0","id":1,"result":null}');
      expect(chargedOf(given)).toBe(160);
      expect((await getBlock("WebSocket")).json).toEqual(given.json);
    },
  );

  test.each(["cleanedUp", "notAvailable", "nothing"] as const)(
    "is the block of the node that has it (%s)",
    async (said) => {
      await nodes(SAID[said], BLOCK);
      for (let call = 0; call < 10; call += 1) {
        const { json } = await getBlock();
        expect(json.result).toMatchObject({ blockhash: "found" });
      }
    },
  );
});

describe("getBlock, where a node cannot tell,", () => {
  const REASONS = ["behind", "unhealthy", "noHistory", "noStatus", "storeDown"] as const;

  test.each(REASONS)("is answered by the next node (%s)", async (said) => {
    await nodes(SAID[said], BLOCK);
    for (let call = 0; call < 10; call += 1) {
      const given = await getBlock();
      expect(given.status).toBe(200);
      expect(given.json.result).toMatchObject({ blockhash: "found" });
      expect(chargedOf(given)).toBe(160);
    }
  });

  test.each(REASONS)("is 503 and free when none can (%s)", async (said) => {
    await nodes(SAID[said], SAID[said]);
    const given = await getBlock();
    expect(given.status).toBe(503);
    expect(given.json.error).toEqual({ code: -32603, message: "no upstream could answer" });
    expect(chargedOf(given)).toBe(0);
    expect(given.header("retry-after")).toMatch(/^\d+$/);
    const { json } = await getBlock("WebSocket");
    expect(json).toEqual(given.json);
    // What the nodes said is the operator's to know, and nobody else's.
    expect(given.text).not.toMatch(/behind|history|status|storage/);
  });
});

describe("an error that says something of the call", () => {
  test.each([VERSION, OLD_VERSION])("-32015 is passed on and charged: %s", async (message) => {
    await nodes(error(-32015, message), error(-32015, message));
    const [first, second] = await rig.asked(async () => {
      const given = await getBlock();
      expect(given.status).toBe(200);
      expect(given.json.error).toEqual({ code: -32015, message });
      expect(chargedOf(given)).toBe(160);
    });
    // No other node would say otherwise.
    expect((first?.length ?? 0) + (second?.length ?? 0)).toBe(1);
    expect((await getBlock("WebSocket")).json.error).toEqual({ code: -32015, message });
  });

  const OF_ACCOUNTS = '["11111111111111111111111111111111"]';
  test.each([
    [
      -32010,
      "getProgramAccounts",
      "Tokenkeg excluded from account secondary indexes; this RPC method unavailable for key",
    ],
    [-32012, "getProgramAccounts", "accounts scan aborted: The accumulated scan results exceeded"],
    [-32016, "getBalance", "Minimum context slot has not been reached"],
    [-32017, "getBalance", "Epoch rewards period still active at slot 900"],
    [-32018, "getBalance", "Rewards cannot be found because slot 900 is not the epoch boundary"],
  ] as const)("%i stays an error with the node's words", async (code, method, message) => {
    await nodes(error(code, message), error(code, message));
    const { status, json } = await rig.call(method, OF_ACCOUNTS);
    expect(status).toBe(200);
    expect(json.error).toEqual({ code, message });
  });

  test.each([
    [-32602, "Invalid param: could not find account"],
    [-32602, "Invalid param: not a Token account"],
    [-32602, "Invalid params: unable to parse pubkey"],
  ])("%i stays an error with the node's words: %s", async (code, message) => {
    await nodes(error(code, message), error(code, message));
    const given = await rig.call("getTokenAccountBalance", OF_ACCOUNTS);
    expect(given.json.error).toEqual({ code, message });
    expect(chargedOf(given)).toBe(160);
  });

  test("one that nobody knows is never null", async () => {
    await nodes(error(-32099, "slot of the machine jammed"), error(-32099, "jammed too"));
    const { json } = await getBlock();
    expect(json.result).toBeUndefined();
    expect(json.error?.code).toBe(-32099);
  });

  test("a method that no node has is -32601, and free", async () => {
    await nodes(error(-32601, "Method not found"), error(-32601, "Method not found"));
    const given = await rig.call("getEpochInfo", "[]");
    expect(given.json.error).toMatchObject({ code: -32601 });
    expect(chargedOf(given)).toBe(0);
  });
});
