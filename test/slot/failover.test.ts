import { setTimeout } from "node:timers/promises";
import { describe, type TestContext, test } from "vitest";
import type { StandInNode } from "../support/stand-in-node.ts";
import { callText, post, type SlotRig, type SlotRigOptions, slotsAt, startSlotRig } from "./rig.ts";

const HEAD = 5000;
const OTHER_GENESIS = "4uhcVJyU9pJkvQyS88uRDiswHXSCkY3zQawwpjk2NsNY";
/** docs/decisions.md, "Attempts": a node that is well again is used within it. */
const BACK_MS = 10_000;
/** A machine that runs other tests too. */
const BUSY_MS = 5000;
/** Within it the gateway has asked each node for its slots: once a second while clients call. */
const POLL_MS = 1500;

type Pair = SlotRig & { readonly well: StandInNode; readonly sick: StandInNode };

/** Two nodes that say which of them answers; the gateway knows the heads of both. */
async function startPair(context: TestContext, options: SlotRigOptions = {}): Promise<Pair> {
  const rig = await startSlotRig({ nodes: 2, head: HEAD, ...options });
  context.onTestFinished(() => rig.stop());
  const [well, sick] = rig.nodes;
  if (well === undefined || sick === undefined) throw new Error("no nodes");
  for (const [name, node] of Object.entries({ well, sick })) {
    node.reply = () => ({ result: { blockhash: name, previousBlockhash: "p" } });
  }
  await until(async () => /well|sick/.test(await getBlock(rig)));
  return { ...rig, well, sick };
}

/** Which node's block the client got, or the error. */
async function getBlock({ call }: SlotRig, slot = 4000): Promise<string> {
  const { json } = await call("getBlock", `[${slot},{"commitment":"confirmed"}]`);
  const { blockhash } = (json.result ?? {}) as { blockhash?: string };
  return blockhash ?? JSON.stringify(json);
}

async function answersOf(rig: SlotRig, calls: number): Promise<Set<string>> {
  const seen = new Set<string>();
  for (let call = 0; call < calls; call += 1) seen.add(await getBlock(rig));
  return seen;
}

/** @throws where it does not become true in the time that a node has to be in use again */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (const end = performance.now() + BACK_MS + BUSY_MS; performance.now() < end; ) {
    if (await isSo()) return;
    await setTimeout(20);
  }
  throw new Error("not in time");
}

/** Until the sick one is asked again; where it is slow, the other one's answer may come first. */
async function isUsed(pair: Pair): Promise<void> {
  const before = pair.sick.requests.length;
  await until(async () => {
    await getBlock(pair);
    return pair.sick.requests.length > before;
  });
}

