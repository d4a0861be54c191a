import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import {
  blockFile,
  ledgerNetwork,
  SAMPLE_BLOCKS,
  SAMPLE_HEAD,
  writeLedger,
} from "./ledger-folder.ts";
import { callText, type Given, NO_CACHE, post } from "./rig.ts";

const SLOTS = [...SAMPLE_BLOCKS.keys()];
const textOf = (slot: number): string => SAMPLE_BLOCKS.get(slot) ?? "";
const FORMS = ["json", "jsonParsed", "base58", "base64"].flatMap((encoding) =>
  ["full", "accounts", "signatures", "none"].map((transactionDetails) => ({
    ...{ encoding, transactionDetails, rewards: true, commitment: "confirmed" },
    maxSupportedTransactionVersion: 0,
  })),
);
const UNKNOWN_SIGNATURE = `["${"1".repeat(64)}"]`;
const UNAVAILABLE = { code: -32603, message: "no upstream could answer" };

let folder: string;
let gateway: TestGateway;

beforeAll(async () => {
  folder = writeLedger(SAMPLE_BLOCKS, SAMPLE_HEAD);
  gateway = await startTestGateway({
    ...{ networks: [ledgerNetwork("ledger", folder)], cache: NO_CACHE },
  });
  for (const slot of SLOTS) whole.set(slot, await askBlock(slot));
});
afterAll(() => gateway?.stop());

const ask = (method: string, params: string) => post(gateway.http(), callText(method, params));

/** One slot in every form, in one message. */
async function askBlock(slot: number): Promise<Given["json"][]> {
  const calls = FORMS.map((form, id) =>
    callText("getBlock", `[${slot},${JSON.stringify(form)}]`, id),
  );
  const { text } = await post(gateway.http(), `[${calls}]`);
  const answers = JSON.parse(text);
  return Array.isArray(answers) ? answers : FORMS.map((_, id) => ({ ...answers, id }));
}

const whole = new Map<number, Given["json"][]>();
const restore = (slot: number) => {
  rmSync(blockFile(folder, slot), { recursive: true, force: true });
  writeFileSync(blockFile(folder, slot), textOf(slot));
};

/**
 * Each form is a result or a clear error, whose line in the log names the slot, and the slots beside
 * it are served as before.
 */
async function expectClearAnswers(slot: number, other: number): Promise<void> {
  const before = gateway.log().length;
  const answers = await askBlock(slot);
  let failed = 0;
  for (const { result, error } of answers) {
    if (error === undefined) expect(result).not.toBeUndefined();
    // A version byte that was hit asks for a version that the client does not know.
    else if (error.code === -32015)
      expect(error.message).toMatch(/^Transaction version \(\d+\) is/);
    else {
      expect(error).toEqual(UNAVAILABLE);
      failed += 1;
    }
  }
  const told = gateway
    .log()
    .slice(before)
    .split("\n")
    .filter((line) => line.includes("a call failed"));
  // Of calls that fail the log has ten lines a second.
  expect(told.length).toBeLessThanOrEqual(failed);
  for (const line of told) expect(line).toContain(`block ${slot}: `);
  if (other !== slot) expect(await askBlock(other)).toEqual(whole.get(other));
}

const anySlot = fc.constantFrom(...SLOTS);
const place = fc.double({ min: 0, max: 1, noNaN: true });
const at = (text: string, share: number) => Math.floor(text.length * share);

/** What becomes of a block's text. */
const damage = fc.oneof(
  place.map((share) => (text: string) => text.slice(0, at(text, share))),
  fc.tuple(place, fc.string({ minLength: 1, maxLength: 6, unit: "binary" })).map(
    ([share, other]) =>
      (text: string) =>
        text.slice(0, at(text, share)) + other + text.slice(at(text, share) + other.length),
  ),
  fc.tuple(place, place).map(([from, to]) => (text: string) => {
    const [start, end] = [at(text, Math.min(from, to)), at(text, Math.max(from, to))];
    return text.slice(0, start) + text.slice(end);
  }),
  fc.json({ maxDepth: 3 }).map((other) => () => other),
  fc.tuple(fc.nat(), fc.jsonValue({ maxDepth: 2 })).map(([index, value]) => (text: string) => {
    const block = JSON.parse(text);
    const holders = membersIn(block);
    const [holder, key] = holders[index % holders.length] ?? [block, "transactions"];
    holder[key] = value;
    return JSON.stringify(block);
  }),
);

type Holder = Record<string, unknown>;

/** Every member in a value, with what holds it. */
function membersIn(value: unknown): [Holder, string][] {
  if (typeof value !== "object" || value === null) return [];
  const own = Object.keys(value).map((key): [Holder, string] => [value as Holder, key]);
  return [...own, ...Object.values(value).flatMap(membersIn)];
}

/** What becomes of a transaction's bytes. */
const byteDamage = fc.oneof(
  place.map((share) => (bytes: Buffer) => bytes.subarray(0, Math.floor(bytes.length * share))),
  fc
    .tuple(place, fc.uint8Array({ minLength: 1, maxLength: 4 }))
    .map(([share, other]) => (bytes: Buffer) => {
      const start = Math.floor((bytes.length - 1) * share);
      return Buffer.concat([bytes.subarray(0, start), other, bytes.subarray(start + other.length)]);
    }),
  // Lengths of three bytes, each as long as it can be said.
  place.map((share) => (bytes: Buffer) => {
    const start = Math.floor((bytes.length - 1) * share);
    return Buffer.concat([
      bytes.subarray(0, start),
      Buffer.from([0xff, 0xff, 0x03]),
      bytes.subarray(start),
    ]);
  }),
);

