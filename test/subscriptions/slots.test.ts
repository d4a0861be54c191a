import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type SlotRig, startSlotRig } from "../slot/rig.ts";
import { follow, SlotChain } from "../support/slot-chain.ts";
import { StreamClient } from "./stream.ts";

/** The program of what validators send by themselves. */
const VOTES = "Vote111111111111111111111111111111111111111";
const SUBSCRIBE_CREDITS = 160;
const EVENT_CREDITS = 50;
/** A slot that has the block with the recorded transactions of a lookup table. */
const BUSY = 1004;

let chain: SlotChain;
let rig: SlotRig;
const clients: StreamClient[] = [];

beforeEach(async () => {
  chain = new SlotChain();
  const dailyCredits = SUBSCRIBE_CREDITS + 4 * EVENT_CREDITS;
  const plans = { small: { dailyCredits, creditsPerSecond: 1000 } };
  rig = await startSlotRig({ nodes: 2, head: chain.tip, plans });
  for (const node of rig.nodes) follow(node, chain);
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.end();
  await rig?.stop();
});

const open = async (url = rig.gateway.ws()): Promise<StreamClient> => {
  const client = await StreamClient.open(url);
  clients.push(client);
  return client;
};

/** The chain grows, and its nodes with it. */
function grow(count = 1, skipped = 0): void {
  chain.advance(count, skipped);
  for (const node of rig.nodes) node.slots = chain.slots;
}

const resultsOf = async (client: StreamClient, id: number, count: number) =>
  (await client.until(id, count)).map(({ result }) => result);

describe("each block is told once, in order,", () => {
  test("though its network is built anew meanwhile", async () => {
    const client = await open();
    const id = await client.subscribeTo("slotSubscribe");
    const from = chain.tip;
    grow(2);
    await client.until(id, 2);
    const upstreams = rig.nodes.slice(1).map(({ url }) => ({ name: "another", url }));
    await rig.gateway.reload([{ name: "slots", family: "slot", upstreams }]);
    await rig.nodes[0]?.stop();
    grow(3);
    const told = await resultsOf(client, id, 5);
    expect(told.map(({ slot }) => slot)).toEqual([1, 2, 3, 4, 5].map((more) => from + more));
  });

  test("as a slot, with its parent, whatever came between two looks", async () => {
    const client = await open();
    const id = await client.subscribeTo("slotSubscribe");
    const from = chain.tip;
    grow(1);
    await client.until(id, 1);
    grow(3, 2);
    const told = await resultsOf(client, id, 4);
    expect(told).toMatchObject([
      { slot: from + 1, parent: from },
      { slot: from + 4, parent: from + 1 },
      { slot: from + 5, parent: from + 4 },
      { slot: from + 6, parent: from + 5 },
    ]);
    for (const { root } of told) expect(Number(root)).toBeLessThan(from + 4);
  });

  test("as a root once it is final, also where it was confirmed before anybody asked", async () => {
    const client = await open();
    const { finalized } = chain.slots;
    const id = await client.subscribeTo("rootSubscribe");
    grow(5);
    const told = await resultsOf(client, id, 5);
    expect(told).toEqual([1, 2, 3, 4, 5].map((after) => finalized + after));
  });

  test.each([
    [{ encoding: "json" as const }],
    [{ encoding: "jsonParsed" as const, transactionDetails: "accounts" as const }],
    [{ encoding: "base64" as const, showRewards: true }],
    [{ transactionDetails: "signatures" as const }],
    [{ transactionDetails: "none" as const }],
  ])("whole, as a node gives it, with %j", async (wanted) => {
    const client = await open();
    const config = { commitment: "confirmed", maxSupportedTransactionVersion: 0, ...wanted };
    const id = await client.subscribeTo("blockSubscribe", "all", config);
    grow(2);
    const told = await resultsOf(client, id, 2);
    const asked = { encoding: "base64", ...wanted, rewards: "showRewards" in wanted };
    expect(told).toEqual(
      [chain.tip - 1, chain.tip].map((slot) => ({
        context: { slot },
        value: { slot, block: chain.block(slot, asked), err: null },
      })),
    );
  });

  test("with those of its transactions that mention an account", async () => {
    const client = await open();
    const from = chain.tip;
    const [transaction] = chain.transactions(BUSY);
    const account = String(transaction?.transaction.message.accountKeys[1]);
    const mentions = { mentionsAccountOrProgram: account };
    const config = { commitment: "confirmed", encoding: "json", maxSupportedTransactionVersion: 0 };
    const id = await client.subscribeTo("blockSubscribe", mentions, config);
    grow(6);
    const expected = [1, 2, 3, 4, 5, 6]
      .map((after) => from + after)
      .map((slot) => ({ slot, kept: chain.transactions(slot).filter((one) => has(one, account)) }))
      .filter(({ kept }) => kept.length > 0);
    expect(expected.length).toBeGreaterThan(0);
    const told = await resultsOf(client, id, expected.length);
    expect(told).toMatchObject(
      expected.map(({ slot, kept }) => ({
        value: { slot, block: { transactions: kept.map(({ transaction }) => ({ transaction })) } },
      })),
    );
  });

  test("as an error where it has a transaction that the client cannot read", async () => {
    const client = await open();
    const id = await client.subscribeTo("blockSubscribe", "all", { commitment: "confirmed" });
    const isOfVersion0 = (slot: number) =>
      chain.transactions(slot).some((one) => (one as { version?: unknown }).version === 0);
    grow(6);
    const told = await resultsOf(client, id, 6);
    for (const { value } of told as unknown as { value: { slot: number; err: unknown } }[]) {
      expect(value.err).toEqual(
        isOfVersion0(value.slot) ? { UnsupportedTransactionVersion: 0 } : null,
      );
    }
  });
});

