import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MemoryCache } from "../../src/cache/memory-cache.ts";
import { parseConfig } from "../../src/config/load.ts";
import { toClientError } from "../../src/failures/client-error.ts";
import type { JsonValue } from "../../src/jsonrpc/value.ts";
import { NumberToken } from "../../src/jsonrpc/value.ts";
import type { Answer } from "../../src/networks/answers.ts";
import { buildNetwork } from "../../src/networks/build-network.ts";
import type { Plan } from "../../src/networks/network.ts";
import type { SlotNetwork } from "../../src/networks/slot/slot-network.ts";
import type { Logger } from "../../src/telemetry/log.ts";
import { Metrics } from "../../src/telemetry/metrics.ts";
import { LargeBuffers } from "../../src/wire/bytes/large-buffers.ts";
import { isSkipped, SlotNode } from "./slot-node.ts";
import { VirtualTime } from "./virtual-time.ts";

const metrics = new Metrics().network("slots");
const ignore = () => {};
const silent = { info: ignore, warn: ignore, error: ignore, child: () => silent };
const CONFIRMED = new Map([["commitment", "confirmed"]]);

/** A network of as many nodes, the last of them a partner where that is asked for. */
class World {
  readonly time = new VirtualTime();
  readonly nodes: readonly SlotNode[];
  readonly network: SlotNetwork;

  constructor(names: readonly string[], partner?: string) {
    this.nodes = names.map((name) => new SlotNode(name, this.time));
    const upstreams = names.map((name) => ({
      ...{ name, url: `http://${name}` },
      ...(name === partner && { role: "partner" }),
    }));
    const file = { networks: [{ name: "slots", family: "slot", upstreams }] };
    const [config] = parseConfig(JSON.stringify(file), { baseDir: "/", environment: {} }).networks;
    if (config?.family !== "slot") throw new Error("no slot network");
    this.network = buildNetwork(config, {
      buffers: new LargeBuffers(),
      ...{ clock: this.time.clock, timers: this.time, random: () => 0.5, metrics },
      turnEnds: (run) => this.time.after(0, run),
      log: silent as unknown as Logger,
      partners: { take: async ({ calls }) => calls, read: async () => ({ day: 0, month: 0 }) },
      partnerCaps: () => ({}),
      cache: new MemoryCache({ maxBytes: 0 }),
      connect: ({ name }) => ({ transport: this.node(name), heads: undefined }),
    });
    this.network.start();
  }

  node(name: string): SlotNode {
    const found = this.nodes.find((each) => each.name === name);
    if (found === undefined) throw new Error(`there is no node ${name}`);
    return found;
  }

  pass(ms: number, step: () => void = ignore): Promise<void> {
    return this.time.run(this.time.nowMs + ms, step);
  }

  /** The answer as text: the result, or the error's name. Time passes until it comes. */
  async call(method: string, args: readonly JsonValue[], partner = false): Promise<string> {
    const definition = this.network.family.lookUp(method);
    if (definition === undefined) throw new Error(method);
    let answer: string | undefined;
    const deadlineMs = this.time.clock.monotonic() + 8000;
    const fetch = (plan: Plan | { readonly name: string }) => {
      if ("name" in plan) {
        answer = plan.name;
        return;
      }
      this.network.fetch(plan, { account: "acct", keyId: "key", deadlineMs, answered });
    };
    const answered = (told: Answer) => {
      if (told.kind === "failure") {
        const error = toClientError(told.failure, definition);
        answer = error === null ? "null" : error.name;
      } else if (told.kind === "result") answer = told.result.join("");
      else answer = told.kind;
    };
    const question = { definition, args, minBlock: -1, partner, deadlineMs };
    const plan = this.network.resolve(question, { planned: fetch });
    if (plan !== "waiting") fetch(plan);
    for (let passed = 0; answer === undefined && passed < 9000; passed += 20) await this.pass(20);
    return answer ?? "no answer";
  }

  getSlot(commitment: string): Promise<string> {
    return this.call("getSlot", [new Map([["commitment", commitment]])]);
  }

  getBlock(slot: number, partner = false): Promise<string> {
    return this.call("getBlock", [new NumberToken(String(slot)), CONFIRMED], partner);
  }
}

const blockOf = (answer: string): string => /"blockhash":"(\w+)"/.exec(answer)?.[1] ?? answer;
const laterThan = (slot: number): number => (isSkipped(slot) ? slot + 1 : slot);