describe("a ledger with one damaged file", () => {
  test("answers clearly for its slot and serves the others, whatever its text is", async () => {
    await fc.assert(
      fc.asyncProperty(anySlot, anySlot, damage, async (slot, other, change) => {
        writeFileSync(blockFile(folder, slot), change(textOf(slot)));
        try {
          await expectClearAnswers(slot, other);
        } finally {
          restore(slot);
        }
      }),
      { numRuns: 120 },
    );
  });

  test("answers clearly for its slot and serves the others, whatever a transaction's bytes are", async () => {
    const filled = SLOTS.filter((slot) => JSON.parse(textOf(slot)).transactions.length > 0);
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...filled),
        anySlot,
        fc.tuple(byteDamage, fc.nat()),
        async (slot, other, [change, index]) => {
          const block = JSON.parse(textOf(slot));
          const hit = block.transactions[index % block.transactions.length];
          const bytes = Buffer.from(hit.transaction[0], "base64");
          hit.transaction[0] = change(bytes).toString("base64");
          writeFileSync(blockFile(folder, slot), JSON.stringify(block));
          try {
            await expectClearAnswers(slot, other);
          } finally {
            restore(slot);
          }
        },
      ),
      { numRuns: 120 },
    );
  });

  test.each([
    ["a folder", (path: string) => mkdirSync(path)],
    ["a link to itself", (path: string) => symlinkSync(path, path)],
    ["empty", (path: string) => writeFileSync(path, "")],
    ["of a byte order mark", (path: string) => writeFileSync(path, "\ufeff")],
    ["no UTF-8", (path: string) => writeFileSync(path, Buffer.alloc(1000, 0xff))],
    ["nested deeply", (path: string) => writeFileSync(path, "[".repeat(200_000))],
    ["a long number", (path: string) => writeFileSync(path, "9".repeat(1_000_000))],
  ])("that is %s says so", async (_, put) => {
    const [slot = 0, other = 0] = SLOTS;
    rmSync(blockFile(folder, slot));
    put(blockFile(folder, slot));
    try {
      await expectClearAnswers(slot, other);
      for (const { error } of await askBlock(slot)) expect(error).toEqual(UNAVAILABLE);
      const given = await ask("getBlockTime", `[${slot}]`);
      expect(given.status).toBe(503);
      expect(given.header("x-credits-charged")).toBe("0");
    } finally {
      restore(slot);
    }
  });

  test("is whole again as soon as the file is, without a start", async () => {
    const [slot = 0] = SLOTS;
    writeFileSync(blockFile(folder, slot), "{");
    for (const { error } of await askBlock(slot)) expect(error).toEqual(UNAVAILABLE);
    restore(slot);
    expect(await askBlock(slot)).toEqual(whole.get(slot));
  });
});

test("a ledger.json that is damaged is 503 that the log explains, until it is right again", async () => {
  const own = writeLedger(SAMPLE_BLOCKS, SAMPLE_HEAD);
  const path = join(own, "ledger.json");
  writeFileSync(path, "{");
  const other = await startTestGateway({
    networks: [{ ...ledgerNetwork("ledger", own), timeoutMs: 1000 }],
    cache: NO_CACHE,
  });
  try {
    const call = callText("getBlock", `[${SAMPLE_HEAD.firstSlot}]`);
    expect((await post(other.http(), call)).status).toBe(503);
    const right = { format: 1, genesisHash: "4uhcVJyU9pJkvQyS88uRDiswHXSCkY3zQawwpjk2NsNY" };
    writeFileSync(path, JSON.stringify({ ...right, ...SAMPLE_HEAD }));
    await expect
      .poll(async () => (await post(other.http(), call)).status, { timeout: 15_000 })
      .toBe(200);
  } finally {
    await other.stop();
  }
});

test("an unknown signature is null when every file can be read, and 503 when one cannot", async () => {
  expect((await ask("getTransaction", UNKNOWN_SIGNATURE)).json.result).toBeNull();
  const own = writeLedger(SAMPLE_BLOCKS, SAMPLE_HEAD);
  const [slot = 0] = SLOTS;
  writeFileSync(blockFile(own, slot), "{");
  const other = await startTestGateway({
    ...{ networks: [ledgerNetwork("ledger", own)], cache: NO_CACHE },
  });
  try {
    const given = await post(other.http(), callText("getTransaction", UNKNOWN_SIGNATURE));
    expect(given.json.error).toEqual(UNAVAILABLE);
    expect(other.log()).toContain(`block ${slot}: `);
  } finally {
    await other.stop();
  }
});

test("beside a ledger that is whole, a damaged one keeps nothing from anybody", async () => {
  const own = writeLedger(SAMPLE_BLOCKS, SAMPLE_HEAD);
  for (const slot of SLOTS) writeFileSync(blockFile(own, slot), textOf(slot).slice(0, 100));
  const upstreams = [own, folder].map((path, index) => ({
    name: `ledger-${index}`,
    url: `file:${path}`,
  }));
  const other = await startTestGateway({
    networks: [{ name: "two", family: "slot", upstreams }],
    cache: NO_CACHE,
  });
  try {
    for (const slot of [...SLOTS, ...SLOTS]) {
      const params = `[${slot},{"transactionDetails":"signatures","commitment":"confirmed"}]`;
      const { json } = await post(other.http(), callText("getBlock", params));
      expect(json.error).toBeUndefined();
      expect(json.result).toMatchObject({ blockhash: JSON.parse(textOf(slot)).blockhash });
    }
  } finally {
    await other.stop();
  }
});
