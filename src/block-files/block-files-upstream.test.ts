import { mkdtempSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Worker } from "node:worker_threads";
import { afterEach, describe, expect, test } from "vitest";
import {
  LEDGER_GENESIS,
  ledgerBlock,
  ledgerFolder,
  ledgerSignature,
} from "../../test/support/ledger-folder.ts";
import { usedBytes } from "../../test/support/memory.ts";
import { timed } from "../../test/support/timed.ts";
import { wholeBytes } from "../lib/bytes.ts";
import { systemClock } from "../lib/clock.ts";
import { TimerWheel } from "../lib/timer-wheel.ts";
import type { UpstreamAnswer } from "../transports/upstream-answer.ts";
import { BlockFilesUpstream } from "./block-files-upstream.ts";

/** The next thread that is started, so that it can be ended like by a fault of its own. */
const nextThread = (): Promise<Worker> =>
  new Promise((resolve) => void process.once("worker", resolve));

const SLOTS = { firstSlot: 1, confirmedSlot: 40, finalizedSlot: 40 };
const opened: BlockFilesUpstream[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((each) => each.close()));
});

const blocks = (): Record<number, unknown> =>
  Object.fromEntries(Array.from({ length: 40 }, (_, index) => [index + 1, ledgerBlock(index + 1)]));

function open(
  directory: string,
  { timers = new TimerWheel(systemClock), maxResponseBytes = 1e6 } = {},
): BlockFilesUpstream {
  const upstream = new BlockFilesUpstream(
    { name: "ledger", directory, maxResponseBytes },
    { timers },
  );
  opened.push(upstream);
  return upstream;
}

const ask = (
  upstream: BlockFilesUpstream,
  method: string,
  ...params: unknown[]
): Promise<UpstreamAnswer> =>
  new Promise((resolve) => {
    const request = { method, params: JSON.stringify(params), timeoutMs: 20_000 };
    upstream.call(request, { answered: resolve });
  });

const resultOf = (answer: UpstreamAnswer): unknown => {
  if (answer.kind !== "result") throw new Error(`no result: ${JSON.stringify(answer)}`);
  return JSON.parse(wholeBytes(answer.result).toString());
};

