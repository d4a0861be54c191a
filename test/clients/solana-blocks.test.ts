import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SAMPLE_LEDGER, SLOT_SAMPLES } from "../../src/dev/slot-samples.ts";
import { connectKit } from "../outside/kit.ts";
import type { BlockForm, Plain, SlotClient } from "../outside/slot-client.ts";
import { connectWeb3, type Web3Client } from "../outside/web3js.ts";
import { ledgerNetwork, SAMPLE_BLOCKS, SAMPLE_HEAD } from "../slot/ledger-folder.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";

const SLOTS = [...SAMPLE_BLOCKS.keys()];
const ABSENT = [SLOT_SAMPLES.skippedSlot, SAMPLE_HEAD.firstSlot - 1, SAMPLE_HEAD.confirmedSlot + 1];
const UNSUPPORTED_VERSION = -32015;
const BYTE_ENCODINGS = ["json", "base58", "base64"] as const;
const FORMS = [true, false].flatMap((rewards) =>
  ([undefined, 0] as const).map((version) => ({ rewards, version })),
);

let gateway: TestGateway;
let kit: SlotClient;
let web3: Web3Client;

beforeAll(async () => {
  gateway = await startTestGateway({ networks: [ledgerNetwork("samples", SAMPLE_LEDGER)] });
  kit = connectKit(gateway.http());
  web3 = connectWeb3(gateway.http());
});
afterAll(() => gateway?.stop());

const isVersioned = (slot: number) => /"version":0\b/.test(SAMPLE_BLOCKS.get(slot) ?? "");
const isRefused = (slot: number, { version }: Pick<BlockForm, "version">) =>
  version === undefined && isVersioned(slot);

/** What a block of this form has to be, as far as its members tell. */
function expectMembers(block: Plain, slot: number, form: Omit<BlockForm, "encoding">): void {
  const { details, rewards } = form;
  const members = block as Record<string, Plain[]>;
  const stored = JSON.parse(SAMPLE_BLOCKS.get(slot) ?? "{}");
  expect(members["blockhash"]).toBe(stored.blockhash);
  expect(members["rewards"]?.length).toBe(rewards ? stored.rewards.length : undefined);
  const hasTransactions = details === "full" || details === "accounts";
  const count = stored.transactions.length;
  expect(members["transactions"]?.length).toBe(hasTransactions ? count : undefined);
  expect(members["signatures"]?.length).toBe(details === "signatures" ? count : undefined);
}

describe.each(FORMS)("blocks with %o", (form) => {
  test("full, their bytes decoded by kit from json, base58 and base64, and by web3.js", async () => {
    for (const slot of SLOTS) {
      const wanted = await web3.block(slot, { ...form, details: "full" });
      if (isRefused(slot, form)) expect(wanted).toEqual({ error: UNSUPPORTED_VERSION });
      else expectMembers(wanted, slot, { ...form, details: "full" });
      for (const encoding of [undefined, ...BYTE_ENCODINGS]) {
        const asked = { ...form, details: "full", ...(encoding && { encoding }) } as const;
        expect(await kit.block(slot, asked), `${slot} ${encoding}`).toEqual(wanted);
      }
    }
  });

  test("full, parsed", async () => {
    for (const slot of SLOTS) {
      const wanted = await web3.parsedBlock(slot, { ...form, details: "full" });
      if (isRefused(slot, form)) expect(wanted).toEqual({ error: UNSUPPORTED_VERSION });
      else expectMembers(wanted, slot, { ...form, details: "full" });
      expect(await kit.parsedBlock(slot, { ...form, details: "full" }), `${slot}`).toEqual(wanted);
    }
  });

  test("their accounts, whatever the encoding", async () => {
    const details = "accounts";
    for (const slot of SLOTS) {
      const wanted = await web3.block(slot, { ...form, details });
      if (isRefused(slot, form)) expect(wanted).toEqual({ error: UNSUPPORTED_VERSION });
      else expectMembers(wanted, slot, { ...form, details });
      expect(await web3.parsedBlock(slot, { ...form, details })).toEqual(wanted);
      for (const encoding of [...BYTE_ENCODINGS, "jsonParsed"] as const) {
        expect(await kit.block(slot, { ...form, details, encoding })).toEqual(wanted);
      }
    }
  });

  test("nothing of their transactions, whatever their version", async () => {
    const details = "none";
    for (const slot of SLOTS) {
      const wanted = await web3.block(slot, { ...form, details });
      expectMembers(wanted, slot, { ...form, details });
      expect(await web3.parsedBlock(slot, { ...form, details })).toEqual(wanted);
      for (const encoding of [...BYTE_ENCODINGS, "jsonParsed"] as const) {
        expect(await kit.block(slot, { ...form, details, encoding })).toEqual(wanted);
      }
    }
  });

  test("their signatures, whatever their version", async () => {
    const details = "signatures";
    for (const slot of SLOTS) {
      const block = await kit.block(slot, { ...form, details });
      expectMembers(block, slot, { ...form, details });
      const {
        rewards: _,
        numRewardPartitions: _partitions,
        ...rest
      } = block as Record<string, Plain>;
      // web3.js asks for signatures without rewards, and in no other way.
      expect(await web3.block(slot, { ...form, details })).toEqual(rest);
    }
  });

  test("null for a slot that was skipped, cleaned up or is still to come", async () => {
    for (const slot of ABSENT) {
      for (const details of ["full", "accounts", "signatures", "none"] as const) {
        expect(await kit.block(slot, { ...form, details })).toBeNull();
        expect(await web3.block(slot, { ...form, details })).toBeNull();
        expect(await kit.parsedBlock(slot, { ...form, details })).toBeNull();
      }
    }
  });
});
