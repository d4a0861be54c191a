import { expect, test } from "vitest";
import { FleetWorld } from "./fleet-world.ts";

test("simulated gateways serve calls from leases, also while the store is away, and no more than the rate", async () => {
  const world = new FleetWorld({ gateways: 2, creditsPerSecond: 16_000 });
  const call = async (seconds: number, gateways: readonly number[]) => {
    world.served = 0;
    for (let step = 0; step < seconds * 100; step += 1) {
      for (const gateway of gateways) world.call(gateway, gateway);
      await world.pass(10);
    }
    return world.served / 80;
  };
  expect(await call(20, [0])).toBe(2000);
  const { rows } = world;
  expect(rows).toBeLessThan(100);
  world.isStoreAway = true;
  expect(await call(15, [0, 1])).toBe(1500);
  expect(world.rows).toBe(rows);
  world.isStoreAway = false;
  expect(await call(10, [0, 0, 0])).toBeLessThanOrEqual(11 * 200);
});

test.each([
  [0.8, 2],
  [2, 10],
])(
  "four gateways that are asked for %f of a throughput serve it for at most %i rows a second each",
  async (demand, most) => {
    const world = new FleetWorld({ gateways: 4, creditsPerSecond: 400_000 });
    const pass = async (seconds: number) => {
      for (let step = 0; step < seconds * 100; step += 1) {
        for (let call = 0; call < demand * 50; call += 1) world.call(call % 4, 0);
        await world.pass(10);
      }
    };
    await pass(10);
    const before = world.rows;
    world.served = 0;
    await pass(20);
    expect((world.rows - before) / 20 / 4).toBeLessThanOrEqual(most);
    expect(world.served / 20 / 400_000).toBeGreaterThan(0.94 * Math.min(demand, 1));
  },
);
