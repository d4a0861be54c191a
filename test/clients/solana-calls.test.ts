import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { SAMPLE_LEDGER, SLOT_SAMPLES } from "../../src/dev/slot-samples.ts";
import { connectKit, kitBalances } from "../outside/kit.ts";
import type { SlotClient } from "../outside/slot-client.ts";
import { connectWeb3, type Web3Client } from "../outside/web3js.ts";
import { ledgerNetwork, SAMPLE_BLOCKS, SAMPLE_HEAD } from "../slot/ledger-folder.ts";
import { overWebSocket, post } from "../slot/rig.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";

const SLOTS = [...SAMPLE_BLOCKS.keys()];
const { firstSlot, confirmedSlot, finalizedSlot } = SAMPLE_HEAD;
const UNKNOWN = "1".repeat(64);

let gateway: TestGateway;
let kit: SlotClient;
let web3: Web3Client;
/** Every body that a client has sent. */
const bodies: string[] = [];

beforeAll(async () => {
  const send = globalThis.fetch;
  vi.spyOn(globalThis, "fetch").mockImplementation((url, init) => {
    if (typeof init?.body === "string") bodies.push(init.body);
    return send(url, init);
  });
  gateway = await startTestGateway({ networks: [ledgerNetwork("samples", SAMPLE_LEDGER)] });
  kit = connectKit(gateway.http());
  web3 = connectWeb3(gateway.http());
});
afterAll(async () => {
  vi.restoreAllMocks();
  await gateway?.stop();
});

const clients = () => [kit, web3];

test("the slots and heights of each commitment", async () => {
  const height = (slot: number) => JSON.parse(SAMPLE_BLOCKS.get(slot) ?? "{}").blockHeight;
  for (const client of clients()) {
    expect(await client.slot("finalized")).toBe(finalizedSlot);
    expect(await client.slot("confirmed")).toBe(confirmedSlot);
    expect(await client.slot("processed")).toBe(confirmedSlot);
    expect(await client.height("finalized")).toBe(height(finalizedSlot));
    expect(await client.height("confirmed")).toBe(height(confirmedSlot));
    expect(await client.firstBlock()).toBe(firstSlot);
  }
});

test("the genesis hash and the version", async () => {
  const [first, second] = clients();
  expect(await first?.genesisHash()).toMatch(/^[1-9A-HJ-NP-Za-km-z]{43,44}$/);
  expect(await second?.genesisHash()).toBe(await first?.genesisHash());
  expect(await first?.version()).toMatch(/^\d+\.\d+\.\d+/);
  expect(await second?.version()).toBe(await first?.version());
});

test("the time of each block, none of a slot that was skipped", async () => {
  for (const [slot, text] of SAMPLE_BLOCKS) {
    const { blockTime } = JSON.parse(text);
    for (const client of clients()) expect(await client.blockTime(slot)).toBe(blockTime);
  }
  expect(await kit.blockTime(SLOT_SAMPLES.skippedSlot)).toBeNull();
});

test("the slots that have a block", async () => {
  const between = (first: number, last: number) =>
    SLOTS.filter((slot) => slot >= first && slot <= last);
  for (const client of clients()) {
    for (const [first, last] of [
      [firstSlot, confirmedSlot],
      [firstSlot + 1, firstSlot + 5],
      [0, firstSlot],
      [SLOT_SAMPLES.skippedSlot, SLOT_SAMPLES.skippedSlot],
      [confirmedSlot + 1, confirmedSlot + 9],
    ] as const) {
      const wanted = between(first, Math.min(last, confirmedSlot));
      expect(await client.blocks(first, last)).toEqual(wanted);
    }
  }
  expect(await web3.blocks(firstSlot, undefined)).toEqual(between(firstSlot, confirmedSlot));
  expect(await kit.blocks(firstSlot, undefined)).toEqual(between(firstSlot, confirmedSlot));
});