describe("a ledger of files as an upstream", () => {
  test("its thread starts with the first call and answers in bytes", async () => {
    const upstream = open(ledgerFolder(SLOTS, blocks()));
    expect(upstream.isConnected).toBe(false);
    expect(resultOf(await ask(upstream, "getGenesisHash"))).toBe(LEDGER_GENESIS);
    expect(upstream.isConnected).toBe(true);
    const answer = await ask(upstream, "getBlock", 7, { encoding: "base64", rewards: true });
    const { transactions, ...rest } = ledgerBlock(7);
    const unversioned = transactions.map(({ version: _, ...each }) => each);
    expect(resultOf(answer)).toEqual({ ...rest, transactions: unversioned });
    // A result is the caller's own, as large as it is.
    const bytes = wholeBytes(answer.kind === "result" ? answer.result : []);
    expect(bytes.buffer.byteLength).toBe(bytes.length);
  });

  test("an error is the node's own, with HTTP's status 200", async () => {
    const upstream = open(ledgerFolder(SLOTS, {}));
    expect(await ask(upstream, "getFoo")).toEqual({
      kind: "error",
      status: 200,
      error: { code: -32601, message: "Method not found" },
    });
    expect(await ask(upstream, "getSlot", { minContextSlot: 41 })).toEqual({
      kind: "error",
      status: 200,
      error: {
        code: -32016,
        message: "Minimum context slot has not been reached",
        data: { contextSlot: 40 },
      },
    });
  });

  test("calls at once are each answered with their own", async () => {
    const upstream = open(ledgerFolder(SLOTS, blocks()));
    const slots = Array.from({ length: 40 }, (_, index) => index + 1);
    const answers = await Promise.all([
      ...slots.map((slot) => ask(upstream, "getBlockTime", slot)),
      ...slots.map((slot) => ask(upstream, "getTransaction", ledgerSignature(slot, 0))),
    ]);
    expect(answers.slice(0, 40).map(resultOf)).toEqual(slots.map((slot) => 1_700_000_000 + slot));
    expect(answers.slice(40).map(resultOf)).toEqual(
      slots.map((slot) => expect.objectContaining({ slot })),
    );
  });

  test("while a search goes through all blocks, other calls are answered", async () => {
    const upstream = open(ledgerFolder(SLOTS, blocks()));
    const order: string[] = [];
    const search = ask(upstream, "getTransaction", ledgerSignature(99, 0));
    const slot = ask(upstream, "getSlot");
    await Promise.all([
      search.then((answer) => order.push(`search ${resultOf(answer)}`)),
      slot.then((answer) => order.push(`slot ${resultOf(answer)}`)),
    ]);
    expect(order).toEqual(["slot 40", "search null"]);
  });

  test("an answer over the limit is too large, and the next is served", async () => {
    const upstream = open(ledgerFolder(SLOTS, blocks()), { maxResponseBytes: 300 });
    expect(await ask(upstream, "getBlock", 7)).toEqual({ kind: "too_large" });
    expect(resultOf(await ask(upstream, "getBlock", 7, { transactionDetails: "none" }))).toEqual(
      expect.objectContaining({ blockHeight: -3 }),
    );
  });

  test("the memory of large answers goes back to the system when they are freed", async () => {
    const transactions = Array.from({ length: 600 }, () => "legacy" as const);
    const upstream = open(ledgerFolder(SLOTS, { 7: ledgerBlock(7, transactions) }));
    await ask(upstream, "getBlock", 7);
    await usedBytes();
    const before = process.memoryUsage.rss();
    let bytes = 0;
    const kept: UpstreamAnswer[] = [];
    const large = await Promise.all(
      Array.from({ length: 400 }, async () => {
        const answer = await ask(upstream, "getBlock", 7);
        kept.push(await ask(upstream, "getGenesisHash"));
        return answer;
      }),
    );
    for (const answer of large.splice(0))
      bytes += wholeBytes(answer.kind === "result" ? answer.result : []).length;
    expect(process.memoryUsage.rss() - before).toBeGreaterThan(bytes * 0.8);
    await usedBytes();
    expect(kept).toHaveLength(400);
    expect(process.memoryUsage.rss() - before).toBeLessThan(bytes / 3);
  });

  test("a call ends at its time, once, and its late answer goes nowhere", async () => {
    let now = 0;
    const timers = new TimerWheel(timed({ monotonic: () => now }));
    const upstream = open(ledgerFolder(SLOTS, blocks()), { timers });
    const answers: string[] = [];
    const request = { method: "getSlot", params: "[]", timeoutMs: 100 };
    upstream.call(request, { answered: ({ kind }) => answers.push(kind) });
    expect(answers).toEqual([]);
    now = 200;
    timers.advance();
    expect(answers).toEqual(["timeout"]);
    expect(resultOf(await ask(upstream, "getSlot"))).toBe(40);
    expect(answers).toEqual(["timeout"]);
  });

  test("a cancelled call is not answered", async () => {
    const upstream = open(ledgerFolder(SLOTS, blocks()));
    const answers: string[] = [];
    const request = { method: "getBlock", params: "[7]", timeoutMs: 1000 };
    const call = upstream.call(request, { answered: ({ kind }) => answers.push(kind) });
    call.cancel();
    call.cancel();
    expect(resultOf(await ask(upstream, "getSlot"))).toBe(40);
    expect(answers).toEqual([]);
  });

  test("what nobody waits for any more is not worked on", async () => {
    const started = nextThread();
    const upstream = open(ledgerFolder(SLOTS, blocks()));
    const request = { method: "getBlock", params: "[7]", timeoutMs: 1000 };
    const calls = Array.from({ length: 30 }, () =>
      upstream.call(request, { answered: () => undefined }),
    );
    let answered = 0;
    (await started).on("message", () => {
      answered += 1;
    });
    for (const call of calls) call.cancel();
    expect(resultOf(await ask(upstream, "getSlot"))).toBe(40);
    expect(answered).toBe(1);
  });

  test("when its thread dies calls are unreachable, and the next starts it again", async () => {
    const started = nextThread();
    const upstream = open(ledgerFolder(SLOTS, blocks()));
    expect(resultOf(await ask(upstream, "getSlot"))).toBe(40);
    const thread = await started;
    const inAir = Promise.all([ask(upstream, "getBlock", 8), ask(upstream, "getSlot")]);
    await thread.terminate();
    const ended = { kind: "unreachable", code: "LEDGER_WORKER_ENDED" };
    expect(await inAir).toEqual([ended, ended]);
    expect(upstream.isConnected).toBe(false);
    expect(resultOf(await ask(upstream, "getBlockTime", 7))).toBe(1_700_000_007);
  });

  test("closed, calls in the air and later ones are unreachable", async () => {
    const upstream = open(ledgerFolder(SLOTS, blocks()));
    const inAir = ask(upstream, "getSlot");
    await upstream.close();
    expect(await inAir).toEqual({ kind: "unreachable", code: "LEDGER_CLOSED" });
    let isCalled = false;
    const later = ask(upstream, "getSlot").then((answer) => {
      isCalled = true;
      return answer;
    });
    expect(isCalled).toBe(false);
    expect(await later).toEqual({ kind: "unreachable", code: "LEDGER_CLOSED" });
    expect(upstream.isConnected).toBe(false);
    await upstream.close();
  });

  test("a ledger that is not there yet is served once it is", async () => {
    const folder = ledgerFolder(SLOTS, blocks());
    const place = join(mkdtempSync(`${folder}-`), "ledger");
    const upstream = open(place);
    expect(await ask(upstream, "getSlot")).toMatchObject({
      error: { code: -32603, message: "ledger.json: it cannot be read (ENOENT)" },
    });
    renameSync(folder, place);
    expect(resultOf(await ask(upstream, "getSlot"))).toBe(40);
    writeFileSync(join(place, "blocks", "9.json"), "");
    expect(await ask(upstream, "getBlock", 9)).toMatchObject({ error: { code: -32000 } });
  });
});