const has = (one: unknown, account: string): boolean => JSON.stringify(one).includes(account);

describe("what transactions log", () => {
  test("is told for all of them, as their blocks have it", async () => {
    const client = await open();
    const from = chain.tip;
    const id = await client.subscribeTo("logsSubscribe", "all", { commitment: "confirmed" });
    grow(3);
    const expected = [1, 2, 3].flatMap((after) => logsOf(from + after));
    expect(await resultsOf(client, id, expected.length)).toEqual(expected);
  });

  test("is told for those that mention an address, once they are final", async () => {
    const client = await open();
    const { finalized } = chain.slots;
    const address = String(chain.transactions(BUSY)[0]?.transaction.message.accountKeys[0]);
    const id = await client.subscribeTo("logsSubscribe", { mentions: [address] });
    grow(6);
    const slots = [1, 2, 3, 4, 5, 6].map((after) => finalized + after);
    const expected = slots.flatMap((slot) => logsOf(slot, address));
    expect(expected.length).toBeGreaterThan(0);
    expect(await resultsOf(client, id, expected.length)).toEqual(expected);
  });

  const logsOf = (slot: number, address = "") =>
    chain
      .transactions(slot)
      .filter((one) => (address === "" ? !has(one, VOTES) : has(one, address)))
      .map(({ transaction, meta }) => ({
        context: { slot },
        value: { signature: transaction.signatures[0], err: meta.err, logs: meta.logMessages },
      }));
});

describe("a transaction", () => {
  test("is told of once, when its block comes, and its subscription is over", async () => {
    const client = await open();
    const slot = chain.tip + 2;
    // Nobody has sent it yet: another chain that grows on has it.
    const later = new SlotChain(1000, chain.tip - 1000 + 3);
    const [{ transaction, meta } = never()] = later.transactions(slot);
    const [signature] = transaction.signatures;
    hide(signature ?? "");
    const id = await client.subscribeTo("signatureSubscribe", signature, {
      commitment: "confirmed",
    });
    grow(3);
    const told = await resultsOf(client, id, 1);
    expect(told).toEqual([{ context: { slot }, value: { err: meta.err } }]);
    expect(await client.ask("signatureUnsubscribe", [id])).toMatchObject({
      error: { code: -32602, message: "Invalid subscription id." },
    });
  });

  /** No node knows of it by its signature. */
  function hide(signature: string): void {
    for (const node of rig.nodes) {
      node.reply = (request) => {
        const isAbout = request.method === "getSignatureStatuses";
        if (!isAbout || !has(request.params, signature)) return chain.reply(request);
        return { result: { context: { slot: chain.tip }, value: [null] } };
      };
    }
  }

  test.each(["confirmed", "finalized"] as const)(
    "that is in a block already is told of at once: %s",
    async (commitment) => {
      const client = await open();
      const slot = chain.slots[commitment];
      const [{ transaction, meta } = never()] = chain.transactions(slot);
      const id = await client.subscribeTo("signatureSubscribe", transaction.signatures[0], {
        commitment,
      });
      expect(await resultsOf(client, id, 1)).toEqual([
        { context: { slot }, value: { err: meta.err } },
      ]);
    },
  );
});