test("each transaction, alone and in a batch, as it stands in its block", async () => {
  for (const slot of SLOTS) {
    const form = { details: "full", rewards: true, version: 0 } as const;
    const block = (await kit.block(slot, form)) as {
      blockTime: number;
      transactions: { transaction: { signatures: string[] } }[];
    };
    const parsed = (await kit.parsedBlock(slot, form)) as typeof block;
    const signatures = block.transactions.map(({ transaction }) => transaction.signatures[0] ?? "");
    const { blockTime } = block;
    const wanted = block.transactions.map((each) => ({ ...each, slot, blockTime }));
    const wantedParsed = parsed.transactions.map((each) => ({ ...each, slot, blockTime }));
    for (const [index, signature] of signatures.entries()) {
      for (const client of clients()) {
        expect(await client.transaction(signature, 0)).toEqual(wanted[index]);
        expect(await client.parsedTransaction(signature)).toEqual(wantedParsed[index]);
      }
    }
    // web3.js sends these as one message.
    if (signatures.length === 0) continue;
    expect(await web3.transactions(signatures)).toEqual(wanted);
    expect(await web3.parsedTransactions(signatures)).toEqual(wantedParsed);
  }
});

test("balances beyond 2^53 keep every digit in kit, which reads them as bigints", async () => {
  let beyond = 0;
  for (const [slot, text] of SAMPLE_BLOCKS) {
    const lists = [...text.matchAll(/"postBalances":\[([\d,]*)\]/g)].map(([, list = ""]) => list);
    const wanted = lists.map((list) => list.split(",").map(BigInt));
    expect(await kitBalances(gateway.http(), slot)).toEqual(wanted);
    beyond += wanted.flat().filter((each) => each !== BigInt(Number(each))).length;
  }
  expect(beyond).toBeGreaterThan(0);
});

test("a transaction that is unknown, or of a version that was not asked for", async () => {
  for (const client of clients()) {
    expect(await client.transaction(UNKNOWN, 0)).toBeNull();
    expect(await client.transaction(SLOT_SAMPLES.versionedSignature, undefined)).toEqual({
      error: -32015,
    });
    expect(await client.transaction(SLOT_SAMPLES.signature, undefined)).toMatchObject({
      transaction: { signatures: [SLOT_SAMPLES.signature] },
    });
  }
});

test("the statuses of signatures", async () => {
  const signatures = [SLOT_SAMPLES.signature, UNKNOWN, SLOT_SAMPLES.versionedSignature];
  for (const client of clients()) {
    expect(await client.statuses(signatures)).toEqual({
      context: { slot: confirmedSlot },
      value: [
        {
          confirmationStatus: "finalized",
          confirmations: null,
          err: null,
          slot: expect.any(Number),
          status: { Ok: null },
        },
        null,
        expect.objectContaining({ err: null }),
      ],
    });
  }
});

test("all that the clients sent is served, over WebSocket with the same bytes", async () => {
  for (const slot of SLOTS) {
    for (const details of ["full", "accounts", "signatures", "none"] as const) {
      await web3.block(slot, { details, rewards: true, version: 0 });
      await web3.parsedBlock(slot, { details: "full", rewards: false, version: 0 });
      for (const encoding of ["json", "jsonParsed", "base58", "base64"] as const) {
        await kit.block(slot, { details, encoding, rewards: true, version: 0 });
      }
    }
  }
  const sent = [...bodies];
  const methods = new Set(
    sent.flatMap((body) => [JSON.parse(body)].flat().map(({ method }) => method)),
  );
  expect(methods).toContain("getBlock");
  expect(methods.size).toBeGreaterThanOrEqual(10);
  expect(sent.length).toBeGreaterThan(400);
  for (const body of sent) {
    const [http, ws] = await Promise.all([
      post(gateway.http(), body),
      overWebSocket(gateway.ws(), body),
    ]);
    expect(http.text).not.toContain("-32601");
    expect(ws.text).toBe(http.text);
  }
});
