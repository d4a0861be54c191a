import { beforeEach, describe, expect, test } from "vitest";
import { breakable } from "../../test/store-faults/breakable-storage.ts";
import { fleetProcess } from "../../test/support/fleet-contract.ts";
import type { Time } from "../lib/clock.ts";
import type { UpstreamName } from "../storage/fleet-store.ts";
import { openMemory } from "../storage/memory.ts";
import { FleetMember } from "./fleet-member.ts";

const A: UpstreamName = { network: "mainnet", upstream: "node-a" };

/** Time that a test moves. */
class HandTime implements Time {
  atMs = 1000;
  readonly #rounds = new Map<() => void, { readonly everyMs: number; dueMs: number }>();

  readonly now = () => 1_700_000_000_000 + this.atMs;
  readonly monotonic = () => this.atMs;
  readonly after = (delayMs: number, run: () => void) => {
    const stop = this.every(delayMs, () => {
      stop();
      run();
    });
    return stop;
  };
  readonly every = (everyMs: number, run: () => void) => {
    this.#rounds.set(run, { everyMs, dueMs: this.atMs + everyMs });
    return () => void this.#rounds.delete(run);
  };

  async pass(ms: number): Promise<void> {
    for (const endMs = this.atMs + ms; this.atMs < endMs; ) {
      this.atMs += 100;
      for (const [run, round] of this.#rounds) {
        if (round.dueMs > this.atMs) continue;
        round.dueMs += round.everyMs;
        run();
      }
      for (let turn = 0; turn < 20; turn += 1) await undefined;
    }
  }
}

let time: HandTime;
let rivals: string[];
let differing: string[];
/** What each process was told last: the names of those that live. */
let listed: Map<string, readonly string[]>;
beforeEach(() => {
  listed = new Map();
  time = new HandTime();
  rivals = [];
  differing = [];
});

function networkOf(...upstreams: string[]) {
  const known = upstreams.map((name) => ({ name, drained: false }));
  return {
    name: "mainnet",
    chain: { head: { number: 7 } },
    upstreams: known,
    setDrained: (name: string, isDrained: boolean) => {
      const found = known.find((each) => each.name === name);
      if (found !== undefined) found.drained = isDrained;
      return found !== undefined;
    },
  };
}

function memberOf(
  process: string,
  {
    storage,
    name = process,
    calls = () => 0,
    marks = {},
  }: {
    storage: ReturnType<typeof openMemory>;
    name?: string;
    calls?: () => number;
    marks?: Readonly<Record<string, string>>;
  },
) {
  const network = networkOf("node-a", "node-b");
  const member = new FleetMember(
    { name, worker: 1, process, marks },
    {
      ...{ store: storage.fleet, clock: time, calls, leases: () => 2, open: () => ({}) },
      networks: [network as never],
      onGateways: (all) =>
        listed.set(
          process,
          all.map((each) => each.name),
        ),
      onDifference: (settings) => differing.push(...settings),
      onRival: (rival) => rivals.push(`${process}: ${rival}`),
    },
  );
  const drained = () => network.upstreams.filter((each) => each.drained).map((each) => each.name);
  return { member, drained };
}

async function twoMembers(storage = openMemory()) {
  const [east, west] = [memberOf("east", { storage }), memberOf("west", { storage })];
  for (const { member } of [east, west]) {
    await member.begin();
    member.start(8545);
  }
  await time.pass(100);
  return { east, west, storage };
}

describe("an upstream that one gateway drains", () => {
  test("is drained in all within a second, and in those that start later, until one enables it", async () => {
    const { east, west, storage } = await twoMembers();
    expect(await east.member.setDrained(A, true)).toBe("done");
    expect(east.drained()).toEqual(["node-a"]);
    await time.pass(1000);
    expect(west.drained()).toEqual(["node-a"]);
    const later = memberOf("later", { storage });
    await later.member.begin();
    expect(later.drained()).toEqual(["node-a"]);
    expect(await west.member.setDrained(A, false)).toBe("done");
    await time.pass(1000);
    expect(east.drained()).toEqual([]);
  });

  test("has to be known", async () => {
    const { east } = await twoMembers();
    expect(await east.member.setDrained({ ...A, network: "base" }, true)).toEqual({
      missing: "network",
    });
    expect(await east.member.setDrained({ ...A, upstream: "c" }, true)).toEqual({
      missing: "upstream",
    });
  });

  test("is drained there while the storage fails, and everywhere when it answers again", async () => {
    const { storage, broken } = breakable(openMemory());
    const { east, west } = await twoMembers(storage);
    broken.set("fleet", "the disk is gone");
    expect(await east.member.setDrained(A, true)).toBe("here");
    await time.pass(2000);
    expect([east.drained(), west.drained()]).toEqual([["node-a"], []]);
    broken.clear();
    await time.pass(1500);
    expect([east.drained(), west.drained()]).toEqual([["node-a"], ["node-a"]]);
  });

  test("is drained there after a second where the storage hangs", async () => {
    const storage = openMemory();
    const { east } = await twoMembers(storage);
    Object.assign(storage.fleet, { setDrained: () => new Promise(() => undefined) });
    const switched = east.member.setDrained(A, true);
    await time.pass(1000);
    expect(await switched).toBe("here");
    expect(east.drained()).toEqual(["node-a"]);
  });

  test("is not enabled by what was read before it was drained", async () => {
    const storage = openMemory();
    const { east } = await twoMembers(storage);
    let answer: () => void = () => undefined;
    const late = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const { drained } = storage.fleet;
    Object.assign(storage.fleet, {
      drained: async () => {
        const before = await drained();
        await late;
        return before;
      },
    });
    await time.pass(500);
    expect(await east.member.setDrained(A, true)).toBe("done");
    answer();
    await time.pass(100);
    expect(east.drained()).toEqual(["node-a"]);
  });
});