const never = (): never => {
  throw new Error("no transaction");
};

describe("whatever nodes do", () => {
  test("a block that one does not give is asked of another, and no later one comes before it", async () => {
    const client = await open();
    const id = await client.subscribeTo("logsSubscribe", "allWithVotes", {
      commitment: "confirmed",
    });
    const from = chain.tip;
    const [first, second] = rig.nodes;
    if (first === undefined || second === undefined) return;
    first.reply = (request) =>
      request.method === "getBlock"
        ? { error: { code: -32000, message: "no" } }
        : chain.reply(request);
    second.reply = (request) =>
      request.method === "getBlock" && request.params[0] === from + 1
        ? "reset"
        : chain.reply(request);
    grow(3);
    await expect.poll(() => first.requests.length).toBeGreaterThan(2);
    expect(client.told).toEqual([]);
    follow(first, chain);
    const slots = (await client.until(id, 3)).map(
      ({ result }) => (result["context"] as { slot: number }).slot,
    );
    expect(slots).toEqual(slots.toSorted());
    expect(slots[0]).toBe(from + 1);
  });

  test("a block is asked for as often for a hundred subscribers as for one", async () => {
    const [node, other] = rig.nodes;
    if (node === undefined || other === undefined) return;
    const client = await open();
    const ids: number[] = [];
    for (let count = 0; count < 30; count += 1) {
      ids.push(await client.subscribeTo("slotSubscribe"));
      ids.push(await client.subscribeTo("logsSubscribe", "all", { commitment: "confirmed" }));
    }
    const before = [node, other].map(({ requests }) => requests.length);
    grow(1);
    for (const id of ids) await client.until(id, 1);
    const asked = [node, other].flatMap(({ requests }, at) => requests.slice(before[at]));
    expect(asked.filter(({ method }) => method === "getBlock")).toHaveLength(2);
  });
});

describe("in agave's words", () => {
  test.each([
    ["slotSubscribe", [1], "Invalid parameters: No parameters were expected"],
    ["logsSubscribe", [], "`params` should have at least 1 argument(s)"],
    ["logsSubscribe", [{ mentions: [] }], "Invalid Request: Only 1 address supported"],
    ["logsSubscribe", [{ mentions: ["x"] }], "Invalid Request: Invalid mentions provided"],
    ["signatureSubscribe", ["x"], "Invalid Request: Invalid signature provided"],
    ["blockSubscribe", ["some"], "Invalid params: unknown variant `some`"],
    ["slotUnsubscribe", ["x"], 'Invalid params: invalid type: string "x", expected u64.'],
    ["rootUnsubscribe", [77], "Invalid subscription id."],
  ])("%s %j is refused", async (method, params, message) => {
    const client = await open();
    const { error } = await client.ask(method, params);
    expect(error).toMatchObject({ code: -32602, message: expect.stringContaining(message) });
  });

  test("over HTTP nothing is told", async () => {
    const { json } = await rig.call("slotSubscribe", "[]");
    expect(json.error).toEqual({ code: -32601, message: "notifications not supported" });
  });

  test("one that was ended is told nothing more", async () => {
    const client = await open();
    const [ended, kept] = [
      await client.subscribeTo("slotSubscribe"),
      await client.subscribeTo("slotSubscribe"),
    ];
    expect(await client.ask("slotUnsubscribe", [ended])).toMatchObject({ result: true });
    grow(2);
    await client.until(kept, 2);
    expect(client.of(ended)).toEqual([]);
  });
});

test("each notification is charged, until the day's credits are used up", async () => {
  const key = await rig.gateway.keyOf("small@example.com", "small");
  const client = await open(rig.gateway.ws().replace(rig.gateway.key, key));
  const id = await client.subscribeTo("slotSubscribe");
  grow(2);
  await client.until(id, 2);
  const { result } = await client.ask("tollgate_usage", []);
  expect(result).toMatchObject({ used: SUBSCRIBE_CREDITS + 2 * EVENT_CREDITS });
  grow(3);
  expect(await client.closed).toEqual({
    code: 4402,
    reason: "the credits of the day are used up",
  });
  expect(client.of(id)).toHaveLength(4);
});