describe("the heads of a slot network", () => {
  test("are those of its nodes, by commitment, a second old at most while clients call", async () => {
    const world = new World(["a", "b"]);
    await world.pass(100);
    await world.getSlot("finalized");
    for (let second = 0; second < 20; second += 1) {
      await world.pass(1000);
      const { slots } = world.network.chain;
      const a = world.node("a");
      for (const commitment of ["processed", "confirmed", "finalized"] as const) {
        const behind = a.head(commitment) - slots[commitment];
        expect([0, 1, 2, 3, 4], commitment).toContain(behind);
      }
    }
  });

  test("do not go back, whichever node answers", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            node: fc.constantFrom("a", "b", "c"),
            lag: fc.integer({ min: 0, max: 200 }),
            isDown: fc.boolean(),
            waitMs: fc.integer({ min: 0, max: 8000 }),
            commitment: fc.constantFrom("processed", "confirmed", "finalized"),
          }),
          { maxLength: 20 },
        ),
        async (events) => {
          const world = new World(["a", "b", "c"]);
          await world.pass(100);
          const seen = new Map<string, number>();
          const heads = new Map<string, { readonly slot: number; readonly roseMs: number }>();
          /** A head that falls stood still for 30 s: whoever had it was gone for so long. */
          const look = () => {
            for (const [commitment, slot] of Object.entries(world.network.chain.slots)) {
              const head = heads.get(commitment);
              if (head?.slot === slot) continue;
              if (head !== undefined && slot < head.slot) {
                expect(world.time.nowMs - head.roseMs).toBeGreaterThanOrEqual(30_000);
                seen.delete(commitment);
              }
              heads.set(commitment, { slot, roseMs: world.time.nowMs });
            }
          };
          for (const { node, lag, isDown, waitMs, commitment } of events) {
            const changed = world.node(node);
            changed.isDown = isDown;
            changed.lag = lag;
            await world.pass(waitMs, look);
            const slot = Number(await world.getSlot(commitment));
            look();
            if (Number.isNaN(slot)) continue;
            expect(slot).toBeGreaterThanOrEqual(seen.get(commitment) ?? 0);
            seen.set(commitment, slot);
          }
          await world.network.stop();
        },
      ),
      { numRuns: 100 },
    );
  });

  test("fall back where no healthy node has had them for 30 s, and not sooner", async () => {
    const world = new World(["a", "b"]);
    await world.pass(100);
    await world.getSlot("confirmed");
    world.node("b").lag = 100_000;
    await world.pass(2000);
    const before = world.network.chain.slots.confirmed;
    world.node("a").isDown = true;
    for (let second = 0; second < 25; second += 1) {
      await world.pass(1000);
      await world.getBlock(950);
    }
    expect(world.network.chain.slots.confirmed).toBeGreaterThanOrEqual(before);
    await world.pass(20_000);
    expect(world.network.chain.slots.confirmed).toBeLessThan(before);
  });
});

describe("a call of a slot network", () => {
  test("never goes to a node of another genesis", async () => {
    const world = new World(["a", "b"]);
    world.node("b").genesis = "4uhcVJyU9pJkvQyS88uRDiswHXSCkY3zQawwpjk2NsNY";
    await world.pass(500);
    const { slot } = world.node("a");
    for (let call = 0; call < 20; call += 1) {
      expect(blockOf(await world.getBlock(laterThan(slot - 50 - call)))).toMatch(/^a|null$/);
    }
    expect(world.node("b").asked.every(({ method }) => method === "getGenesisHash")).toBe(true);
  });

  test("goes to nodes that keep up while there are any, and to the others before it fails", async () => {
    const world = new World(["a", "b"]);
    await world.pass(100);
    await world.getSlot("confirmed");
    world.node("b").lag = 150;
    await world.pass(2000);
    const old = laterThan(world.node("b").slot - 60);
    for (let call = 0; call < 10; call += 1) expect(blockOf(await world.getBlock(old))).toBe("a");
    world.node("a").isDown = true;
    expect(blockOf(await world.getBlock(old))).toBe("b");
  });

  test.each([
    ["down", (node: SlotNode, is: boolean) => Object.assign(node, { isDown: is })],
    [
      "behind, by its own word,",
      (node: SlotNode, is: boolean) => Object.assign(node, { isUnhealthy: is }),
    ],
  ])("is answered while a node is %s, which is used again within 10 s", async (_is, set) => {
    const world = new World(["a", "b"]);
    await world.pass(100);
    await world.getSlot("confirmed");
    set(world.node("a"), true);
    const slot = laterThan(world.node("b").slot - 60);
    for (let call = 0; call < 30; call += 1) {
      expect(blockOf(await world.getBlock(slot))).toBe("b");
      await world.pass(200);
    }
    set(world.node("a"), false);
    await world.pass(10_000);
    const answered = new Set<string>();
    for (let call = 0; call < 40; call += 1) answered.add(blockOf(await world.getBlock(slot)));
    expect(answered).toContain("a");
  });

  test("for a skipped slot is null, and for one that is not there yet", async () => {
    const world = new World(["a", "b"]);
    await world.pass(100);
    expect(await world.getBlock(994)).toBe("null");
    expect(await world.getBlock(5000)).toBe("null");
  });

  test("finds a block that only one node has got so far", async () => {
    const world = new World(["a", "b"]);
    await world.pass(100);
    await world.getSlot("confirmed");
    world.node("a").lag = 10;
    await world.pass(1100);
    const newest = world.node("b").head("confirmed");
    const slot = isSkipped(newest) ? newest - 1 : newest;
    for (let call = 0; call < 10; call += 1) expect(blockOf(await world.getBlock(slot))).toBe("b");
  });

  test("goes to a partner only where no primary answers, which is not polled before", async () => {
    const world = new World(["a", "p"], "p");
    await world.pass(100);
    for (let second = 0; second < 20; second += 1) {
      await world.getBlock(950, true);
      await world.pass(1000);
    }
    expect(world.node("p").asked).toHaveLength(0);
    world.node("a").isDown = true;
    expect(blockOf(await world.getBlock(950, true))).toBe("p");
    expect(await world.getBlock(950)).toBe("exhausted");
  });
});

test("a node is polled three times a second while clients call, and else three times in 10 s", async () => {
  const world = new World(["a", "b"]);
  const polls = (name: string) =>
    world.node(name).asked.filter(({ method }) => method === "getSlot").length;
  await world.pass(60_000);
  expect(polls("a")).toBeLessThanOrEqual(3 * 7);
  const before = polls("b");
  for (let second = 0; second < 60; second += 1) {
    await world.pass(1000);
    await world.getBlock(950);
  }
  expect(polls("b") - before).toBeGreaterThan(3 * 50);
  expect(polls("b") - before).toBeLessThanOrEqual(3 * 61);
});