describe("the list of gateways", () => {
  test("has each with its calls of a second and its leases, until it stops or is silent for ten seconds", async () => {
    const storage = openMemory();
    let calls = 0;
    const east = memberOf("east", { storage, calls: () => calls });
    const west = memberOf("west", { storage });
    for (const { member } of [east, west]) member.start(8545);
    await time.pass(100);
    calls = 450;
    await time.pass(3000);
    expect((await west.member.list()).gateways).toEqual([
      {
        ...{ name: "east", leases: 2, startedAt: new Date(1_700_000_001_000).toISOString() },
        ...{ version: expect.stringMatching(/^\d+\./), networks: [{ name: "mainnet", head: 7 }] },
        callsPerSecond: 150,
      },
      expect.objectContaining({ name: "west", callsPerSecond: 0 }),
    ]);
    await east.member.stop();
    expect((await west.member.list()).gateways.map(({ name }) => name)).toEqual(["west"]);
  });

  test("is told to each of them at its start and every three seconds", async () => {
    const { east, west, storage } = await twoMembers();
    expect([listed.get("east"), listed.get("west")]).toEqual([["east"], ["east", "west"]]);
    await time.pass(3000);
    expect(listed.get("east")).toEqual(["east", "west"]);
    await west.member.stop();
    await time.pass(3000);
    expect(listed.get("east")).toEqual(["east"]);
    await memberOf("north", { storage }).member.begin();
    expect(listed.get("north")).toEqual(["east"]);
    await east.member.stop();
  });

  test("names a gateway by its host and port where the file gives no name", async () => {
    const storage = openMemory();
    const parts = {
      store: storage.fleet,
      clock: time,
      calls: () => 0,
      open: () => ({}),
      leases: () => 0,
      networks: [],
    };
    const options = { name: undefined, worker: 1, process: "p", marks: {} };
    const member = new FleetMember(options, {
      ...parts,
      onRival: () => undefined,
      onGateways: () => undefined,
      onDifference: () => undefined,
    });
    member.start(8545);
    await time.pass(100);
    const [own] = (await member.list()).gateways;
    expect(own?.name).toMatch(/^.+:8545$/);
  });

  test("two that live under one name are found out, once each; one that follows a dead one is not", async () => {
    const storage = openMemory();
    const dead = fleetProcess({ name: "east", process: "dead" });
    await storage.fleet.tell(dead, time.now());
    const first = memberOf("first", { storage, name: "east" });
    const second = memberOf("second", { storage, name: "east" });
    first.member.start(8545);
    await time.pass(9000);
    expect(rivals).toEqual([]);
    second.member.start(8545);
    await time.pass(12_000);
    expect(rivals.sort()).toEqual(["first: east", "second: east"]);
  });
});

describe("a gateway whose file differs from that of one that lives", () => {
  const begin = async (marks: Readonly<Record<string, string>>) => {
    const storage = openMemory();
    const first = memberOf("first", { storage, marks: { "keys.pepper": "a", plans: "a" } });
    await first.member.begin();
    first.member.start(8545);
    await time.pass(100);
    const { member } = memberOf("second", { storage, marks });
    return { begun: member.begin(), first: first.member, storage };
  };

  test("in plans says so and starts", async () => {
    await (await begin({ "keys.pepper": "a", plans: "b" })).begun;
    expect(differing).toEqual(["plans"]);
  });

  test("in a secret does not start, until the other has ended", async () => {
    const marks = { "keys.pepper": "b", plans: "a" };
    const { begun, first, storage } = await begin(marks);
    await expect(begun).rejects.toThrow(/^keys\.pepper: the gateway first, .* has another one/);
    await first.stop();
    await memberOf("second", { storage, marks }).member.begin();
  });
});