describe.concurrent("of two nodes", () => {
  test.for([
    ["cuts its connections", "reset"],
    ["says that it is behind", { error: { code: -32005, message: "Node is behind by 90 slots" } }],
    ["says that it is unhealthy", { error: { code: -32005, message: "Node is unhealthy" } }],
    ["answers 503", { body: "Service Unavailable", status: 503 }],
  ] as const)(
    "one %s: every call is answered, and it is used again once it is well",
    async ([, sickness], context) => {
      const pair = await startPair(context);
      pair.sick.sickness = sickness;
      context.expect(await answersOf(pair, 60)).toEqual(new Set(["well"]));
      await setTimeout(POLL_MS);
      context.expect(await answersOf(pair, 60)).toEqual(new Set(["well"]));
      pair.sick.sickness = undefined;
      await isUsed(pair);
    },
  );

  test("one hangs: every call is answered within its time", async (context) => {
    const pair = await startPair(context, { network: { timeoutMs: 2000 } });
    // So that what is slow is known.
    await answersOf(pair, 50);
    pair.sick.sickness = "hang";
    context.expect(await answersOf(pair, 20)).toEqual(new Set(["well"]));
    pair.sick.sickness = undefined;
    await isUsed(pair);
  });

  test("one is more than 32 slots behind: it is not asked until it keeps up", async (context) => {
    const pair = await startPair(context);
    pair.sick.slots = slotsAt(HEAD - 33);
    await setTimeout(POLL_MS);
    context.expect(await answersOf(pair, 40)).toEqual(new Set(["well"]));
    pair.sick.slots = slotsAt(HEAD - 32);
    await isUsed(pair);
  });

  test("one is 33 slots behind and the other dies: it answers what it has", async (context) => {
    const pair = await startPair(context);
    pair.sick.slots = slotsAt(HEAD - 33);
    pair.well.sickness = "reset";
    context.expect(await answersOf(pair, 20)).toEqual(new Set(["sick"]));
  });

  test("one is of another genesis: it is never asked, until it is put right", async (context) => {
    const pair = await startPair(context, {
      network: { genesisHash: OTHER_GENESIS },
      genesisHash: OTHER_GENESIS,
    });
    // It is looked at again where its connection breaks.
    pair.sick.genesisHash = "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d";
    pair.sick.sickness = "reset";
    await setTimeout(POLL_MS);
    pair.sick.sickness = undefined;
    const before = pair.sick.requests.length;
    await setTimeout(POLL_MS);
    context.expect(await answersOf(pair, 40)).toEqual(new Set(["well"]));
    context.expect(pair.sick.requests.length).toBe(before);
    pair.sick.genesisHash = OTHER_GENESIS;
    await isUsed(pair);
  });

  test("the slots never go back, whichever of them answers", async (context) => {
    const pair = await startPair(context);
    const seen = { processed: 0, confirmed: 0, finalized: 0 };
    for (let round = 0; round < 60; round += 1) {
      const [ahead, behind] = round % 20 < 10 ? [pair.well, pair.sick] : [pair.sick, pair.well];
      const head = HEAD + round;
      ahead.slots = { processed: head + 40, confirmed: head + 38, finalized: head };
      behind.slots = { processed: head + 30, confirmed: head + 29, finalized: head - 8 };
      for (const commitment of ["processed", "confirmed", "finalized"] as const) {
        const { json } = await pair.call("getSlot", `[{"commitment":"${commitment}"}]`);
        context.expect(json.result).toBeGreaterThanOrEqual(seen[commitment]);
        seen[commitment] = Number(json.result);
      }
      await setTimeout(30);
    }
    // And they went up.
    context.expect(seen.finalized).toBeGreaterThan(HEAD);
  });

  test("X-Min-Block of a slot that is coming is waited for, and of another refused, free", async (context) => {
    const pair = await startPair(context, { network: { timeoutMs: 2500 } });
    const atLeast = (slot: number) =>
      post(pair.gateway.http(), callText("getBlock", "[4000]"), { "x-min-block": String(slot) });
    const waiting = atLeast(HEAD + 5);
    await setTimeout(50);
    pair.sick.slots = slotsAt(HEAD + 6);
    const { json } = await waiting;
    context.expect(json.result).toMatchObject({ blockhash: "sick" });
    const given = await atLeast(HEAD + 1000);
    context.expect(given.json.error).toEqual({
      code: -32000,
      message: `block ${HEAD + 1000} is not available yet`,
    });
    context.expect(given.header("x-credits-charged")).toBe("0");
  });
});

test("both nodes dead: 503 with Retry-After, and free; then each answers again", async (context) => {
  const pair = await startPair(context, { network: { timeoutMs: 1000 } });
  for (const node of pair.nodes) node.sickness = "reset";
  for (let call = 0; call < 5; call += 1) {
    const given = await pair.call("getBlock", "[4000]");
    context.expect(given.status).toBe(503);
    context.expect(given.header("retry-after")).toMatch(/^\d+$/);
    context.expect(given.header("x-credits-charged")).toBe("0");
  }
  for (const node of pair.nodes) node.sickness = undefined;
  await until(async () => /^(?:well|sick)$/.test(await getBlock(pair)));
  await isUsed(pair);
});

test("a network whose nodes were down at its start serves as soon as one is there", async (context) => {
  const rig = await startSlotRig({ nodes: 1, head: HEAD, network: { timeoutMs: 1000 } });
  context.onTestFinished(() => rig.stop());
  const [node] = rig.nodes;
  if (node === undefined) throw new Error("no node");
  node.sickness = "reset";
  context.expect((await rig.call("getSlot", "[]")).status).toBe(503);
  node.sickness = undefined;
  await until(async () => (await rig.call("getSlot", "[]")).json.result === HEAD);
});
