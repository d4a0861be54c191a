import { expect, test } from "vitest";
import { SeededRandom } from "./seeded-random.ts";
import { makeWorld } from "./world.ts";

const SEEDS = 300;
const WARM_UP_MS = 30_000;
const BLOCKS = 60;
/** What an upstream has saved up for one block that comes late. */
const SAVED = 2;

test("an idle gateway asks each upstream at most once for each block, over sockets never", async () => {
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const random = new SeededRandom(seed);
    const shape = { primaries: 2 + (seed % 3), partners: seed % 2, reorgShare: 0 };
    const isPushed = seed % 5 === 0;
    const world = makeWorld(random, { ...shape, socketShare: isPushed ? 1 : 0 });
    const { gateway, time, nodes, chain } = world;
    const asked = new Map(nodes.map(({ options }) => [options.name, 0]));
    gateway.network.start();
    await time.run(time.nowMs + WARM_UP_MS, () => undefined);
    for (const node of nodes) {
      const { name } = node.options;
      node.onRequest = () => asked.set(name, (asked.get(name) ?? 0) + 1);
    }
    const first = chain.tip.number;
    await time.run(time.nowMs + BLOCKS * chain.habits.blockTimeMs, () => undefined);
    const blocks = chain.tip.number - first;
    for (const { options } of nodes) {
      // One that ends idle connections has to show its chain again each time.
      if (Number.isFinite(options.idleMs)) continue;
      const isQuiet = isPushed || options.role === "partner";
      const most = isQuiet ? 0 : blocks + SAVED;
      const told = `seed ${seed}: ${options.name} of ${shape.primaries}, ${blocks} blocks`;
      expect(asked.get(options.name), told).toBeLessThanOrEqual(most);
    }
    await gateway.network.stop();
  }
});
