import { expect, onTestFinished, test } from "vitest";
import { type FleetProcess, GONE_MS } from "../../src/storage/fleet-store.ts";
import type { Storage } from "../../src/storage/store.ts";

export const fleetProcess = (over: Partial<FleetProcess> = {}): FleetProcess => ({
  name: "east",
  worker: 1,
  process: "one",
  version: "1.2.3",
  startedAt: 1_700_000_000_000,
  callsPerSecond: 12.5,
  leases: 3,
  heads: { mainnet: 21_000_000, base: null },
  open: { key_1: { sockets: 2, subscriptions: 7 } },
  marks: { plans: "a mark" },
  ...over,
});

/** What an adapter owes of the processes that serve, and of drained upstreams. */
export function fleetContract(storage: () => Storage): void {
  const listed = async (now = Date.now()) =>
    (await storage().fleet.list(now)).map((row) => ({ ...row }));

  test("who told of itself is listed as it said last, by name and number", async () => {
    const { fleet } = storage();
    const now = Date.now();
    const all = [
      fleetProcess({ name: "west", process: "three" }),
      fleetProcess({ worker: 2, process: "two", heads: {} }),
      fleetProcess(),
    ];
    for (const own of all) expect(await fleet.tell(own, now)).toBeUndefined();
    const last = fleetProcess({
      ...{ callsPerSecond: 0, leases: 0, heads: { mainnet: 21_000_001 } },
      open: { key_2: { sockets: 1, subscriptions: 0 } },
    });
    expect(await fleet.tell(last, now)).toBe("one");
    expect(await listed(now)).toEqual([last, all[1], all[0]]);
  });

  test("a process that takes another's name and number is told of that one, and stands in its place", async () => {
    const { fleet } = storage();
    await fleet.tell(fleetProcess(), Date.now());
    expect(await fleet.tell(fleetProcess({ process: "other" }), Date.now())).toBe("one");
    expect((await listed()).map(({ process }) => process)).toEqual(["other"]);
  });

  test("who left is gone at once, and only that one", async () => {
    const { fleet } = storage();
    await fleet.tell(fleetProcess(), Date.now());
    await fleet.tell(fleetProcess({ worker: 2, process: "two" }), Date.now());
    await fleet.leave("one");
    await fleet.leave("nobody");
    expect((await listed()).map(({ process }) => process)).toEqual(["two"]);
  });

  test("commits that were lost are told of, by the last who found it out, until that is forgotten", async () => {
    const { fleet } = storage();
    expect(await fleet.lossFound()).toBeUndefined();
    await fleet.tellLoss(1_700_000_000_000);
    await fleet.tellLoss(1_700_000_000_500);
    expect(await fleet.lossFound()).toBe(1_700_000_000_500);
    await fleet.forgetLoss();
    await fleet.forgetLoss();
    expect(await fleet.lossFound()).toBeUndefined();
  });

  test("upstreams are drained until they are enabled, however often that is said", async () => {
    const { fleet } = storage();
    const [a, b] = ["node-a", "node-b"].map((upstream) => ({ network: "mainnet", upstream }));
    const drained = async () => (await fleet.drained()).map((row) => ({ ...row }));
    expect(await drained()).toEqual([]);
    if (a === undefined || b === undefined) throw new Error("two are made");
    for (const place of [a, a, b]) await fleet.setDrained(place, true);
    expect(await drained()).toEqual([a, b]);
    for (const place of [a, a, { ...b, network: "base" }]) await fleet.setDrained(place, false);
    expect(await drained()).toEqual([b]);
  });
}

/** Of an adapter that goes by the clock of its callers. */
export function fleetTimeContract(open: () => Promise<Storage>): void {
  test("who told nothing of itself for ten seconds is gone", async () => {
    const storage = await open();
    onTestFinished(() => storage.close());
    const { fleet } = storage;
    await fleet.tell(fleetProcess(), 50_000);
    expect(await fleet.list(50_000 + GONE_MS - 1)).toHaveLength(1);
    expect(await fleet.list(50_000 + GONE_MS)).toHaveLength(0);
  });
}
